package io.maestro.tools;

/**
 * Something that a model can ask for by name: made by a {@link ToolFactory} for one agent, at its first call, and used for
 * all later calls of that agent in that state.
 *
 * <p>Only Maestro's tool runtime calls {@link #execute}: by then the name is allowed, the arguments are valid against the
 * schema, and a time limit is running. At the limit, or when the story is cancelled, the thread is interrupted; a tool that
 * waits lets {@link InterruptedException} out.
 *
 * <p>When a model calls several {@linkplain ToolDefinition#readOnly() read-only} tools at once, they run at the same time, also
 * the same tool with several arguments. A tool that is not read-only has one call at a time.
 *
 * <p>A tool may call others of its agent by {@link ToolCall#tools()}.
 */
@FunctionalInterface
public interface Tool {
    /**
     * Runs the tool.
     *
     * @param call the arguments, valid against the tool's schema
     * @return what the model gets to read; never null
     * @throws Exception anything: it becomes an error that the model reads, with the exception's message. Prefer
     *     {@link ToolResult#error(String)} with a text that says what to do
     */
    ToolResult execute(ToolCall call) throws Exception;

    /**
     * Lets go of what the tool holds, such as connections. Called once, when the agent that the tool was made for has ended, or
     * its attempt at the story; no call begins after it, but one that did not stop when it was interrupted may still run. It has
     * 10 seconds; what it throws is logged. A factory that gives the same instance to several agents gets a call for each of
     * them: such a tool does nothing here, or counts.
     *
     * @throws Exception anything: it is logged
     */
    default void close() throws Exception {}
}
