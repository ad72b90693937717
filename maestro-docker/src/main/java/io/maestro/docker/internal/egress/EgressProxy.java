package io.maestro.docker.internal.egress;

import io.maestro.internal.Reachable;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only way out of containers without a network: a proxy of the host on a socket that they are given. It carries TLS to names
 * that the rules allow, and GET and HEAD without TLS, looks names up itself, and connects to the address that it has checked. It
 * follows no redirect: whoever does comes back to it. Safe for use by several threads.
 */
public final class EgressProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EgressProxy.class);

    private final EgressRules rules;
    private final EgressLimits limits;
    private final Net net;
    private final Consumer<Egress> record;
    private final ServerSocketChannel server;
    private final Semaphore free;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final ThreadFactory threads = Threads.platformFactory("maestro-egress");
    private final ScheduledFuture<?> checks;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(threads);

    /** How names become addresses, and which addresses count; another one only for tests, whose servers are on this machine. */
    record Net(Resolver resolver, Predicate<InetAddress> reachable, Predicate<InetAddress> mirror) {
        static final Net REAL = new Net(InetAddress::getAllByName, Reachable::isPublic, Reachable::canBeAllowed);
    }

    /** Looks up a name. */
    interface Resolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    /**
     * Listens until it is closed.
     *
     * @param socket where; nothing is there yet
     * @param record is told of each connection when it has ended, on any thread
     * @throws IOException when the socket cannot be made
     */
    public static EgressProxy open(Path socket, EgressRules rules, Consumer<Egress> record) throws IOException {
        return new EgressProxy(socket, rules, record, EgressLimits.STANDARD, Net.REAL);
    }

    EgressProxy(Path socket, EgressRules rules, Consumer<Egress> record, EgressLimits limits, Net net)
            throws IOException {
        this.rules = rules;
        this.limits = limits;
        this.net = net;
        this.record = record;
        this.free = new Semaphore(limits.connections());
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        boolean good = false;
        try {
            server.bind(UnixDomainSocketAddress.of(socket), limits.connections());
            good = true;
        } finally {
            if (!good) {
                server.close();
                clock.shutdownNow();
            }
        }
        checks = clock.scheduleWithFixedDelay(
                () -> open.forEach(Connection::checkTime), 100, 100, TimeUnit.MILLISECONDS);
        threads.newThread(this::accept).start();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                // Who comes when all places are taken waits in the line of the socket, which is short.
                free.acquire();
                boolean begun = false;
                try {
                    begin(server.accept());
                    begun = true;
                } finally {
                    if (!begun) {
                        free.release();
                    }
                }
            } catch (IOException | InterruptedException e) {
                if (server.isOpen()) {
                    LOG.warn("a connection of a container was not accepted: {}", e.toString());
                }
            }
        }
    }

    private void begin(SocketChannel client) throws IOException {
        Executor executor = task -> threads.newThread(task).start();
        Connection connection = new Connection(client, rules, limits, net, executor);
        open.add(connection);
        boolean started = false;
        try {
            executor.execute(() -> {
                try {
                    connection.run();
                } finally {
                    ended(connection);
                }
            });
            started = true;
        } finally {
            if (!started) {
                open.remove(connection);
                client.close();
            }
        }
        if (!server.isOpen()) {
            connection.cut("the way out is closed");
        }
    }

    private void ended(Connection connection) {
        open.remove(connection);
        free.release();
        try {
            record.accept(connection.outcome());
        } catch (RuntimeException e) {
            LOG.warn("a connection of a container could not be recorded", e);
        }
    }

    /** Cuts all connections. A second call does nothing. The file of the socket stays. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.warn("a socket could not be closed: {}", e.toString());
        }
        // One who waits for a free place.
        free.release();
        open.forEach(connection -> connection.cut("the way out is closed"));
        checks.cancel(false);
        clock.shutdownNow();
    }
}
