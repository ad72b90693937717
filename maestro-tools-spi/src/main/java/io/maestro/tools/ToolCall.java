package io.maestro.tools;

import java.time.Duration;

/**
 * One call of a tool.
 *
 * @param id identifies the call; the model's own id where there is one. That of a call by another tool is the id of the call that
 *     it belongs to, {@code /} and a number
 * @param tool the tool's name
 * @param arguments the arguments, valid against the tool's schema
 * @param timeLimit how long the tool may take, from now
 * @param tools calls other tools, as long as this call lasts
 * @param progress tells how far it is
 */
public record ToolCall(
        String id, String tool, ToolArguments arguments, Duration timeLimit, ToolCaller tools, ToolProgress progress) {
    /** Kept for the end of a command, so that the output so far arrives: this, or a tenth of a shorter limit. */
    private static final Duration FOR_THE_END = Duration.ofSeconds(30);

    private static final ToolCaller NOBODY = (tool, arguments) -> {
        throw new ToolException("no other tool can be called here, '" + tool + "' neither");
    };

    /**
     * A call without other tools that nobody watches, as for a test.
     *
     * @param id identifies the call
     * @param tool the tool's name
     * @param arguments the arguments
     * @param timeLimit how long the tool may take
     */
    public ToolCall(String id, String tool, ToolArguments arguments, Duration timeLimit) {
        this(id, tool, arguments, timeLimit, NOBODY, ToolProgress.NOBODY);
    }

    /**
     * How long a command may take that the tool runs. It ends before the call's own limit, so that the tool can still tell what
     * the command has printed. The limit of a call is the host's to set, so a tool sets no other bound.
     *
     * @param asked how long the model or the tool wants it to take
     * @return that, or as much of it as the {@link #timeLimit()} leaves: all but 30 seconds, or a tenth where that is less
     */
    public Duration commandLimit(Duration asked) {
        Duration tenth = timeLimit.dividedBy(10);
        Duration most = timeLimit.minus(tenth.compareTo(FOR_THE_END) < 0 ? tenth : FOR_THE_END);
        return asked.compareTo(most) <= 0 ? asked : most;
    }
}
