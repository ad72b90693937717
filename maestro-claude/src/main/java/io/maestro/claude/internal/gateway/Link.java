package io.maestro.claude.internal.gateway;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection, joined to one of the HTTP server's: the server can neither listen on a unix socket, nor be told to let go
 * of a client, nor bound its time. One thread carries the bytes each way and waits where the other side is slow.
 */
final class Link {
    private static final int BUFFER = 16 * 1024;

    private final SocketChannel client;
    private final SocketChannel server;
    private final Limits limits;
    private final Runnable onEnd;
    private final AtomicInteger ends = new AtomicInteger(2);
    private final long since = System.nanoTime();
    private volatile long answeredSince;
    private volatile boolean answered;
    private volatile @Nullable Call call;

    Link(SocketChannel client, SocketChannel server, Limits limits, Runnable onEnd) {
        this.client = client;
        this.server = server;
        this.limits = limits;
        this.onEnd = onEnd;
    }

    void start(Executor threads) {
        threads.execute(() -> run(this::up));
        threads.execute(() -> run(this::down));
    }

    private void run(Runnable pump) {
        try {
            pump.run();
        } finally {
            if (ends.decrementAndGet() == 0) {
                onEnd.run();
            }
        }
    }

    /** The request that came over it; a link has one. */
    void serves(Call request) {
        call = request;
    }

    /** Carries what the client says. When the client ends its side it is gone: what it asked for is broken off, as nginx does. */
    private void up() {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        boolean wanted = true;
        try {
            while (client.read(buffer) >= 0) {
                buffer.flip();
                wanted = wanted && write(server, buffer);
                // What the server does not want is read all the same: closed with bytes unread, the client might miss
                // the answer.
                buffer.clear();
            }
        } catch (IOException e) {
            // Gone, too.
        }
        hangUp();
        Call current = call;
        if (current != null) {
            current.breakOff(Answer.cut("the client is gone"));
        }
    }

    /** Carries the answer to its end, then ends this side; the client has a moment to end its own. */
    private void down() {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        try {
            // The server has Nagle's algorithm on. It does no harm: what only reads confirms at once, on a link with
            // one request.
            while (server.read(buffer) >= 0) {
                buffer.flip();
                Call current = call;
                if (current != null) {
                    current.moved();
                }
                if (!write(client, buffer)) {
                    hangUp();
                    return;
                }
                buffer.clear();
            }
        } catch (IOException e) {
            // The server has broken off, or this link was hung up.
        }
        try {
            client.shutdownOutput();
            answeredSince = System.nanoTime();
            answered = true;
        } catch (IOException e) {
            hangUp();
        }
    }

    private static boolean write(SocketChannel to, ByteBuffer buffer) {
        try {
            while (buffer.hasRemaining()) {
                to.write(buffer);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Answers are made of small pieces that have to arrive at once. */
    static void withoutDelay(SocketChannel channel) throws IOException {
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
    }

    /** Ends what takes too long. */
    void check(long now) {
        Call current = call;
        if (answered) {
            if (now - answeredSince > limits.linger().toNanos()) {
                hangUp();
            }
        } else if (current == null) {
            if (now - since > limits.head().toNanos()) {
                hangUp();
            }
        } else if (current.forwarding()) {
            if (now - current.lastMoved() > limits.idle().toNanos()) {
                current.breakOff(Answer.silent());
            }
        } else if (now - since > limits.request().toNanos()) {
            hangUp();
        }
    }

    void breakOff(Answer why) {
        Call current = call;
        if (current != null) {
            current.breakOff(why);
        }
    }

    /** Ends both connections at once. */
    void hangUp() {
        close(client);
        close(server);
    }

    static void close(AutoCloseable channel) {
        try {
            channel.close();
        } catch (Exception e) {
            // Nothing more can be done, and nobody reads from it any more.
            return;
        }
    }
}
