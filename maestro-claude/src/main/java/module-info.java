/** The Claude Code CLI as a coder, and an MCP server over Maestro's tools. */
module io.maestro.claude {
    requires transitive io.maestro.core;
    requires com.fasterxml.jackson.databind;
    requires jdk.httpserver;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.maestro.claude;
    exports io.maestro.mcp;

    provides io.maestro.agent.spi.AgentFactory with
            io.maestro.claude.ClaudeCodeMode;
}
