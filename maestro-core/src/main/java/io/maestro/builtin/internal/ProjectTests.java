package io.maestro.builtin.internal;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Runs a project's tests through an executor: the command that the host has set, or the one its build file suggests. */
public final class ProjectTests {
    private static final int OUTPUT_LIMIT = 48 * 1024;

    /** The first of these files that lies in the root decides. */
    private static final Map<String, String> COMMANDS = commands();

    private final @Nullable String command;
    private final Duration timeLimit;

    /** A null command means: see what the project is. */
    public ProjectTests(@Nullable String command, Duration timeLimit) {
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

    /**
     * How the tests went.
     *
     * @param passed whether the command ended with exit code 0, or there is none to run
     * @param headline one line
     * @param summary the headline and the output, for a model
     * @param exitCode empty when there was no command, or it was killed
     */
    public record Report(boolean passed, String headline, String summary, OptionalInt exitCode) {}

    /** Runs the tests of the project in a workspace, from its root. */
    public Report run(Executor executor, Path directory) {
        Optional<String> line =
                command(file -> Files.isRegularFile(directory.resolve(file), LinkOption.NOFOLLOW_LINKS));
        if (line.isEmpty()) {
            String text = "no tests were run: no test command is set, and the project has none of " + COMMANDS.keySet();
            return new Report(true, text, text, OptionalInt.empty());
        }
        ExecResult result = executor.run(ExecRequest.shell(line.get())
                .timeLimit(timeLimit)
                .outputLimit(OUTPUT_LIMIT)
                .build());
        String ending = switch (result.ending()) {
            case EXITED ->
                result.succeeded()
                        ? "passed"
                        : "failed with exit code " + result.exitCode().orElse(-1);
            case TIMED_OUT -> "were killed after " + timeLimit.toSeconds() + " s";
            case CANCELLED -> "were cancelled";
        };
        String headline = "tests " + ending + ": " + line.get();
        String summary =
                headline + "\n--- stdout ---\n" + result.stdout().text().stripTrailing() + "\n--- stderr ---\n"
                        + result.stderr().text().stripTrailing();
        return new Report(result.succeeded(), headline, summary, result.exitCode());
    }

    /**
     * What would be run.
     *
     * @param isFile tells whether the root of the project has a file of that name
     * @return a line for the shell; empty when no command is set and no build file is known
     */
    public Optional<String> command(Predicate<String> isFile) {
        return Optional.ofNullable(command)
                .or(() -> COMMANDS.entrySet().stream()
                        .filter(entry -> isFile.test(entry.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst());
    }
}
