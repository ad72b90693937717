package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.error.MaestroException;
import io.maestro.internal.Threads;
import io.maestro.mcp.McpConnection;
import io.maestro.mcp.McpEndpoint;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The transports of one server. Safe for use by several threads. */
public final class Serving implements AutoCloseable {
    private final Settings settings;
    private final Calls calls;
    private final Protocol protocol;
    private final ThreadFactory readers = Threads.platformFactory("maestro-mcp-stdio");
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Runnable> toClose = new ArrayList<>();
    private boolean closed;

    /**
     * Listens nowhere yet.
     *
     * @param settings what it was built with
     */
    public Serving(Settings settings) {
        this.settings = settings;
        this.calls = new Calls(settings.maxCalls());
        this.protocol = new Protocol(settings, calls);
    }

    /**
     * Listens for HTTP.
     *
     * @param address not the wildcard
     * @return where
     */
    public McpEndpoint http(InetAddress address) {
        Token token = Token.random();
        HttpHost host = new HttpHost(settings, protocol, token, address);
        Listener listener = Listener.open(address, calls, settings.maxConnections(), host);
        closeLater(() -> {
            // The sockets first: who is to be told of a cancelled call may not be reading.
            listener.close();
            host.close();
        });
        return new McpEndpoint(listener.address(), token.value());
    }

    /**
     * Listens for lines.
     *
     * @param address not the wildcard
     * @return where
     */
    public McpEndpoint tcp(InetAddress address) {
        Token token = Token.random();
        Listener listener =
                Listener.open(address, calls, settings.maxConnections(), new TcpHost(settings, protocol, token));
        closeLater(listener::close);
        return new McpEndpoint(listener.address(), token.value());
    }

    /**
     * Serves a pair of streams until the input ends, the server is closed or the calling thread is interrupted.
     *
     * @param in what the client writes
     * @param out what the client reads
     */
    public void stdio(InputStream in, OutputStream out) {
        Inlet inlet = new Inlet(in);
        LineConnection connection = new LineConnection(protocol, inlet, out, in, settings.maxMessageBytes());
        StdioReader reader = new StdioReader(connection, in, readers);
        Runnable end = reader::end;
        closeLater(end);
        try {
            reader.run();
        } finally {
            forget(end);
        }
    }

    /**
     * Serves a client whose messages the caller carries.
     *
     * @param toClient gets each answer
     * @return the connection
     */
    public McpConnection connect(Consumer<String> toClient) {
        Carried carried = new Carried(toClient);
        closeLater(carried.end);
        return carried;
    }

    private void closeLater(Runnable end) {
        lock.lock();
        try {
            if (!closed) {
                toClose.add(end);
                return;
            }
        } finally {
            lock.unlock();
        }
        end.run();
        throw new MaestroException("The MCP server is closed; make a new one.");
    }

    private void forget(Runnable end) {
        lock.lock();
        try {
            toClose.remove(end);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<Runnable> all;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(toClose);
            toClose.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(Runnable::run);
        calls.close();
    }

    /** A client whose messages someone else carries; only answers can be carried to it. */
    private final class Carried implements McpConnection {
        private final Session session = new Session(Versions.LATEST_HANDSHAKE);
        private final Consumer<String> toClient;
        private final ReentrantLock sending = new ReentrantLock();
        private final Runnable end = this::end;

        Carried(Consumer<String> toClient) {
            this.toClient = toClient;
        }

        @Override
        public void receive(String message) {
            LineReplies replies = new LineReplies(this::send, false);
            if (message.length() > settings.maxMessageBytes()) {
                replies.respond(Rpc.error(
                        null,
                        Rpc.INVALID_REQUEST,
                        "A message may have up to " + settings.maxMessageBytes() + " characters; this one is longer."));
            } else {
                protocol.receive(message, session, replies);
            }
        }

        private void send(JsonNode message) {
            sending.lock();
            try {
                toClient.accept(message.toString());
            } finally {
                sending.unlock();
            }
        }

        private void end() {
            session.close();
        }

        @Override
        public void close() {
            forget(end);
            end();
        }
    }
}
