package io.maestro.claude.internal.run;

import io.maestro.mcp.McpConnection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** How the CLI gets at the MCP server; as text it follows the word "server", and shows no token. */
public sealed interface McpLink {
    /** The server's name in the CLI: its tools are called {@code mcp__maestro__TOOL}. */
    String SERVER = "maestro";

    /** The environment variable with the token. */
    String TOKEN = "MAESTRO_MCP_TOKEN";

    /** There is no server. */
    record None() implements McpLink {}

    /**
     * Over the CLI's standard input and output.
     *
     * @param connect opens a connection, given where its messages for the CLI go
     */
    record Channel(Function<Consumer<String>, McpConnection> connect) implements McpLink {
        @Override
        public String toString() {
            return "over the control channel";
        }
    }

    /**
     * Over HTTP.
     *
     * @param url as the CLI reaches it
     * @param token what it shows there
     */
    record Http(String url, String token) implements McpLink {
        @Override
        public String toString() {
            return "at " + url;
        }
    }

    /**
     * By a program that the CLI starts.
     *
     * @param command the program and its arguments
     * @param environment what it needs beside these, the token for example
     */
    record Proxy(List<String> command, Map<String, String> environment) implements McpLink {
        @Override
        public String toString() {
            return "by " + String.join(" ", command);
        }
    }
}
