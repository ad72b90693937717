package io.maestro.mcpclient;

/**
 * The host's say in what an MCP server tells models about its tools. Descriptions are read by models as if the host had written
 * them, so that a server that changes one later can give orders to an agent.
 */
@FunctionalInterface
public interface McpConsent {
    /** Agrees to what is seen for the first time, and to no change of it. */
    McpConsent FIRST_USE = change -> change.kind() == McpChange.Kind.FIRST_USE;

    /** Agrees to everything: for a server that the host itself controls. */
    McpConsent ALWAYS = change -> true;

    /** Agrees to nothing: only what is pinned already is offered. */
    McpConsent NEVER = change -> false;

    /**
     * Decides on a change; called on the thread that builds. What is agreed to is pinned.
     *
     * @param change what is new
     * @return whether the tool is offered; one that throws has refused
     */
    boolean accepts(McpChange change);
}
