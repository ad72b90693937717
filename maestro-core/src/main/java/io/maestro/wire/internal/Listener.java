package io.maestro.wire.internal;

import java.io.Closeable;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts a bounded number of connections, each on a thread of its own. When there are too many, the oldest one that has not
 * shown the token makes place; one that has shown it is never ended for another.
 */
public final class Listener<C extends Connection> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    private final Door<C> door;
    private final Executor threads;
    private final int most;
    private final Host<C> host;
    private final Set<C> connections = new LinkedHashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean closed;

    private Listener(Door<C> door, Executor threads, int most, Host<C> host) {
        this.door = door;
        this.threads = threads;
        this.most = most;
        this.host = host;
    }

    /** Where connections come in. */
    public interface Door<C> extends Closeable {
        /** Waits for the next one; fails when the door is closed. */
        C accept() throws IOException;
    }

    /** What speaks with a connection. */
    public interface Host<C> {
        /** Returns when the connection is over. */
        void serve(C connection) throws IOException;
    }

    /**
     * Begins to accept.
     *
     * @param door closed with the listener, or when this throws
     * @param threads one for each connection, and one for all
     * @param most how many connections there may be at a time
     */
    public static <C extends Connection> Listener<C> start(Door<C> door, Executor threads, int most, Host<C> host)
            throws IOException {
        Listener<C> listener = new Listener<>(door, threads, most, host);
        try {
            threads.execute(listener::accept);
        } catch (RejectedExecutionException e) {
            door.close();
            throw e;
        }
        return listener;
    }

    /** A door for TCP. */
    public static Door<SocketConnection> door(ServerSocket server) {
        return new Door<>() {
            @Override
            public SocketConnection accept() throws IOException {
                Socket socket = server.accept();
                return orClosed(socket, () -> new SocketConnection(socket));
            }

            @Override
            public void close() throws IOException {
                server.close();
            }
        };
    }

    /**
     * A door for TCP or a unix socket.
     *
     * @param writeLimit how long a client may take to read what it is sent
     */
    public static Door<ChannelConnection> door(ServerSocketChannel server, Duration writeLimit) {
        return new Door<>() {
            @Override
            public ChannelConnection accept() throws IOException {
                SocketChannel channel = server.accept();
                return orClosed(channel, () -> new ChannelConnection(channel, writeLimit));
            }

            @Override
            public void close() throws IOException {
                server.close();
            }
        };
    }

    private interface Making<C> {
        C make() throws IOException;
    }

    /** What came in does not stay open where nothing can be made of it. */
    private static <C> C orClosed(Closeable accepted, Making<C> making) throws IOException {
        try {
            return making.make();
        } catch (IOException | RuntimeException e) {
            accepted.close();
            throw e;
        }
    }

    private void accept() {
        while (!closed) {
            try {
                admit(door.accept());
            } catch (IOException e) {
                if (!closed) {
                    // Out of file handles, for example: that may pass.
                    LOG.warn("An endpoint could not accept a connection: {}", e.getMessage());
                    LockSupport.parkNanos(PAUSE);
                }
            }
        }
    }

    private void admit(C connection) throws IOException {
        if (!place(connection)) {
            LOG.warn("An endpoint has {} connections and refuses another one.", most);
            connection.close();
            return;
        }
        try {
            threads.execute(() -> serve(connection));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The latter: no more threads.
            LOG.warn("A connection was not served: {}", e.toString());
            leave(connection);
        }
    }

    private boolean place(C connection) throws IOException {
        lock.lock();
        try {
            if (connections.size() >= most) {
                C stranger = connections.stream()
                        .filter(other -> !other.isKnown())
                        .findFirst()
                        .orElse(null);
                if (stranger == null) {
                    return false;
                }
                connections.remove(stranger);
                stranger.close();
            }
            return !closed && connections.add(connection);
        } finally {
            lock.unlock();
        }
    }

    private void serve(C connection) {
        try {
            host.serve(connection);
        } catch (IOException e) {
            LOG.debug("A connection ended: {}", e.toString());
        } catch (RuntimeException | Error e) {
            LOG.error("A connection failed and is ended", e);
        } finally {
            leave(connection);
        }
    }

    private void leave(C connection) {
        lock.lock();
        try {
            connections.remove(connection);
        } finally {
            lock.unlock();
        }
        close(connection);
    }

    private static void close(Closeable connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("A connection was broken already", e);
        }
    }

    /** Ends all connections and gives the port back. */
    @Override
    public void close() {
        List<C> present;
        lock.lock();
        try {
            closed = true;
            present = List.copyOf(connections);
        } finally {
            lock.unlock();
        }
        try {
            door.close();
        } catch (IOException e) {
            LOG.debug("An endpoint was closed already", e);
        }
        present.forEach(Listener::close);
    }
}
