package io.maestro.docker.internal.egress;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.internal.Reachable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy whose internet is two servers of this machine: one that may be reached, and one that stands for everything else. The
 * first is taken for public by its address.
 */
final class EgressBench implements AutoCloseable {
    static final String GOOD = "good.example.org";

    /** All of 127.0.0.0/8 is this machine on Linux. */
    private static final String PUBLIC = "127.66.77.88";

    final Path socket;
    final ServerSocket good;
    final ServerSocket bad;
    final AtomicInteger reachedGood = new AtomicInteger();
    final AtomicInteger reachedBad = new AtomicInteger();
    final BlockingQueue<Egress> records = new LinkedBlockingQueue<>();
    final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    final EgressProxy proxy;
    final AtomicInteger resolved = new AtomicInteger();

    EgressBench(Path directory, EgressLimits limits) throws IOException {
        socket = directory.resolve("s");
        // In this order: what others have connected or listen on is at the address of all, and nobody else at this one.
        bad = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        good = new ServerSocket(bad.getLocalPort(), 50, InetAddress.getByName(PUBLIC));
        serve(good, reachedGood);
        serve(bad, reachedBad);
        int port = good.getLocalPort();
        EgressRules rules = EgressRules.of(
                List.of(
                        GOOD + ":" + port,
                        "*.below.example.org:" + port,
                        "bücher.example.org:" + port,
                        "inside.example.org:" + port,
                        "mixed.example.org:" + port,
                        "rebinding.example.org:" + port,
                        "unknown.example.org:" + port,
                        "default.example.org"),
                List.of("mirror:" + port));
        proxy = new EgressProxy(
                socket,
                rules,
                records::add,
                limits,
                new EgressProxy.Net(
                        this::resolve,
                        address -> Reachable.isPublic(address)
                                || address.getHostAddress().equals(PUBLIC),
                        address -> Reachable.canBeAllowed(address)));
    }

    private InetAddress[] resolve(String name) throws UnknownHostException {
        InetAddress open = InetAddress.getByName(PUBLIC);
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        return switch (name) {
            case "inside.example.org" -> new InetAddress[] {loopback};
            case "mixed.example.org" -> new InetAddress[] {open, loopback};
            case "mirror" -> new InetAddress[] {open};
            // The first answer is for the check, the second would be for the connection.
            case "rebinding.example.org" -> new InetAddress[] {resolved.getAndIncrement() == 0 ? open : loopback};
            case "unknown.example.org" -> throw new UnknownHostException(name);
            default -> name.endsWith("example.org") ? new InetAddress[] {open} : new InetAddress[] {loopback};
        };
    }

    int port() {
        return good.getLocalPort();
    }

    /** Says what it was told, and then ok. */
    private void serve(ServerSocket server, AtomicInteger reached) {
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try {
                    Socket client = server.accept();
                    reached.incrementAndGet();
                    Thread answer = new Thread(() -> answer(client));
                    answer.setDaemon(true);
                    answer.start();
                } catch (IOException e) {
                    return;
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(Socket client) {
        try (client) {
            byte[] buffer = new byte[65_536];
            int length = client.getInputStream().read(buffer);
            said.add(new String(buffer, 0, Math.max(0, length), StandardCharsets.ISO_8859_1));
            client.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // The client has gone.
        }
    }

    SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    /** Sends a request and reads until the proxy ends. */
    String ask(byte[] request) throws IOException {
        try (SocketChannel channel = connect()) {
            write(channel, request);
            channel.shutdownOutput();
            return read(channel);
        }
    }

    String ask(String request) throws IOException {
        return ask(request.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** What a client of TLS does: asks for a tunnel, and says hello when there is one. */
    String tunnel(String authority, byte[] hello) throws IOException {
        try (SocketChannel channel = connect()) {
            write(channel, ("CONNECT " + authority + " HTTP/1.1\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            String answer = readSome(channel);
            if (!answer.startsWith("HTTP/1.1 200")) {
                return answer;
            }
            write(channel, hello);
            channel.shutdownOutput();
            return read(channel);
        }
    }

    static void write(SocketChannel channel, byte[] bytes) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        } catch (IOException e) {
            // The proxy has said what it had to say.
        }
    }

    static String readSome(SocketChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        channel.read(buffer);
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1);
    }

    static String read(SocketChannel channel) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        try {
            while (channel.read(buffer) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        } catch (IOException e) {
            // Cut.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    Egress record() throws InterruptedException {
        Egress next = records.poll(30, TimeUnit.SECONDS);
        assertThat(next).as("a record of the connection").isNotNull();
        return next;
    }

    InetSocketAddress goodAddress() {
        return (InetSocketAddress) good.getLocalSocketAddress();
    }

    static EgressLimits quick() {
        return new EgressLimits(
                8,
                Duration.ofMillis(1000),
                Duration.ofMillis(1000),
                Duration.ofMillis(1500),
                Duration.ofSeconds(30),
                100_000,
                100_000);
    }

    @Override
    public void close() throws IOException {
        proxy.close();
        good.close();
        bad.close();
    }
}
