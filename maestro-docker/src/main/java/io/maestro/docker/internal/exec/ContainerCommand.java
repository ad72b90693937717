package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request with everything filled in.
 *
 * @param request what was asked for
 * @param user as whom; null for the container's own user
 * @param directory an absolute path
 * @param variables all that are set
 */
public record ContainerCommand(
        ExecRequest request, @Nullable String user, String directory, Map<String, String> variables) {
    /** Below this, input goes through the channel. */
    private static final int SMALL_INPUT = 1 << 14;

    /** About 70 years: what the JDK's arithmetic on deadlines survives. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    /**
     * Refuses what no shell could start.
     *
     * @throws ExecException when it is so
     */
    public void check() {
        CommandScript.check(request.command(), directory, variables);
    }

    String program() {
        return request.command().get(0);
    }

    boolean hasLargeInput() {
        return request.stdin().length > SMALL_INPUT;
    }

    /** The script for a channel, with the input. */
    byte[] script(String mark, String nonce) {
        byte[] stdin = request.stdin();
        return script(mark, nonce, stdin.length == 0 ? "</dev/null" : CommandScript.printing(stdin));
    }

    /** The script for a shell whose input goes on to the command. */
    byte[] scriptWithInput(String mark, String nonce) {
        return script(mark, nonce, "");
    }

    private byte[] script(String mark, String nonce, String input) {
        return CommandScript.of(request.command(), directory, variables, mark, nonce, input)
                .getBytes(StandardCharsets.UTF_8);
    }

    long limitNanos() {
        return request.timeLimit().toSeconds() < LONGEST_NANOS / 1_000_000_000L
                ? request.timeLimit().toNanos()
                : LONGEST_NANOS;
    }
}
