package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.error.MaestroException;
import io.maestro.internal.Threads;
import io.maestro.mcp.McpConnection;
import io.maestro.mcp.McpEndpoint;
import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.Listener;
import io.maestro.wire.internal.SocketConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The transports of one server. Safe for use by several threads. */
public final class Serving implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);
    private static final int BACKLOG = 50;

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
        this.calls = new Calls(settings.get(Settings.MAX_CALLS));
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
        ServerSocket server = bound(address);
        Listener<SocketConnection> listener = listen(server, host);
        closeLater(() -> {
            // The sockets first: who is to be told of a cancelled call may not be reading.
            listener.close();
            host.close();
        });
        return new McpEndpoint((InetSocketAddress) server.getLocalSocketAddress(), token.value());
    }

    /**
     * Listens for lines.
     *
     * @param address not the wildcard
     * @return where
     */
    public McpEndpoint tcp(InetAddress address) {
        Token token = Token.random();
        ServerSocket server = bound(address);
        closeLater(listen(server, new TcpHost(settings, protocol, token))::close);
        return new McpEndpoint((InetSocketAddress) server.getLocalSocketAddress(), token.value());
    }

    private static ServerSocket bound(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            throw new MaestroException("An MCP server must not listen on all interfaces (" + address.getHostAddress()
                    + "), since others could reach its tools: give it the loopback or the bridge address.");
        }
        try {
            ServerSocket server = new ServerSocket();
            try {
                server.bind(new InetSocketAddress(address, 0), BACKLOG);
                return server;
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw new MaestroException(
                    "An MCP server cannot listen on " + address.getHostAddress() + ": " + e.getMessage()
                            + ". Is it an address of this machine?",
                    e);
        }
    }

    private Listener<SocketConnection> listen(ServerSocket server, Listener.Host<SocketConnection> host) {
        try {
            return Listener.start(Listener.door(server), calls::execute, settings.get(Settings.MAX_CONNECTIONS), host);
        } catch (RejectedExecutionException | IOException e) {
            throw new MaestroException("The MCP server is closed; make a new one.", e);
        }
    }

    /**
     * Serves a pair of streams until the input ends, the server is closed or the calling thread is interrupted.
     *
     * @param in what the client writes
     * @param out what the client reads
     */
    public void stdio(InputStream in, OutputStream out) {
        BoundedInput inlet = new BoundedInput(in);
        LineConnection connection =
                new LineConnection(protocol, inlet, out, in, settings.get(Settings.MAX_MESSAGE_BYTES));
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
        private final McpSession session = new McpSession(Versions.LATEST_HANDSHAKE);
        private final Consumer<String> toClient;
        private final ReentrantLock sending = new ReentrantLock();
        private final Runnable end = this::end;

        Carried(Consumer<String> toClient) {
            this.toClient = toClient;
        }

        @Override
        public void receive(String message) {
            LineReplies replies = new LineReplies(this::send, false);
            if (message.length() > settings.get(Settings.MAX_MESSAGE_BYTES)) {
                replies.respond(Rpc.error(
                        null,
                        Rpc.INVALID_REQUEST,
                        "A message may have up to " + settings.get(Settings.MAX_MESSAGE_BYTES)
                                + " characters; this one is longer."));
            } else {
                protocol.receive(message, session, replies);
            }
        }

        private void send(JsonNode message) {
            sending.lock();
            try {
                toClient.accept(message.toString());
            } catch (OutOfMemoryError e) {
                // There is no connection to close, and nobody but this would tell the client.
                LOG.error("An answer for an MCP client is too large for this JVM's memory", e);
                toClient.accept(Rpc.error(message.path("id"), Rpc.INTERNAL_ERROR, "The answer is too large to be sent.")
                        .toString());
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
