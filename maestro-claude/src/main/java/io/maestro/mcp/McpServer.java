package io.maestro.mcp;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * An MCP server with tools. It can be reached in several ways at once: over HTTP, over TCP, over a pair of streams, or by
 * messages that the caller carries. Safe for use by several threads.
 */
public final class McpServer implements AutoCloseable {
    private McpServer(Builder builder) {}

    /**
     * Begins a server.
     *
     * @param tools what it offers
     * @return a builder
     */
    public static Builder builder(McpTools tools) {
        return new Builder(tools);
    }

    /**
     * Listens for Streamable HTTP, on a port of the system's choice; the path is {@code /mcp}.
     *
     * @param address an address of this machine; not the wildcard
     * @return where, and with which token
     * @throws io.maestro.error.MaestroException when it cannot listen there
     */
    public McpEndpoint http(InetAddress address) {
        throw new UnsupportedOperationException();
    }

    /**
     * Listens for newline-delimited JSON-RPC over TCP, on a port of the system's choice. The first line of a connection is the
     * token.
     *
     * @param address an address of this machine; not the wildcard
     * @return where, and with which token
     * @throws io.maestro.error.MaestroException when it cannot listen there
     */
    public McpEndpoint tcp(InetAddress address) {
        throw new UnsupportedOperationException();
    }

    /**
     * Serves one client over a pair of streams, with newline-delimited JSON-RPC; returns when the input has ended.
     *
     * @param in what the client writes
     * @param out what the client reads
     */
    public void stdio(InputStream in, OutputStream out) {
        throw new UnsupportedOperationException();
    }

    /**
     * Serves one client whose messages the caller carries.
     *
     * @param toClient gets each message for the client, one JSON object each, from several threads but one at a time
     * @return the connection; close it
     */
    public McpConnection connect(Consumer<String> toClient) {
        throw new UnsupportedOperationException();
    }

    /** Cancels what runs, closes the connections and stops to listen. A second call does nothing. */
    @Override
    public void close() {}

    /** Collects the settings of a server. Not safe for use by several threads. */
    public static final class Builder {
        private Builder(McpTools tools) {
            Objects.requireNonNull(tools, "tools");
        }

        /**
         * Makes the server. It listens nowhere yet.
         *
         * @return close it
         */
        public McpServer build() {
            return new McpServer(this);
        }
    }
}
