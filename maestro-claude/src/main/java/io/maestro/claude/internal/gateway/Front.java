package io.maestro.claude.internal.gateway;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the connections of one way in. */
final class Front {
    private static final Logger LOG = LoggerFactory.getLogger(Front.class);

    private static final long PAUSE_NANOS = 200_000_000;

    private final ServerSocketChannel listener;
    private final Links links;
    private final Executor threads;
    private final Runnable afterwards;

    Front(ServerSocketChannel listener, Links links, Executor threads, Runnable afterwards) {
        this.listener = listener;
        this.links = links;
        this.threads = threads;
        this.afterwards = afterwards;
    }

    void start() {
        threads.execute(this::accept);
    }

    private void accept() {
        try {
            while (listener.isOpen()) {
                links.awaitFree();
                take();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take() {
        SocketChannel client;
        try {
            client = listener.accept();
        } catch (IOException e) {
            links.giveBack();
            if (listener.isOpen()) {
                LOG.warn("a connection to the API gateway was not accepted: {}", e.toString());
                // Out of file descriptors, perhaps: not again at once.
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return;
        }
        try {
            links.join(client, threads);
        } catch (IOException | RuntimeException e) {
            LOG.warn("a connection to the API gateway was not served: {}", e.toString());
        }
    }

    void close() {
        Link.close(listener);
        afterwards.run();
    }
}
