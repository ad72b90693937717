package io.maestro.claude.internal.install;

import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs small shell scripts where the CLI is to run. */
final class Sandbox {
    private static final int OUTPUT_LIMIT = 1 << 18;
    private static final int TAIL = 800;

    private final Executor executor;
    private final Optional<String> user;

    Sandbox(Executor executor, Optional<String> user) {
        this.executor = executor;
        this.user = user;
    }

    Optional<String> user() {
        return user;
    }

    /** A script, whose arguments are {@code $1} and so on. */
    ExecRequest request(String script, Duration limit, String... arguments) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "maestro-find"));
        command.addAll(List.of(arguments));
        ExecRequest.Builder request = ExecRequest.command(command)
                .timeLimit(limit)
                .outputLimit(OUTPUT_LIMIT)
                .environment("LC_ALL", "C");
        user.ifPresent(request::user);
        return request.build();
    }

    /** Runs it to its end, whatever that is; an interruption ends the search. */
    ExecResult run(String script, Duration limit, String... arguments) {
        ExecResult result = executor.run(request(script, limit, arguments));
        if (result.ending() == ExecResult.Ending.CANCELLED) {
            throw interrupted();
        }
        return result;
    }

    /** Runs it, and fails the step when it does. */
    String require(String what, String script, Duration limit, String... arguments) {
        ExecResult result = run(script, limit, arguments);
        if (!result.succeeded()) {
            throw new StepFailure(what + " " + ending(result, limit));
        }
        return result.stdout().text();
    }

    static MaestroException interrupted() {
        Thread.currentThread().interrupt();
        return new MaestroException("the search for Claude Code was interrupted");
    }

    /** How a command ended that has not succeeded, with the end of what it printed. */
    static String ending(ExecResult result, Duration limit) {
        String how = result.ending() == ExecResult.Ending.TIMED_OUT
                ? "did not end within " + seconds(limit)
                : "ended with exit code " + result.exitCode().orElse(-1);
        String said = tail(result.stdout().text() + "\n" + result.stderr().text());
        return said.isEmpty() ? how + " and printed nothing" : how + ": " + said;
    }

    static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    static String tail(String text) {
        String stripped = text.strip();
        if (stripped.length() <= TAIL) {
            return stripped;
        }
        return "[...] " + stripped.substring(stripped.length() - TAIL).strip();
    }
}
