package io.maestro.tools.typed;

import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolResult;

/**
 * What a tool of {@link TypedTools#ofRecord} does.
 *
 * @param <T> the arguments
 */
@FunctionalInterface
public interface TypedTool<T extends Record> {
    /**
     * Runs the tool, as {@link io.maestro.tools.Tool#execute} does. Called by several threads when the tool serves several agents.
     *
     * @param context the agent, and what the tool may use
     * @param arguments valid against the schema
     * @return what the model gets to read; never null
     * @throws Exception anything: it becomes an error that the model reads, with the exception's message
     */
    ToolResult execute(ToolContext context, T arguments) throws Exception;
}
