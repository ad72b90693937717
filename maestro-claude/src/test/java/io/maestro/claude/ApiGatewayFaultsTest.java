package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.internal.gateway.Limits;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong at either end, and how much one end can take from the other. */
class ApiGatewayFaultsTest extends GatewayBench {
    @ParameterizedTest
    @EnumSource
    void aRequestThatIsTooLargeIsAnsweredAndNotForwarded(Way way) throws IOException {
        Limits small = limits(Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofSeconds(20), 100_000, 8);
        ApiAccess access = open(way, gateway(small));
        for (int size : List.of(100_001, 190_000)) {
            RawClient.Response response = RawClient.send(
                    access, "POST /v1/messages", "x-api-key: " + access.key() + "\r\n", "x".repeat(size));
            assertThat(response.status()).isEqualTo(413);
        }
        assertThat(api.seen).isEmpty();
        // What they held is given back.
        for (int i = 0; i < 5; i++) {
            assertThat(RawClient.send(
                                    access,
                                    "POST /v1/messages",
                                    "x-api-key: " + access.key() + "\r\n",
                                    RawClient.bodyOf(100_000))
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatBreaksOffCountsTheMostThatItCanHave(Way way) throws IOException {
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write(UpstreamStub.STREAM
                    .substring(0, UpstreamStub.STREAM.indexOf("event: content_block_delta"))
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
            throw new IOException("dropped");
        });

        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.whole()).isFalse();
        assertThat(response.body()).contains("content_block_start");
        assertThat(host.used).containsExactly("claude-test-1 " + new Usage(11, 1000, 33, 22));
    }

    @ParameterizedTest
    @EnumSource
    void anApiThatIsNotThereIsAnErrorThatIsTriedAgain(Way way) throws IOException {
        URI nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }
        RawClient.Response response = RawClient.message(open(way, gateway(nobody, patient())), true);

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.headers()).containsEntry("X-Should-Retry", "true");
        assertThat(response.body()).contains("api_error").doesNotContain(KEY);
    }

    @ParameterizedTest
    @EnumSource
    void anApiThatSaysNothingIsGivenUp(Way way) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        api.script((exchange, seen) -> end.await());
        Limits quick = limits(Duration.ofMillis(300), Duration.ofSeconds(20), Duration.ofSeconds(20), 100_000, 8);

        assertThat(RawClient.message(open(way, gateway(quick)), true).status()).isEqualTo(504);
        end.countDown();
    }

    @ParameterizedTest
    @EnumSource
    void whenTheClientGoesTheApiIsLetGo(Way way) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        api.script((exchange, seen) -> beginAndGoOnUntilTheClientIsGone(exchange, ended));
        ApiAccess access = open(way, gateway(open(4, Duration.ofMillis(300))));
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_start");
        }
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        until(() -> host.used.size() == 1);
    }

    @ParameterizedTest
    @EnumSource
    void whenTheClientGoesWhileTheApiIsSilentItIsLetGoToo(Way way) throws Exception {
        // A server of its own, which sees the end of the connection without writing.
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI uri = URI.create("http://127.0.0.1:" + server.getLocalPort());
            ApiAccess access = open(way, gateway(uri, open(4, Duration.ofMillis(300))));
            try (SocketChannel channel = RawClient.connect(access)) {
                RawClient.write(channel, turn(access));
                try (var connection = server.accept()) {
                    byte[] request = new byte[100_000];
                    int length = 0;
                    while (!new String(request, 0, length, StandardCharsets.UTF_8).contains("\"stream\":true}")) {
                        length += connection.getInputStream().read(request, length, request.length - length);
                    }
                    channel.close();
                    assertThat(connection.getInputStream().read()).isEqualTo(-1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSlowReaderHoldsTheApiBackAndGetsEverything(Way way) throws Exception {
        int megabytes = 40;
        byte[] piece = ("event: ping\ndata: " + "x".repeat(1024 * 1024) + "\n\n").getBytes(StandardCharsets.UTF_8);
        CountDownLatch sent = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                for (int i = 0; i < megabytes; i++) {
                    out.write(piece);
                }
            }
            sent.countDown();
        });
        ApiAccess access = open(way);
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "ping");
            // Nothing is read now: 40 MB are more than all buffers on the way.
            assertThat(sent.await(300, TimeUnit.MILLISECONDS)).isFalse();
            long total = 0;
            ByteBuffer buffer = ByteBuffer.allocate(1024 * 1024);
            int count = channel.read(buffer);
            while (count >= 0) {
                total += count;
                buffer.clear();
                count = channel.read(buffer);
            }
            assertThat(total).isGreaterThan((long) megabytes * piece.length - 10_000);
        }
        assertThat(sent.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aReaderThatTakesNothingIsHungUpOn(Way way) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        byte[] piece = "x".repeat(1024 * 1024).getBytes(StandardCharsets.UTF_8);
        api.script((exchange, seen) -> {
            exchange.sendResponseHeaders(200, 0);
            try {
                while (true) {
                    exchange.getResponseBody().write(piece);
                }
            } catch (IOException e) {
                ended.countDown();
                throw e;
            }
        });
        Limits quick = limits(Duration.ofMillis(500), Duration.ofSeconds(20), Duration.ofSeconds(20), 100_000, 8);
        ApiAccess access = open(way, gateway(quick));
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoeverIsSlowOrTalksNonsenseIsBoundedAndKeepsNobodyOut(Way way) throws Exception {
        // Four of them show the key, if only for a moment: nobody is turned out for another one then.
        Limits quick = limits(Duration.ofSeconds(50), Duration.ofMillis(2000), Duration.ofMillis(3000), 100_000, 5);
        ApiAccess access = open(way, gateway(quick));
        String token = "x-api-key: " + access.key() + "\r\n";
        List<SocketChannel> open = new ArrayList<>();
        try {
            for (String bytes : List.of(
                    "",
                    "POST /v1/mess",
                    "POST /v1/messages HTTP/1.1\r\n" + token + "Content-Length: 1000\r\n\r\nabc",
                    "POST /v1/messages HTTP/1.1\r\n" + token + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
                    "\0\1\2\3\r\n\r\n",
                    "POST /v1/messages HTTP/1.1\r\n" + token + "Content-Length: -5\r\n\r\n",
                    "POST /v1/messages HTTP/1.1\r\n" + token + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")) {
                SocketChannel channel = RawClient.connect(access);
                open.add(channel);
                RawClient.write(channel, bytes.getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(RawClient.message(access, true).status()).isEqualTo(200);
            for (SocketChannel channel : open) {
                RawClient.read(channel); // Ends.
            }
        } finally {
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
        assertThat(api.seen).hasSize(1);
    }
}
