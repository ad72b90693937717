package io.maestro.mcp.internal;

import io.maestro.error.MaestroException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
public final class Listener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 50;
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    private final ServerSocket server;
    private final Calls calls;
    private final int most;
    private final Host host;
    private final Set<Guest> guests = new LinkedHashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean closed;

    private Listener(ServerSocket server, Calls calls, int most, Host host) {
        this.server = server;
        this.calls = calls;
        this.most = most;
        this.host = host;
    }

    static Listener open(InetAddress address, Calls calls, int most, Host host) {
        if (address.isAnyLocalAddress()) {
            throw new MaestroException("An MCP server must not listen on all interfaces (" + address.getHostAddress()
                    + "), since others could reach its tools: give it the loopback or the bridge address.");
        }
        try {
            ServerSocket server = new ServerSocket();
            try {
                server.bind(new InetSocketAddress(address, 0), BACKLOG);
                Listener listener = new Listener(server, calls, most, host);
                calls.execute(listener::accept);
                return listener;
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (RejectedExecutionException e) {
            throw new MaestroException("The MCP server is closed; make a new one.", e);
        } catch (IOException e) {
            throw new MaestroException(
                    "An MCP server cannot listen on " + address.getHostAddress() + ": " + e.getMessage()
                            + ". Is it an address of this machine?",
                    e);
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private void accept() {
        while (!closed) {
            try {
                admit(server.accept());
            } catch (IOException e) {
                if (!closed) {
                    // Out of file handles, for example: that may pass.
                    LOG.warn("An MCP endpoint could not accept a connection: {}", e.getMessage());
                    LockSupport.parkNanos(PAUSE);
                }
            }
        }
    }

    private void admit(Socket socket) throws IOException {
        Guest guest = new Guest(socket);
        if (!place(guest)) {
            LOG.warn("An MCP endpoint has {} connections and refuses another one.", most);
            socket.close();
            return;
        }
        try {
            // Without it, Nagle's algorithm and the other side's delayed acknowledgement hold answers up for 40 ms.
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            calls.execute(() -> serve(guest));
        } catch (IOException | RejectedExecutionException e) {
            leave(guest);
        }
    }

    private boolean place(Guest guest) throws IOException {
        lock.lock();
        try {
            if (guests.size() >= most) {
                Guest stranger = guests.stream()
                        .filter(other -> !other.isKnown())
                        .findFirst()
                        .orElse(null);
                if (stranger == null) {
                    return false;
                }
                guests.remove(stranger);
                stranger.close();
            }
            return !closed && guests.add(guest);
        } finally {
            lock.unlock();
        }
    }

    private void serve(Guest guest) {
        try {
            host.serve(guest);
        } catch (IOException e) {
            LOG.debug("A connection to an MCP endpoint ended: {}", e.toString());
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            LOG.error("A connection to an MCP endpoint failed and is ended", e);
        } finally {
            leave(guest);
        }
    }

    private void leave(Guest guest) {
        lock.lock();
        try {
            guests.remove(guest);
        } finally {
            lock.unlock();
        }
        close(guest);
    }

    private static void close(Guest guest) {
        try {
            guest.close();
        } catch (IOException e) {
            LOG.debug("A connection to an MCP endpoint was broken already", e);
        }
    }

    /** Ends all connections and gives the port back. */
    @Override
    public void close() {
        List<Guest> present;
        lock.lock();
        try {
            closed = true;
            present = List.copyOf(guests);
        } finally {
            lock.unlock();
        }
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("An MCP endpoint was closed already", e);
        }
        present.forEach(Listener::close);
    }

    /** What speaks with a connection. */
    interface Host {
        /** Returns when the connection is over. */
        void serve(Guest guest) throws IOException;
    }
}
