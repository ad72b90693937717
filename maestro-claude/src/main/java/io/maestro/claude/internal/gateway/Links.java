package io.maestro.claude.internal.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The connections of a gateway, by their port at the HTTP server: what comes there by another way is nobody's. */
final class Links {
    private final Map<Integer, Link> byPort = new ConcurrentHashMap<>();
    private final Semaphore free;
    private final Limits limits;
    private final InetSocketAddress server;
    private volatile boolean closed;

    Links(Limits limits, InetSocketAddress server) {
        this.limits = limits;
        this.server = server;
        this.free = new Semaphore(limits.connections());
    }

    /** Waits until one more may be served. */
    void awaitFree() throws InterruptedException {
        free.acquire();
    }

    void giveBack() {
        free.release();
    }

    /** Joins a client to the server; its place is given back when it has ended, or at once when this throws. */
    void join(SocketChannel client, Executor threads) throws IOException {
        SocketChannel toServer = null;
        int port = 0;
        try {
            Link.withoutDelay(client);
            toServer = SocketChannel.open();
            Link.withoutDelay(toServer);
            toServer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int local = ((InetSocketAddress) toServer.getLocalAddress()).getPort();
            port = local;
            Link link = new Link(client, toServer, limits, () -> {
                byPort.remove(local);
                giveBack();
            });
            byPort.put(local, link);
            toServer.connect(server);
            link.start(threads);
            if (closed) {
                link.hangUp();
            }
        } catch (IOException | RuntimeException e) {
            byPort.remove(port);
            giveBack();
            Link.close(client);
            if (toServer != null) {
                Link.close(toServer);
            }
            throw e;
        }
    }

    @Nullable
    Link at(int port) {
        return byPort.get(port);
    }

    void check() {
        long now = System.nanoTime();
        all().forEach(link -> link.check(now));
    }

    void breakOff(Answer why) {
        all().forEach(link -> link.breakOff(why));
    }

    /** Ends all, and each that still comes. */
    void close() {
        closed = true;
        all().forEach(Link::hangUp);
    }

    private List<Link> all() {
        return List.copyOf(byPort.values());
    }
}
