package io.maestro.docker.internal.egress;

import io.maestro.internal.HostName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One connection of a container: what it asks for is read and checked, and then carried. Runs on a thread of its own. */
final class Connection {
    private static final byte[] END = {'\r', '\n', '\r', '\n'};
    private static final int BUFFER = 16 * 1024;

    /** Each piece of a request makes all before it looked at again. */
    private static final int MOST_PIECES = 500;

    private final SocketChannel client;
    private final EgressRules rules;
    private final EgressLimits limits;
    private final EgressProxy.Net net;
    private final Executor executor;
    private final long begin = System.nanoTime();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicReference<String> refused = new AtomicReference<>("");
    private volatile long moved = begin;
    private int pieces;
    private volatile boolean asked;
    private volatile String target = "";
    private volatile String address = "";
    private volatile @Nullable SocketChannel server;

    Connection(SocketChannel client, EgressRules rules, EgressLimits limits, EgressProxy.Net net, Executor executor) {
        this.client = client;
        this.rules = rules;
        this.limits = limits;
        this.net = net;
        this.executor = executor;
    }

    void run() {
        try {
            byte[] begun = readUntilEnd();
            int end = indexOfEnd(begun);
            RequestHead head = RequestHead.of(Arrays.copyOf(begun, end));
            target = head.host() + ":" + head.port();
            byte[] rest = Arrays.copyOfRange(begun, end + END.length, begun.length);
            if (!head.tunnel() && rest.length > 0) {
                throw new EgressRefusedException("only one request is carried at a time");
            }
            InetAddress found = checked(head);
            address = found.getHostAddress();
            SocketChannel upstream = connect(new InetSocketAddress(found, head.port()));
            byte[] first = head.forwarded().getBytes(StandardCharsets.ISO_8859_1);
            if (head.tunnel()) {
                write(client, ByteBuffer.wrap(ascii("HTTP/1.1 200 Connection established\r\n\r\n")));
                first = hello(rest, head.host());
            }
            asked = true;
            moved = System.nanoTime();
            carry(upstream, first, head.tunnel());
        } catch (EgressRefusedException e) {
            refuse(e.getMessage());
        } catch (IOException e) {
            cut("the connection ended: " + e.getClass().getSimpleName());
        } finally {
            close();
        }
    }

    private InetAddress checked(RequestHead head) throws EgressRefusedException {
        String host = head.host();
        if (!rules.allow(host, head.port(), head.tunnel())) {
            throw new EgressRefusedException(
                    target + " is not among the names and ports that this container may reach");
        }
        InetAddress[] found;
        try {
            found = net.resolver().resolve(host);
        } catch (UnknownHostException e) {
            throw new EgressRefusedException(host + " is not known");
        }
        Predicate<InetAddress> fine = rules.isMirror(host, head.port(), head.tunnel()) ? net.mirror() : net.reachable();
        // All of them: one that is mixed with others would be taken the next time.
        if (found.length == 0 || !Arrays.stream(found).allMatch(fine)) {
            throw new EgressRefusedException(host + " has an address that is not on the internet");
        }
        return found[0];
    }

    private SocketChannel connect(InetSocketAddress to) throws IOException, EgressRefusedException {
        SocketChannel upstream = SocketChannel.open();
        server = upstream;
        if (!client.isOpen()) {
            upstream.close();
        }
        try {
            upstream.socket().connect(to, (int) limits.connect().toMillis());
        } catch (IOException e) {
            throw new EgressRefusedException("the server does not answer");
        }
        return upstream;
    }

    private byte[] hello(byte[] begun, String host) throws IOException, EgressRefusedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(begun);
        ByteBuffer buffer = ByteBuffer.allocate(ClientHello.MOST);
        while (true) {
            Optional<String> name = ClientHello.name(bytes.toByteArray());
            if (name.isPresent()) {
                if (!HostName.of(name.get()).equals(Optional.of(host))) {
                    throw new EgressRefusedException("the ClientHello names another server than the request");
                }
                return bytes.toByteArray();
            }
            readMore(buffer, bytes);
        }
    }

    private byte[] readUntilEnd() throws IOException, EgressRefusedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(RequestHead.MOST);
        while (indexOfEnd(bytes.toByteArray()) < 0) {
            if (bytes.size() >= RequestHead.MOST) {
                throw new EgressRefusedException("the request has more than " + RequestHead.MOST + " bytes");
            }
            readMore(buffer, bytes);
        }
        return bytes.toByteArray();
    }

    private void readMore(ByteBuffer buffer, ByteArrayOutputStream bytes) throws IOException, EgressRefusedException {
        buffer.clear();
        if (++pieces > MOST_PIECES) {
            throw new EgressRefusedException("the request comes in too many pieces");
        }
        if (client.read(buffer) < 0) {
            throw new EgressRefusedException("the client ended before it had asked");
        }
        bytes.write(buffer.array(), buffer.arrayOffset(), buffer.position());
    }

    private static int indexOfEnd(byte[] bytes) {
        for (int i = 0; i + END.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + END.length, END, 0, END.length)) {
                return i;
            }
        }
        return -1;
    }

    /** Both ways at once, until both have ended. Without TLS nothing more is read of the client. */
    private void carry(SocketChannel upstream, byte[] first, boolean both) throws IOException {
        sent.addAndGet(first.length);
        write(upstream, ByteBuffer.wrap(first));
        CountDownLatch out = new CountDownLatch(both ? 1 : 0);
        if (both) {
            executor.execute(() -> {
                try {
                    carry(client, upstream, sent, limits.sent());
                } finally {
                    out.countDown();
                }
            });
        }
        carry(upstream, client, received, limits.received());
        try {
            out.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void carry(SocketChannel from, SocketChannel to, AtomicLong count, long most) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        try {
            while (from.read(buffer) >= 0) {
                moved = System.nanoTime();
                if (count.addAndGet(buffer.position()) > most) {
                    cut("more than " + most + " bytes");
                    return;
                }
                buffer.flip();
                write(to, buffer);
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // One side is gone: nothing can be carried any more.
            close();
        }
    }

    private void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
            moved = System.nanoTime();
        }
    }

    /** Cuts what takes too long; called again and again. */
    void checkTime() {
        long now = System.nanoTime();
        if (!asked && now - begin > limits.head().plus(limits.connect()).toNanos()) {
            cut("it took too long to ask");
        } else if (asked && now - moved > limits.idle().toNanos()) {
            cut("nothing moved for " + limits.idle().toSeconds() + " s");
        } else if (now - begin > limits.total().toNanos()) {
            cut("it took more than " + limits.total().toMinutes() + " minutes");
        }
    }

    /** Ends it from outside. */
    void cut(String why) {
        refused.compareAndSet("", why);
        close();
    }

    private void refuse(String why) {
        refused.compareAndSet("", why);
        try {
            // Small enough for the socket's buffer, so that it does not wait for a client that does not read.
            write(
                    client,
                    ByteBuffer.wrap(ascii("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: "
                            + (why.length() + 1) + "\r\nConnection: close\r\n\r\n" + why + "\n")));
        } catch (IOException e) {
            // It has gone, and does not want to know.
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void close() {
        closeQuietly(client);
        closeQuietly(server);
    }

    private static void closeQuietly(@Nullable SocketChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // It is of no use any more in any case.
            }
        }
    }

    Egress outcome() {
        return new Egress(
                target,
                address,
                sent.get(),
                received.get(),
                Duration.ofNanos(System.nanoTime() - begin),
                String.valueOf(refused.get()));
    }
}
