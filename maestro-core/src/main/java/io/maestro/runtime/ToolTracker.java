package io.maestro.runtime;

import io.maestro.tools.ToolResult;

/**
 * Keeps what follows from calls of tools, such as that the agent has changed its container. A tool does not write that
 * itself: what counts is the answer that was accepted and recorded.
 */
@FunctionalInterface
public interface ToolTracker {
    /**
     * Takes note of a call. Called for each one, after it was recorded and before its answer is given, on the thread that
     * asked.
     *
     * @param invocation what was asked for
     * @param answer the answer, free of secrets
     * @throws io.maestro.record.StoreException when it cannot be kept; the caller gets it instead of the answer
     */
    void onAnswer(ToolInvocation invocation, ToolResult answer);
}
