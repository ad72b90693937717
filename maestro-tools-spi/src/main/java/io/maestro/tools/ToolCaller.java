package io.maestro.tools;

import java.util.Map;

/**
 * The door from a tool to the other tools of its agent, for the time of one {@linkplain ToolCall#tools() call}. What goes
 * through it is a call like an agent's own: only tools that the agent is offered, with arguments that their schemas accept, if
 * the host's policy lets it pass, recorded and told with the id of the call that it belongs to, its answer free of secrets.
 * Safe for use by several threads.
 *
 * <p>Refused with an error as the answer:
 *
 * <ul>
 *   <li>tools that {@linkplain ToolDefinition#agentOnly() only an agent} may call, such as those that end its turn
 *   <li>tools that are not {@linkplain ToolDefinition#readOnly() read-only}, to a tool that is
 *   <li>a tool that the chain of calls has already, as in {@code a → b → a}
 *   <li>a chain of more than {@value #MOST_DEPTH} calls below that of the agent
 * </ul>
 */
@FunctionalInterface
public interface ToolCaller {
    /** How many calls may stand below each other, that of the agent not counted. */
    int MOST_DEPTH = 4;

    /** How many calls may come of one call of an agent, on all levels together. */
    int MOST_CALLS = 100;

    /**
     * Calls a tool and waits for its answer. It gets what is left of this call's time, but for a tenth, at most 30 seconds, in
     * which the caller can still tell what has come of it; or its own limit, where that is shorter. Calls of tools that are not
     * read-only come one after the other, also when several threads ask.
     *
     * @param tool the tool's name
     * @param arguments JSON types: String, Number, Boolean, or a List or Map of these
     * @return the tool's answer as an agent would get it; a call that fails or is refused has {@link ToolResult#isError()}
     * @throws InterruptedException when this call is cancelled or has reached its time limit; the other tool is interrupted, too
     * @throws ToolException when this call has ended already, when {@value #MOST_CALLS} calls were made, or where there are no
     *     other tools
     * @throws IllegalArgumentException when the arguments are no JSON
     */
    ToolResult call(String tool, Map<String, ?> arguments) throws InterruptedException;
}
