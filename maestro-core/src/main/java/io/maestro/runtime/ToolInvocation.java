package io.maestro.runtime;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a tool as it came in, before anything about it has been checked.
 *
 * @param callId identifies the call; the model's own id where there is one
 * @param tool the tool's name as the caller wrote it
 * @param input the arguments as the caller wrote them: JSON text
 * @param caller who asked
 * @param parentCallId the id of the call whose tool asked; null when the agent did
 * @param callers the tools that have made this call, that of the agent's call first; empty when the agent made it
 */
public record ToolInvocation(
        String callId,
        String tool,
        String input,
        Caller caller,
        @Nullable String parentCallId,
        List<String> callers) {
    /**
     * Copies the list.
     *
     * @param callId see the record
     * @param tool see the record
     * @param input see the record
     * @param caller see the record
     * @param parentCallId see the record
     * @param callers see the record
     */
    public ToolInvocation {
        callers = List.copyOf(callers);
    }

    /**
     * A call by an agent.
     *
     * @param callId identifies the call
     * @param tool the tool's name
     * @param input the arguments
     * @param caller who asked
     */
    public ToolInvocation(String callId, String tool, String input, Caller caller) {
        this(callId, tool, input, caller, null, List.of());
    }

    /**
     * The same call with other arguments.
     *
     * @param other JSON text
     * @return the call
     */
    ToolInvocation withInput(String other) {
        return new ToolInvocation(callId, tool, other, caller, parentCallId, callers);
    }

    /**
     * Who asked for a tool.
     *
     * @param sessionId the session of the Maestro
     * @param agentId for example {@code coder-001}
     * @param storyId the story that it works on
     * @param attempt which attempt at it; from 1
     * @param state the agent's state, for example {@code CODING}
     */
    public record Caller(String sessionId, String agentId, String storyId, int attempt, String state) {}
}
