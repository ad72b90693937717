package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import io.maestro.error.MaestroException;
import io.maestro.internal.ApiKey;
import io.maestro.internal.Threads;
import io.maestro.wire.internal.ChannelConnection;
import io.maestro.wire.internal.Listener;
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
 * The parts of a gateway put together: {@link Listener}s take connections, whose requests a {@link Relay} forwards to the {@link
 * Upstream}.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final int BACKLOG = 128;
    private static final long TICK_MILLIS = 500;
    private static final long CLOSING_SECONDS = 5;

    private final ReentrantLock lock = new ReentrantLock();
    private final Placeholder placeholder = new Placeholder();
    private final AtomicReference<Optional<Answer>> cut = new AtomicReference<>(Optional.empty());
    /** No virtual threads: a connection waits in a selector. There are few. */
    private final ExecutorService threads = Threads.newExecutor("maestro-gateway");

    private final ScheduledThreadPoolExecutor watch =
            new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-gateway-watch"));
    private final List<Runnable> ways = new ArrayList<>();
    private final Limits limits;
    private final Upstream upstream;
    private final Relay relay;
    private final ScheduledFuture<?> checks;
    private boolean closed;

    /**
     * A gateway that listens nowhere yet.
     *
     * @param base of the API
     * @param key for the API
     * @param client to ask the API with; null for one of its own
     * @param host who is asked and told
     * @param models that may be asked
     * @param limits of all kinds
     */
    public Gateway(
            URI base,
            ApiKey key,
            @Nullable HttpClient client,
            GatewayClient host,
            AllowedModels models,
            Limits limits) {
        this.limits = limits;
        upstream = client != null
                ? Upstream.with(base, key, client)
                : Upstream.own(base, key, limits.get(Limits.CONNECT), threads);
        relay = new Relay(upstream, placeholder, host, models, limits, cut::get);
        checks = watch.scheduleWithFixedDelay(this::check, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void check() {
        try {
            relay.check();
        } catch (RuntimeException e) {
            // Thrown further, it would end the checks for good.
            LOG.error("the API gateway could not check its connections", e);
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
                close(listener);
                throw e;
            }
            Listener<ChannelConnection> way = start(listener);
            return () -> {
                way.close();
                file.toFile().delete();
            };
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
                close(listener);
                throw e;
            }
            return start(listener)::close;
        });
        return port.get();
    }

    private Listener<ChannelConnection> start(ServerSocketChannel listener) throws IOException {
        return Listener.start(
                Listener.door(listener, limits.get(Limits.IDLE)), threads, limits.get(Limits.CONNECTIONS), relay);
    }

    /** Opens a way in, and gives what closes it. */
    private interface Opening {
        Runnable open() throws IOException;
    }

    private void open(Opening opening) {
        lock.lock();
        try {
            if (closed) {
                throw new MaestroException("the API gateway is closed");
            }
            ways.add(opening.open());
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
            relay.breakOff(answer);
        }
    }

    /** Ends everything, and waits a moment for what is still told to the host. A second call does nothing. */
    @Override
    public void close() {
        List<Runnable> open;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            open = List.copyOf(ways);
            ways.clear();
        } finally {
            lock.unlock();
        }
        cut("the API gateway is closed");
        // After the cut, so that who waits is told.
        open.forEach(Runnable::run);
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

    /** Closes what nobody needs any more. */
    static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.debug("{} was broken already", resource, e);
        }
    }
}
