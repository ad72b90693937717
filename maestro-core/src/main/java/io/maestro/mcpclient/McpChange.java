package io.maestro.mcpclient;

/**
 * Something about a tool of an MCP server that the host has not agreed to yet. The texts come from the server and are not trusted.
 *
 * @param server the name of the source
 * @param tool the tool's name, as the server says it
 * @param kind what is new
 * @param description what models would read about the tool now
 * @param text what was changed, for a person; one line
 */
public record McpChange(String server, String tool, Kind kind, String description, String text) {
    /** What is new. */
    public enum Kind {
        /** The server, or a tool that the host names in its allow-list, was never seen before. */
        FIRST_USE,
        /** A server that was seen before has one tool more. */
        ADDED,
        /** A tool's description or input schema is another one than before. */
        CHANGED
    }
}
