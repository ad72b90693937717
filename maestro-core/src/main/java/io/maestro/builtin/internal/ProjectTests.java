package io.maestro.builtin.internal;

import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.internal.TerminalText;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs a project's tests through an executor: the command that the host has set, or the one its build file suggests. */
public final class ProjectTests {
    private static final int OUTPUT_LIMIT = 48 * 1024;

    /** The exit code of pytest when it has found no test. */
    private static final int NOTHING_COLLECTED = 5;

    /** What make, npm, yarn, pnpm, Python, Gradle and Ant print when the target, script or module is not there. */
    private static final Pattern NOTHING_TO_RUN =
            Pattern.compile("(?m)^(?:make: \\*\\*\\* No rule to make target [`']test'"
                    + "|npm (?:ERR!|error) Missing script: \"test\"|Error: no test specified"
                    + "|error Command \"test\" not found|.*: No module named pytest$"
                    + "|Task '\\w+' not found in root project|Target \"\\w+\" does not exist in the project)");

    /** The first of these files that lies in the root decides. */
    private static final Map<String, String> COMMANDS = commands();

    /** As above. What these install stays in the checkout; what those of other languages install may not, so it is not guessed. */
    private static final Map<String, String> SETUPS = setups();

    private final @Nullable String setup;
    private final @Nullable String command;
    private final Duration timeLimit;

    /**
     * A null command means: see what the project is.
     *
     * @param setup prepares a fresh checkout
     * @param command runs the tests
     * @param timeLimit of each
     */
    public ProjectTests(@Nullable String setup, @Nullable String command, Duration timeLimit) {
        this.setup = setup;
        this.command = command;
        this.timeLimit = timeLimit;
    }

    private static Map<String, String> commands() {
        Map<String, String> commands = new LinkedHashMap<>();
        // By sh, since a checkout may have lost the right to execute it.
        commands.put("mvnw", "sh ./mvnw -B -ntp verify");
        commands.put("pom.xml", "mvn -B -ntp verify");
        commands.put("gradlew", "sh ./gradlew --no-daemon check");
        commands.put("build.gradle", "gradle --no-daemon check");
        commands.put("build.gradle.kts", "gradle --no-daemon check");
        // A checkout has no node_modules; where a coder works, they are there.
        commands.put("package.json", "[ -d node_modules ] || npm install --no-audit --no-fund && npm test");
        commands.put("Cargo.toml", "cargo test");
        commands.put("go.mod", "go test ./...");
        commands.put("pyproject.toml", "python3 -m pytest");
        commands.put("Makefile", "make test");
        return commands;
    }

    private static Map<String, String> setups() {
        Map<String, String> setups = new LinkedHashMap<>();
        setups.put("pnpm-lock.yaml", "pnpm install --frozen-lockfile");
        setups.put("yarn.lock", "yarn install --frozen-lockfile");
        setups.put("package-lock.json", "npm ci --no-audit --no-fund");
        return setups;
    }

    /** How tests went. */
    public enum Verdict {
        /** The command has ended with exit code 0. */
        PASSED,
        /** There is no command to run. */
        NONE,
        /** The command tests nothing here: a program, target or script is not there, or no test was found. */
        CANNOT_RUN,
        /** Something else: tests have failed, the project does not build, or the command was killed. */
        FAILED
    }

    /**
     * How the tests went.
     *
     * @param verdict in a word
     * @param headline one line
     * @param summary the headline, what has failed as far as the output tells it, and the output, for a model
     * @param exitCode empty when there was no command, or it was killed
     * @param failures the names of the tests that failed; empty when none did, or none is known
     */
    public record Report(Verdict verdict, String headline, String summary, OptionalInt exitCode, Set<String> failures) {
        public Report {
            failures = Set.copyOf(failures);
        }

        /** Without an output, and so without names. */
        public static Report of(Verdict verdict, String text) {
            return new Report(verdict, text, text, OptionalInt.empty(), Set.of());
        }

        public boolean passed() {
            return verdict == Verdict.PASSED || verdict == Verdict.NONE;
        }
    }

    /** Whether a checkout needs to be prepared. */
    public boolean hasSetup(Path directory) {
        return setup != null || first(SETUPS, in(directory)).isPresent();
    }

    /** Prepares a fresh checkout, from its root; empty when there is nothing to run for that. */
    public Optional<Report> setup(Executor executor, Path directory) {
        return Optional.ofNullable(setup).or(() -> first(SETUPS, in(directory))).map(line -> {
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
            String summary = headline + printed(printable(result.stdout()), printable(result.stderr()));
            Verdict verdict = result.succeeded() ? Verdict.PASSED : Verdict.CANNOT_RUN;
            return new Report(verdict, headline, summary, result.exitCode(), Set.of());
        });
    }

    /** Prepares a fresh checkout, and runs the tests in it. */
    public Report runFresh(Executor executor, Path directory) {
        return setup(executor, directory).filter(report -> !report.passed()).orElseGet(() -> run(executor, directory));
    }

    private static Predicate<String> in(Path directory) {
        return file -> Files.isRegularFile(directory.resolve(file), LinkOption.NOFOLLOW_LINKS);
    }

    private static ExecRequest request(String line, Duration limit) {
        return ExecRequest.shell(line)
                .timeLimit(limit)
                .outputLimit(OUTPUT_LIMIT)
                .build();
    }

    /** Colours would hide which tests have failed. */
    private static String printable(ExecOutput output) {
        return TerminalText.plain(output.text()).stripTrailing();
    }

    private static String printed(String stdout, String stderr) {
        return "\n--- stdout ---\n" + stdout + "\n--- stderr ---\n" + stderr;
    }

    /** Runs the tests of the project in a workspace that is prepared, from its root. */
    public Report run(Executor executor, Path directory) {
        return run(executor, directory, UnaryOperator.identity());
    }

    /**
     * The same for a caller that may have less time.
     *
     * @param bounded gives of the tests' own time limit what the caller has
     */
    Report run(Executor executor, Path directory, UnaryOperator<Duration> bounded) {
        Duration limit = bounded.apply(timeLimit);
        Optional<String> line = command(in(directory));
        if (line.isEmpty()) {
            return Report.of(
                    Verdict.NONE,
                    "no tests were run: no test command is set, and the project has none of " + COMMANDS.keySet());
        }
        ExecResult result = executor.run(request(line.get(), limit));
        String stdout = printable(result.stdout());
        String stderr = printable(result.stderr());
        Verdict verdict = verdict(line.get(), result, stdout, stderr);
        String ending = switch (result.ending()) {
            case EXITED ->
                switch (verdict) {
                    case PASSED -> "passed";
                    case CANNOT_RUN ->
                        "cannot be run (exit code " + result.exitCode().orElse(-1) + ")";
                    default -> "failed with exit code " + result.exitCode().orElse(-1);
                };
            case TIMED_OUT -> "were killed after " + limit.toSeconds() + " s";
            case CANCELLED -> "were cancelled";
        };
        String headline = "tests " + ending + ": " + line.get();
        FailureLines failures = verdict == Verdict.FAILED ? FailureLines.in(stdout, stderr) : FailureLines.in();
        String found = failures.summary();
        String summary = headline + (found.isEmpty() ? "" : "\n" + found) + printed(stdout, stderr);
        return new Report(verdict, headline, summary, result.exitCode(), failures.tests());
    }

    private static Verdict verdict(String line, ExecResult result, String stdout, String stderr) {
        if (result.succeeded()) {
            return Verdict.PASSED;
        }
        int code = result.exitCode().orElse(-1);
        boolean nothing = code == 126
                || code == 127
                || code == NOTHING_COLLECTED && line.contains("pytest")
                || code > 0
                        && (NOTHING_TO_RUN.matcher(stderr).find()
                                || NOTHING_TO_RUN.matcher(stdout).find());
        return nothing ? Verdict.CANNOT_RUN : Verdict.FAILED;
    }

    /**
     * What would be run.
     *
     * @param isFile tells whether the root of the project has a file of that name
     * @return a line for the shell; empty when no command is set and no build file is known
     */
    public Optional<String> command(Predicate<String> isFile) {
        return Optional.ofNullable(command).or(() -> first(COMMANDS, isFile));
    }

    private static Optional<String> first(Map<String, String> commands, Predicate<String> isFile) {
        return commands.entrySet().stream()
                .filter(entry -> isFile.test(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
