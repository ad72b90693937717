package io.maestro.claude;

/** How the Claude Code CLI reaches the MCP server. */
public enum McpWay {
    /** Over the CLI's own standard input and output: no network is needed. */
    CONTROL_CHANNEL,
    /** Over HTTP to an address of the host. */
    HTTP,
    /** By a script in the container that carries the lines between its standard input and output and a TCP port of the host. */
    PROXY
}
