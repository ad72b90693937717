package io.maestro.project.internal;

import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a project's tests through an executor: the command that the host has set, or the one its build file suggests. */
public final class ProjectTests {
    /** What of each stream a model gets. */
    private static final int SHOWN_BYTES = 48 * 1024;

    private final ProjectCommands commands;
    private final TestSlots slots;

    /** Runs as many tests at once as there are processors. */
    public ProjectTests(ProjectCommands commands) {
        this(commands, new TestSlots(Runtime.getRuntime().availableProcessors()));
    }

    /** @param slots how many runs there may be at once; whoever runs tests takes one before */
    public ProjectTests(ProjectCommands commands, TestSlots slots) {
        this.commands = commands;
        this.slots = slots;
    }

    /**
     * A null command means: see what the project is.
     *
     * @param setup prepares a fresh checkout
     * @param command runs the tests
     * @param timeLimit of each
     */
    public ProjectTests(@Nullable String setup, @Nullable String command, Duration timeLimit) {
        this(new ProjectCommands(setup, null, null, command, timeLimit));
    }

    /** How tests went. */
    public enum TestVerdict {
        /** The command has ended with exit code 0. */
        PASSED,
        /** There is no command to run. */
        NONE,
        /** The command tests nothing here: a program, target or script is not there, or no test was found. */
        CANNOT_RUN,
        /** The same of a command that a person has set, and one of whose programs is not there, or is none. */
        NO_PROGRAM,
        /** Something else: tests have failed, the project does not build, or the command was killed. */
        FAILED;

        /** Whether the tests have begun: the other verdicts say nothing about the project. */
        public boolean ran() {
            return this == PASSED || this == FAILED;
        }
    }

    /**
     * How the tests went.
     *
     * @param verdict in a word
     * @param headline one line
     * @param summary the headline, what has failed as far as the output tells it, and the output, for a model
     * @param exitCode empty when there was no command, or it was killed
     * @param failures the names of the tests that failed; empty when none did, or none is known
     * @param passing how many tests have passed where some failed; empty when that is not known
     */
    public record TestReport(
            TestVerdict verdict,
            String headline,
            String summary,
            OptionalInt exitCode,
            Set<String> failures,
            OptionalInt passing) {
        public TestReport {
            failures = Set.copyOf(failures);
        }

        /** Without an output, and so without names. */
        public static TestReport of(TestVerdict verdict, String text) {
            return new TestReport(verdict, text, text, OptionalInt.empty(), Set.of(), OptionalInt.empty());
        }

        public boolean passed() {
            return verdict == TestVerdict.PASSED || verdict == TestVerdict.NONE;
        }
    }

    /** The commands of the project. */
    public ProjectCommands commands() {
        return commands;
    }

    /** How many runs there may be at once. */
    public TestSlots slots() {
        return slots;
    }

    /** Whether a checkout needs to be prepared. */
    public boolean hasSetup(Path directory) {
        return setupLine(directory).isPresent();
    }

    private Optional<String> setupLine(Path directory) {
        return commands.set(ProjectTask.SETUP)
                .or(() -> BuildFiles.setup(in(directory)).map(BuildFiles.Suggestion::line));
    }

    /** Prepares a fresh checkout, from its root; empty when there is nothing to run for that. */
    public Optional<TestReport> setup(Executor executor, Path directory) {
        Duration timeLimit = commands.timeLimit();
        return setupLine(directory).map(line -> {
            ExecResult result = executor.run(request(line, timeLimit));
            String headline = result.succeeded()
                    ? "the setup command has passed: " + line
                    : "the setup command "
                            + switch (result.ending()) {
                                case EXITED ->
                                    "failed with exit code " + result.exitCode().orElse(-1);
                                case TIMED_OUT -> "was killed after " + timeLimit.toSeconds() + " s";
                                case CANCELLED -> "was cancelled";
                            }
                            + ": " + line;
            String summary =
                    headline + printed(ProjectRun.printable(result.stdout()), ProjectRun.printable(result.stderr()));
            TestVerdict verdict = result.succeeded()
                    ? TestVerdict.PASSED
                    : notRun(ProjectTask.SETUP, TestVerdict.CANNOT_RUN, result.exitCode());
            return checked(
                    executor,
                    ProjectTask.SETUP,
                    new TestReport(verdict, headline, summary, result.exitCode(), Set.of(), OptionalInt.empty()));
        });
    }

    /** Whether there is a command that runs the tests of a checkout. */
    public boolean hasTests(Path directory) {
        return command(in(directory)).isPresent();
    }

    /** Prepares a fresh checkout, and runs the tests in it. */
    public TestReport runFresh(Executor executor, Path directory) {
        return setup(executor, directory).filter(report -> !report.passed()).orElseGet(() -> run(executor, directory));
    }

    private static Predicate<String> in(Path directory) {
        return file -> Files.isRegularFile(directory.resolve(file), LinkOption.NOFOLLOW_LINKS);
    }

    private static ExecRequest request(String line, Duration limit) {
        return ExecRequest.shell(line)
                .timeLimit(limit)
                .outputLimit(KeptOutput.MOST_BYTES)
                .build();
    }

    private static String printed(String stdout, String stderr) {
        return "\n--- stdout ---\n" + shown(stdout) + "\n--- stderr ---\n" + shown(stderr);
    }

    private static String shown(String output) {
        byte[] all = output.getBytes(StandardCharsets.UTF_8);
        int left = all.length - SHOWN_BYTES;
        int half = SHOWN_BYTES / 2;
        return left <= 0
                ? output
                : ExecOutput.of(Arrays.copyOf(all, half), Arrays.copyOfRange(all, half + left, all.length), left)
                        .text();
    }

    /** Runs the tests of the project in a workspace that is prepared, from its root. */
    public TestReport run(Executor executor, Path directory) {
        Optional<String> line = command(in(directory));
        if (line.isEmpty()) {
            return TestReport.of(
                    TestVerdict.NONE,
                    "no tests were run: no test command is set, and the project has none of " + BuildFiles.forTests());
        }
        ProjectRun run =
                ProjectRun.of(executor, ProjectTask.TEST, line.get(), request(line.get(), commands.timeLimit()));
        FailureLines failures =
                run.verdict() == TestVerdict.FAILED ? FailureLines.in(run.stdout(), run.stderr()) : FailureLines.in();
        String found = failures.summary();
        String summary = run.headline() + (found.isEmpty() ? "" : "\n" + found) + printed(run.stdout(), run.stderr());
        TestVerdict verdict = notRun(ProjectTask.TEST, run.verdict(), run.exitCode());
        return checked(
                executor,
                ProjectTask.TEST,
                new TestReport(
                        verdict,
                        run.headline(),
                        summary,
                        run.exitCode(),
                        failures.tests(),
                        run.whole() ? failures.passing() : OptionalInt.empty()));
    }

    /** The exit code of a line, such as one with a pipe, may be that of another of its programs. */
    private TestReport checked(Executor executor, ProjectTask task, TestReport report) {
        if (report.verdict() == TestVerdict.NO_PROGRAM || report.exitCode().isEmpty()) {
            return report;
        }
        return commands.set(task)
                .flatMap(line -> ProjectPrograms.missing(executor, ProjectPrograms.of(line, true))
                        .filter(program -> ProjectPrograms.isNeeded(program, line, report.summary()))
                        .map(program ->
                                task.subject() + " cannot be run, as there is no program " + program + ": " + line))
                .map(headline -> new TestReport(
                        TestVerdict.NO_PROGRAM,
                        headline,
                        headline,
                        report.exitCode(),
                        report.failures(),
                        report.passing()))
                .orElse(report);
    }

    private TestVerdict notRun(ProjectTask task, TestVerdict verdict, OptionalInt exitCode) {
        int code = exitCode.orElse(-1);
        boolean set = commands.set(task).isPresent();
        return verdict == TestVerdict.CANNOT_RUN && set && (code == 126 || code == 127)
                ? TestVerdict.NO_PROGRAM
                : verdict;
    }

    /**
     * The programs of the commands that a person has set.
     *
     * @param directory the root of the project
     * @return to look for before anything is run; a hint, as only running tells
     */
    public Set<String> programs(Path directory) {
        // What setting up makes, such as .venv/bin/pytest, is not there before.
        return programs(!hasSetup(directory));
    }

    private Set<String> programs(boolean prepared) {
        return Stream.of(ProjectTask.SETUP, ProjectTask.TEST)
                .flatMap(task -> commands.set(task).stream()
                        .flatMap(line -> ProjectPrograms.of(line, task == ProjectTask.SETUP || prepared).stream()))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Looks for the programs of the commands that a person has set once a fresh checkout is prepared, and runs the tests only
     * where one is not there then.
     *
     * @return what {@link #runFresh} would find, where it cannot be run
     */
    public Optional<TestReport> cannotRun(Executor executor, Path directory) {
        return setup(executor, directory)
                .filter(report -> !report.passed())
                .or(() -> ProjectPrograms.missing(executor, programs(true)).map(program -> run(executor, directory)))
                .filter(report -> report.verdict() == TestVerdict.NO_PROGRAM);
    }

    /**
     * What would be run.
     *
     * @param isFile tells whether the root of the project has a file of that name
     * @return a line for the shell; empty when no command is set and no build file is known
     */
    public Optional<String> command(Predicate<String> isFile) {
        return commands.set(ProjectTask.TEST).or(() -> BuildFiles.test(isFile).map(BuildFiles.Suggestion::line));
    }
}
