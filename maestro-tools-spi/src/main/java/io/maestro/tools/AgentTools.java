package io.maestro.tools;

import java.util.List;

/**
 * The tools that one agent is offered in one state: an allow-list over the registry. A tool is made at its first use and
 * kept. Safe for use by several threads.
 */
public interface AgentTools extends AutoCloseable {
    /**
     * The definitions of the allowed tools, ordered by name, so that prompts stay the same from run to run.
     *
     * @return an unmodifiable list
     */
    List<ToolDefinition> list();

    /**
     * The tool of that name; made now if this is its first use.
     *
     * @param name the tool's name
     * @return always the same instance for the same name
     * @throws ToolException when the name is unknown or not allowed here, its factory failed, or this is closed
     */
    Tool get(String name);

    /**
     * Describes the allowed tools in Markdown, for a prompt.
     *
     * @return a section that starts with a heading; it says so when there are no tools
     */
    String documentation();

    /** {@linkplain Tool#close Closes} the tools that were made, each once; throws nothing that they throw. */
    @Override
    default void close() {}
}
