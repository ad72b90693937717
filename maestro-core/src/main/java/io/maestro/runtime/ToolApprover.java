package io.maestro.runtime;

import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;

/**
 * Decides on calls for which a policy answers {@linkplain ToolDecision#ask ask}. Within a team that is who replies to requests of
 * the kind {@code TOOL_CALL}; a host sets one for an agent that works alone. Called by several threads.
 */
@FunctionalInterface
public interface ToolApprover {
    /** Nobody is there: all such calls are refused. */
    ToolApprover NOBODY = (invocation, tool, arguments, question) ->
            ToolDecision.deny("somebody would have to allow it, and there is nobody to ask");

    /**
     * Decides on a call. May block; the tool's time limit has not begun. When the thread is interrupted nobody waits any more.
     *
     * @param invocation who calls what
     * @param tool the tool
     * @param arguments the arguments with which it would run
     * @param question why it is asked
     * @return allow or deny; anything else, an exception too, refuses the call
     */
    ToolDecision decide(ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments, String question);

    /**
     * Whether a call that was not run has been asked about, so that it can still be decided on. For calls that were under way when
     * a process ended.
     *
     * @param invocation the call, as it came in
     * @return false unless its question is kept, and its answer was not used
     */
    default boolean isOpen(ToolInvocation invocation) {
        return false;
    }
}
