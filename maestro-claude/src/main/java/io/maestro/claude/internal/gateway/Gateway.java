package io.maestro.claude.internal.gateway;

import com.sun.net.httpserver.HttpServer;
import io.maestro.claude.GatewayClient;
import io.maestro.error.MaestroException;
import io.maestro.internal.ApiKey;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a gateway put together: {@link Front}s take connections, {@link Link}s join them to the JDK's HTTP server, whose
 * {@link Relay} asks the {@link Upstream}.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final int BACKLOG = 128;
    private static final long TICK_MILLIS = 500;
    private static final long CLOSING_SECONDS = 5;

    private final ReentrantLock lock = new ReentrantLock();
    private final Placeholder placeholder = new Placeholder();
    private final AtomicReference<Optional<Answer>> cut = new AtomicReference<>(Optional.empty());
    private final ExecutorService threads = Threads.newWaitingExecutor("maestro-gateway");
    private final ScheduledThreadPoolExecutor watch =
            new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-gateway-watch"));
    private final List<Front> fronts = new ArrayList<>();
    private final Upstream upstream;
    private final HttpServer server;
    private final Links links;
    private final ScheduledFuture<?> checks;
    private boolean closed;

    /**
     * Starts it; it listens nowhere yet but for itself.
     *
     * @param base of the API
     * @param key for the API
     * @param client to ask the API with; null for one of its own
     * @param host who is asked and told
     * @param limits of all kinds
     */
    public Gateway(URI base, ApiKey key, @Nullable HttpClient client, GatewayClient host, Limits limits) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        } catch (IOException e) {
            threads.shutdown();
            watch.shutdown();
            throw new MaestroException("the API gateway cannot listen on this machine: " + e.getMessage(), e);
        }
        upstream =
                client != null ? Upstream.with(base, key, client) : Upstream.own(base, key, limits.connect(), threads);
        links = new Links(limits, server.getAddress());
        server.setExecutor(threads);
        server.createContext("/", new Relay(links, upstream, placeholder, host, limits, cut::get));
        startServer();
        checks = watch.scheduleWithFixedDelay(this::check, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void check() {
        try {
            links.check();
        } catch (RuntimeException e) {
            // Thrown further, it would end the checks for good.
            LOG.error("the API gateway could not check its connections", e);
        }
    }

    /** From a daemon thread, whose kind its own thread takes: it must not keep the JVM alive. */
    private void startServer() {
        Thread starter = Threads.platformFactory("maestro-gateway-start").newThread(server::start);
        starter.start();
        boolean interrupted = false;
        while (starter.isAlive()) {
            try {
                starter.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a client sends in place of a key. */
    public String placeholder() {
        return placeholder.value();
    }

    /**
     * Listens on a unix socket.
     *
     * @param file must not be there, unless nobody listens on it any more
     */
    public void listen(Path file) {
        open(() -> {
            removeDead(file);
            ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                listener.bind(UnixDomainSocketAddress.of(file), BACKLOG);
                // A client in a container may be any user; who cannot enter the directory cannot come here.
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
            } catch (IOException | RuntimeException e) {
                Link.close(listener);
                throw e;
            }
            return new Front(listener, links, threads, () -> file.toFile().delete());
        });
    }

    /** Listens on a port of an address; returns which. */
    public int listen(InetAddress address) {
        AtomicInteger port = new AtomicInteger();
        open(() -> {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.bind(new InetSocketAddress(address, 0), BACKLOG);
                port.set(((InetSocketAddress) listener.getLocalAddress()).getPort());
            } catch (IOException | RuntimeException e) {
                Link.close(listener);
                throw e;
            }
            return new Front(listener, links, threads, () -> {});
        });
        return port.get();
    }

    /** Opens a way in. */
    private interface Opening {
        Front open() throws IOException;
    }

    private void open(Opening opening) {
        lock.lock();
        try {
            if (closed) {
                throw new MaestroException("the API gateway is closed");
            }
            Front front = opening.open();
            fronts.add(front);
            front.start();
        } catch (IOException e) {
            throw new MaestroException("the API gateway cannot listen: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private static void removeDead(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.isDirectory(file) || answers(file)) {
            throw new MaestroException(file + " is in use or not a socket: choose another path");
        }
        Files.delete(file);
    }

    /** Whether somebody listens on a socket. */
    public static boolean answers(Path file) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(file));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Breaks off what runs and refuses what comes.
     *
     * @param why for the client
     */
    public void cut(String why) {
        Answer answer = Answer.cut(why);
        if (cut.compareAndSet(Optional.empty(), Optional.of(answer))) {
            links.breakOff(answer);
        }
    }

    /** Ends everything, and waits a moment for what is still told to the host. A second call does nothing. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            fronts.forEach(Front::close);
        } finally {
            lock.unlock();
        }
        cut("the API gateway is closed");
        links.close();
        server.stop(0);
        checks.cancel(false);
        watch.shutdown();
        upstream.close();
        // Not interrupted: what they wait for is closed, and the host may be writing down what was used.
        threads.shutdown();
        try {
            if (!threads.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the API gateway still has threads {} s after it was closed", CLOSING_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
