package io.maestro.project.internal;

import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.internal.TerminalText;
import io.maestro.project.internal.ProjectTests.TestVerdict;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * One run of a project's command, and how it went: the one place that knows a command that fails from one that cannot be run.
 *
 * @param verdict in a word; never {@code NONE}
 * @param headline one line
 * @param exitCode empty when it was killed
 * @param stdout for a model
 * @param stderr the same
 * @param whole whether that is all of it
 */
public record ProjectRun(
        TestVerdict verdict, String headline, OptionalInt exitCode, String stdout, String stderr, boolean whole) {
    /** The exit code of pytest when it has found no test. */
    private static final int NOTHING_COLLECTED = 5;

    /** What make, npm, yarn, pnpm, Python, Gradle and Ant print when the target, script or module for tests is not there. */
    private static final Pattern NO_TESTS = Pattern.compile("(?m)^(?:make: \\*\\*\\* No rule to make target [`']test'"
            + "|npm (?:ERR!|error) Missing script: \"test\"|Error: no test specified"
            + "|error Command \"test\" not found|.*: No module named pytest$"
            + "|Task '\\w+' not found in root project|Target \"\\w+\" does not exist in the project)");

    /** The same for all else. A target that make needs for another is no such case: its name has a comma behind it. */
    private static final Pattern NOTHING_TO_RUN =
            Pattern.compile("(?m)^(?:make: \\*\\*\\* No rule to make target [`'][^'\n]+'\\. "
                    + "|npm (?:ERR!|error) (?:Missing script: |npx canceled due to missing packages)"
                    + "| ?ERR_PNPM_NO_SCRIPT |error Command \"[^\"\n]+\" not found"
                    + "|Usage Error: Couldn't find a script named |.*: No module named [\\w.]+$"
                    + "|Task '[^'\n]+' not found in |Target \"[^\"\n]+\" does not exist in the project"
                    + "|error: no such command: `|error: '[\\w-]+' is not installed for the toolchain"
                    + "|\\[ERROR] No plugin found for prefix ')");

    /**
     * Runs a command, and waits for its end.
     *
     * @param line what the request runs, for people
     */
    public static ProjectRun of(Executor executor, ProjectTask task, String line, ExecRequest request) {
        ExecResult result = executor.run(request);
        String stdout = printable(result.stdout());
        String stderr = printable(result.stderr());
        TestVerdict verdict = verdict(task, line, result, stdout, stderr);
        String ending = switch (result.ending()) {
            case EXITED ->
                switch (verdict) {
                    case PASSED -> "passed";
                    case CANNOT_RUN ->
                        "cannot be run (exit code " + result.exitCode().orElse(-1) + ")";
                    default -> "failed with exit code " + result.exitCode().orElse(-1);
                };
            case TIMED_OUT ->
                task.was() + " killed after " + request.timeLimit().toSeconds() + " s";
            case CANCELLED -> task.was() + " cancelled";
        };
        boolean whole = result.stdout().omittedBytes() == 0 && result.stderr().omittedBytes() == 0;
        return new ProjectRun(
                verdict, task.subject() + " " + ending + ": " + line, result.exitCode(), stdout, stderr, whole);
    }

    /** Colours would hide which tests have failed. */
    static String printable(ExecOutput output) {
        return TerminalText.plain(output.text()).stripTrailing();
    }

    private static TestVerdict verdict(ProjectTask task, String line, ExecResult result, String stdout, String stderr) {
        if (result.succeeded()) {
            return TestVerdict.PASSED;
        }
        int code = result.exitCode().orElse(-1);
        Pattern nothing = task == ProjectTask.TEST ? NO_TESTS : NOTHING_TO_RUN;
        boolean cannotRun = code == 126
                || code == 127
                || task == ProjectTask.TEST && code == NOTHING_COLLECTED && line.contains("pytest")
                || code > 0
                        && (nothing.matcher(stderr).find()
                                || nothing.matcher(stdout).find());
        return cannotRun ? TestVerdict.CANNOT_RUN : TestVerdict.FAILED;
    }
}
