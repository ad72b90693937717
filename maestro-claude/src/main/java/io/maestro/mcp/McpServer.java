package io.maestro.mcp;

import io.maestro.config.internal.Setting;
import io.maestro.mcp.internal.Serving;
import io.maestro.mcp.internal.Settings;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * An MCP server with tools. It can be reached in several ways at once: over HTTP, over TCP, over a pair of streams, or by
 * messages that the caller carries. Safe for use by several threads.
 *
 * <p>It speaks the versions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 of the protocol, and the stateless 2026-07-28.
 * Several calls of a client run at the same time. A call is cancelled, which interrupts its thread and no other, when its client
 * says so, goes away, or begins anew. Messages are UTF-8, and their length is bounded.
 */
public final class McpServer implements AutoCloseable {
    private final Serving serving;

    private McpServer(Settings settings) {
        this.serving = new Serving(settings);
    }

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
     * Listens for Streamable HTTP, on a port of the system's choice; the path is {@code /mcp}. A call that ends within a second
     * is answered as JSON. After that second the answer becomes a stream of server-sent events, on which a client hears at the
     * {@linkplain Builder#progressInterval interval for progress} that its call still runs; unless it accepts JSON only.
     *
     * <p>Each request must show the token, and must call this machine by a name of its own: the address, {@code localhost} where
     * that is what it is, otherwise {@code host.docker.internal} and {@code host.containers.internal}, or a
     * {@linkplain Builder#host further one}.
     *
     * @param address an address of this machine; not the wildcard
     * @return where, and with which token
     * @throws io.maestro.error.MaestroException when it cannot listen there
     */
    public McpEndpoint http(InetAddress address) {
        return serving.http(Objects.requireNonNull(address, "address"));
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
        return serving.tcp(Objects.requireNonNull(address, "address"));
    }

    /**
     * Serves one client over a pair of streams, with newline-delimited JSON-RPC. Returns when the input has ended, when the
     * server is closed, or when the calling thread is interrupted, whose status is set again; in the last two cases the input is
     * closed. Calls that still run are cancelled then.
     *
     * @param in what the client writes
     * @param out what the client reads; flushed after each message, and left open
     */
    public void stdio(InputStream in, OutputStream out) {
        serving.stdio(Objects.requireNonNull(in, "in"), Objects.requireNonNull(out, "out"));
    }

    /**
     * Serves one client whose messages the caller carries. The client gets answers only, no notifications: to each message with
     * an {@code id} and a {@code method} one answer with this id, unless the client has cancelled it; to a message that cannot be
     * understood one with the id null; to a notification none.
     *
     * @param toClient gets each message for the client, one JSON object each (in version 2025-03-26 also an array of them), from
     *     several threads but one at a time, and also from within {@link McpConnection#receive}
     * @return the connection; close it
     */
    public McpConnection connect(Consumer<String> toClient) {
        return serving.connect(Objects.requireNonNull(toClient, "toClient"));
    }

    /**
     * Cancels what runs, closes the connections and stops to listen. Waits a few seconds for tools that do not end at once, but
     * not when it is called by one of them. A second call does nothing.
     */
    @Override
    public void close() {
        serving.close();
    }

    /** Collects the settings of a server. Not safe for use by several threads. */
    public static final class Builder {
        /** How many bytes a message of a client may have unless the builder says otherwise. */
        public static final int DEFAULT_MAX_MESSAGE_BYTES = 1024 * 1024;

        private Settings settings;

        private Builder(McpTools tools) {
            this.settings = new Settings(Objects.requireNonNull(tools, "tools"));
        }

        private <T> Builder with(Setting<T> setting, T value) {
            settings = settings.with(setting, Objects.requireNonNull(value));
            return this;
        }

        /**
         * Sets what the server calls itself.
         *
         * @param text told to clients; not blank; by default {@code maestro}
         * @return this
         */
        public Builder name(String text) {
            return with(Settings.NAME, text);
        }

        /**
         * Sets which version of itself it names.
         *
         * @param text told to clients; not blank; by default {@code 1}
         * @return this
         */
        public Builder version(String text) {
            return with(Settings.VERSION, text);
        }

        /**
         * Sets what clients tell their model about the server.
         *
         * @param text empty for nothing, which is the default
         * @return this
         */
        public Builder instructions(String text) {
            return with(Settings.INSTRUCTIONS, text);
        }

        /**
         * Sets how long a message of a client may be: a line, or the body of an HTTP request. A longer one is refused, and never
         * held in memory as a whole; nor is one with more than 50,000 names, values and brackets.
         *
         * @param bytes 1024 to 16 MiB; by default {@link #DEFAULT_MAX_MESSAGE_BYTES}
         * @return this
         */
        public Builder maxMessageBytes(int bytes) {
            return with(Settings.MAX_MESSAGE_BYTES, bytes);
        }

        /**
         * Sets how often a client hears that its call still runs: by {@code notifications/progress} where it has asked for them,
         * otherwise, over HTTP, by an empty event. Claude Code gives a call over HTTP up after five minutes of silence.
         *
         * @param interval more than zero; by default 20 seconds
         * @return this
         */
        public Builder progressInterval(Duration interval) {
            return with(Settings.PROGRESS_INTERVAL, interval);
        }

        /**
         * Sets how long a client may take to show its token, and an HTTP client to send one request.
         *
         * @param limit more than zero; by default 10 seconds
         * @return this
         */
        public Builder loginLimit(Duration limit) {
            return with(Settings.LOGIN_LIMIT, limit);
        }

        /**
         * Sets how long an HTTP connection may wait for its next request. A connection over TCP may wait for ever, once it has
         * shown the token.
         *
         * @param limit more than zero; by default five minutes
         * @return this
         */
        public Builder idleLimit(Duration limit) {
            return with(Settings.IDLE_LIMIT, limit);
        }

        /**
         * Sets how many connections each endpoint keeps. When there are more, the oldest one that has not shown the token is
         * ended; if there is none, the new one is.
         *
         * @param connections 1 or more; by default 64
         * @return this
         */
        public Builder maxConnections(int connections) {
            return with(Settings.MAX_CONNECTIONS, connections);
        }

        /**
         * Sets how many calls of tools run at the same time; a further one is answered with an error, and not run.
         *
         * @param calls 1 or more; by default 64
         * @return this
         */
        public Builder maxCalls(int calls) {
            return with(Settings.MAX_CALLS, calls);
        }

        /**
         * Adds a name by which HTTP clients may call this machine.
         *
         * @param host without a port
         * @return this
         */
        public Builder host(String host) {
            Set<String> all = new TreeSet<>(settings.get(Settings.HOSTS));
            all.add(host);
            return with(Settings.HOSTS, Set.copyOf(all));
        }

        /**
         * Makes the server. It listens nowhere yet.
         *
         * @return close it
         */
        public McpServer build() {
            return new McpServer(settings);
        }
    }
}
