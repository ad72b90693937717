package io.maestro.claude;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.internal.gateway.Limits;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class ApiGatewayTest {
    private static final String KEY = "sk-ant-real-0123456789abcdefghij";
    private static final Usage USED = new Usage(11, 44, 33, 22);

    private enum Way {
        SOCKET,
        HTTP
    }

    @TempDir
    private Path temp;

    private UpstreamStub api;
    private final RecordingClient host = new RecordingClient();
    private final List<ApiGateway> gateways = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void start() throws IOException {
        api = new UpstreamStub(UpstreamStub::usual);
    }

    @AfterEach
    void stop() {
        gateways.forEach(ApiGateway::close);
        api.close();
        threads.shutdownNow();
    }

    private ApiGateway gateway(Limits limits) {
        return gateway(api.uri(), limits);
    }

    private ApiGateway gateway(URI upstream, Limits limits) {
        ApiGateway gateway = ApiGateway.builder(KEY)
                .upstream(upstream)
                .client(host)
                .limits(limits)
                .build();
        gateways.add(gateway);
        return gateway;
    }

    private ApiAccess open(Way way) {
        return open(way, gateway(Limits.USUAL));
    }

    private ApiAccess open(Way way, ApiGateway gateway) {
        return way == Way.HTTP
                ? gateway.overHttp(InetAddress.getLoopbackAddress())
                : gateway.overSocket(temp.resolve("api.sock"));
    }

    private static Limits limits(Duration idle, Duration head, Duration request, long bytes, int connections) {
        return new Limits(
                Duration.ofSeconds(20), idle, head, request, Duration.ofMillis(200), bytes, 2 * bytes, connections);
    }

    private static Limits patient() {
        return Limits.USUAL;
    }

    @ParameterizedTest
    @EnumSource
    void aStreamComesThroughAsItIsAndIsCounted(Way way) throws IOException {
        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.whole()).isTrue();
        assertThat(response.body()).isEqualTo(UpstreamStub.STREAM);
        assertThat(response.headers()).containsEntry("Content-Type", "text/event-stream");
        assertThat(host.used).containsExactly("claude-test-1 " + USED);
        assertThat(api.seen).hasSize(1);
        assertThat(api.seen.get(0).target()).isEqualTo("/v1/messages?beta=true");
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerInOnePieceComesThroughAsItIsAndIsCounted(Way way) throws IOException {
        RawClient.Response response = RawClient.message(open(way), false);

        assertThat(response.body()).isEqualTo(UpstreamStub.JSON);
        assertThat(host.used).containsExactly("claude-test-1 " + USED);
    }

    @ParameterizedTest
    @EnumSource
    void eachEventArrivesBeforeTheNextIsSent(Way way) throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write("event: ping\ndata: {\"type\":\"ping\"}\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
                out.write(UpstreamStub.STREAM.getBytes(StandardCharsets.UTF_8));
            }
        });
        ApiAccess access = open(way);

        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "\"ping\"}\n\n");
            arrived.countDown();
            RawClient.readUntil(channel, "0\r\n\r\n");
        }
    }

    private static byte[] turn(ApiAccess access) {
        return RawClient.request("POST /v1/messages", "x-api-key: " + access.key() + "\r\n", "{\"stream\":true}");
    }

    @ParameterizedTest
    @EnumSource
    void theHostIsToldBeforeTheClientSeesTheEnd(Way way) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write(UpstreamStub.STREAM.getBytes(StandardCharsets.UTF_8));
            out.flush();
            end.await();
            out.close();
        });
        ApiAccess access = open(way);

        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_stop\"}");
            assertThat(host.used).containsExactly("claude-test-1 " + USED);
        } finally {
            end.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource
    void errorsOfTheApiComeThroughWithWhatTheClientNeeds(Way way) throws IOException {
        String error = "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}";
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            exchange.getResponseHeaders().set("Request-Id", "req_1");
            exchange.getResponseHeaders().set("Anthropic-Ratelimit-Requests-Limit", "50");
            exchange.getResponseHeaders().set("Anthropic-Organization-Id", "org-of-the-host");
            exchange.getResponseHeaders().set("Set-Cookie", "a=b");
            UpstreamStub.reply(exchange, 429, "application/json", error);
        });

        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(429);
        assertThat(response.body()).isEqualTo(error);
        assertThat(response.headers())
                .containsEntry("Retry-After", "7")
                .containsEntry("Request-Id", "req_1")
                .containsEntry("Anthropic-Ratelimit-Requests-Limit", "50")
                .doesNotContainKeys("Anthropic-Organization-Id", "Set-Cookie");
        assertThat(host.used).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whatTheHostRefusesIsNotForwardedAndNotTriedAgain(Way way) throws IOException {
        host.refusal = Optional.of("the budget of story 42 is used up");

        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(402);
        assertThat(response.headers()).containsEntry("X-Should-Retry", "false");
        assertThat(response.body())
                .isEqualTo("{\"type\":\"error\",\"error\":{\"type\":\"billing_error\","
                        + "\"message\":\"the budget of story 42 is used up\"}}");
        assertThat(api.seen).isEmpty();
    }

    @Test
    void aHostThatFailsLetsNothingThroughAndNothingIsLostOfAnAnswer() throws IOException {
        ApiAccess access = open(Way.HTTP);
        host.failure = new IllegalStateException("planted");
        assertThat(RawClient.message(access, true).status()).isEqualTo(500);
        assertThat(api.seen).isEmpty();

        host.failure = null;
        host.failureOfUsed = new IllegalStateException("planted");
        assertThat(RawClient.message(access, true).body()).isEqualTo(UpstreamStub.STREAM);
    }

    @ParameterizedTest
    @EnumSource
    void nobodyComesInWithoutTheToken(Way way) throws IOException {
        ApiAccess access = open(way);
        String wrong = access.key().substring(0, access.key().length() - 1) + "x";
        for (String header : List.of(
                "",
                "x-api-key: " + wrong + "\r\n",
                "x-api-key: " + KEY + "\r\n",
                "Authorization: Basic " + access.key() + "\r\n",
                "Authorization: Bearer\r\n",
                "x-api-key:\r\n")) {
            RawClient.Response response = RawClient.send(access, "POST /v1/messages", header, "{}");
            assertThat(response.status()).as(header).isEqualTo(401);
            assertThat(response.body()).contains("authentication_error").doesNotContain(KEY, access.key());
        }
        assertThat(api.seen).isEmpty();
        assertThat(host.asked).hasValue(0);

        String bearer = "Authorization: Bearer " + access.key() + "\r\n";
        assertThat(RawClient.send(access, "POST /v1/messages", bearer, "{}").status())
                .isEqualTo(200);
    }

    @Test
    void theTokenOfOneAgentIsNotThatOfAnother() throws IOException {
        ApiAccess one = open(Way.HTTP);
        ApiAccess other = open(Way.HTTP);

        assertThat(RawClient.message(new ApiAccess(one.baseUrl(), other.key(), Optional.empty()), true)
                        .status())
                .isEqualTo(401);
        assertThat(one.key()).startsWith("sk-ant-maestro-").hasSize(15 + 64);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheMessagesApiIsForwarded(Way way) throws IOException {
        ApiAccess access = open(way);
        String token = "x-api-key: " + access.key() + "\r\n";
        for (String target : List.of(
                "GET /v1/messages",
                "POST /v1/messages/",
                "POST /v1/messages/batches",
                "POST /v1/messages/../files",
                "POST /v1/messages%2f",
                "POST /v1//messages",
                "POST /v1/complete",
                "POST /api/oauth/token",
                "GET /v1/models",
                "DELETE /v1/messages",
                "GET /")) {
            RawClient.Response response = RawClient.send(access, target, token, "");
            assertThat(response.status()).as(target).isEqualTo(404);
            assertThat(response.body()).as(target).contains("not_found_error");
        }
        assertThat(RawClient.send(access, "HEAD /", "", "").status()).isEqualTo(200);
        assertThat(api.seen).isEmpty();

        assertThat(RawClient.send(access, "POST /v1/messages/count_tokens?beta=true", token, "{}")
                        .status())
                .isEqualTo(200);
        assertThat(api.seen)
                .extracting(UpstreamStub.Seen::target)
                .containsExactly("/v1/messages/count_tokens?beta=true");
        assertThat(host.used).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void theKeyIsPutInAndEverythingOfTheClientsIsTakenOut(Way way) throws IOException {
        ApiAccess access = open(way);
        RawClient.send(
                access,
                "POST /v1/messages",
                "X-API-Key: " + access.key() + "\r\nX-Api-Key: sk-ant-stolen\r\nAuthorization: Bearer sk-ant-stolen\r\n"
                        + "Cookie: a=b\r\nProxy-Authorization: Basic eA==\r\nX-Forwarded-For: 1.2.3.4\r\n"
                        + "Forwarded: for=1.2.3.4\r\nVia: x\r\nAccept-Encoding: gzip, br\r\nX-Other: y\r\n"
                        + "anthropic-version: 2023-06-01\r\nanthropic-beta: a,b\r\nContent-Type: application/json\r\n"
                        + "Accept: application/json\r\nX-Stainless-Lang: js\r\nUser-Agent: claude-cli/2\r\n"
                        + "X-Claude-Code-Session-Id: s1\r\n",
                "{}");

        UpstreamStub.Seen seen = api.seen.get(0);
        assertThat(seen.headers().get("x-api-key")).containsExactly(KEY);
        assertThat(seen.headers())
                .doesNotContainKeys(
                        "authorization",
                        "cookie",
                        "proxy-authorization",
                        "x-forwarded-for",
                        "forwarded",
                        "via",
                        "x-other")
                .containsEntry("anthropic-version", List.of("2023-06-01"))
                .containsEntry("anthropic-beta", List.of("a,b"))
                .containsEntry("content-type", List.of("application/json"))
                .containsEntry("accept", List.of("application/json"))
                .containsEntry("accept-encoding", List.of("identity"))
                .containsEntry("x-stainless-lang", List.of("js"))
                .containsEntry("user-agent", List.of("claude-cli/2"))
                .containsEntry("x-claude-code-session-id", List.of("s1"));
        assertThat(seen.headers().toString()).doesNotContain("stolen", access.key());
    }

    @Test
    void aKeyThatTheApiSendsBackIsOverwritten() throws IOException {
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Request-Id", "for-" + KEY);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(401, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                String text = "{\"message\":\"invalid " + KEY + " and " + KEY + "\"} sk-ant";
                // In pieces, so that the key is cut.
                for (String piece : text.split("(?<=\\G.{9})")) {
                    out.write(piece.getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            }
        });

        RawClient.Response response = RawClient.message(open(Way.HTTP), true);

        assertThat(response.toString()).doesNotContain(KEY);
        assertThat(response.body())
                .isEqualTo("{\"message\":\"invalid " + "*".repeat(KEY.length()) + " and " + "*".repeat(KEY.length())
                        + "\"} sk-ant");
    }

    @Test
    void theKeyIsNotShown() {
        ApiGateway gateway = gateway(patient());
        assertThat(gateway.toString()).contains("127.0.0.1").doesNotContain(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApiGateway.builder("planted key"))
                .withMessageNotContaining("planted");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApiGateway.builder(KEY).upstream(URI.create("https://user:planted@example.org")))
                .withMessageNotContaining("planted");
    }

    @Test
    void aClientThatFollowsRedirectsIsNotTaken() {
        HttpClient following = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.ALWAYS)
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApiGateway.builder(KEY).httpClient(following));
    }

    @Test
    void redirectsAreNotFollowed() throws IOException {
        try (UpstreamStub other = new UpstreamStub(UpstreamStub::usual)) {
            api.script((exchange, seen) -> {
                exchange.getResponseHeaders().set("Location", other.uri() + "/v1/messages");
                UpstreamStub.reply(exchange, 307, "text/plain", "elsewhere");
            });
            RawClient.Response response = RawClient.message(open(Way.HTTP), true);

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.headers()).doesNotContainKey("Location").containsEntry("X-Should-Retry", "false");
            assertThat(other.seen).isEmpty();
        }
    }

    @Test
    void anAnswerThatIsPackedAllTheSameIsUnpackedAndCounted() throws IOException {
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = new GZIPOutputStream(exchange.getResponseBody())) {
                out.write(UpstreamStub.STREAM.getBytes(StandardCharsets.UTF_8));
            }
        });

        assertThat(RawClient.message(open(Way.HTTP), true).body()).isEqualTo(UpstreamStub.STREAM);
        assertThat(host.used).containsExactly("claude-test-1 " + USED);
    }

    @ParameterizedTest
    @EnumSource
    void aLargeRequestAndALargeAnswerComeThrough(Way way) throws IOException {
        String large = "x".repeat(5_000_000);
        api.script((exchange, seen) -> UpstreamStub.reply(
                exchange,
                200,
                "application/json",
                "{\"model\":\"m\",\"content\":\"" + large + "\",\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}"));
        ApiAccess access = open(way);

        RawClient.Response response =
                RawClient.send(access, "POST /v1/messages", "x-api-key: " + access.key() + "\r\n", large);

        assertThat(api.seen.get(0).body()).hasSize(large.length());
        assertThat(api.seen.get(0).headers()).containsEntry("content-length", List.of("5000000"));
        assertThat(response.body()).hasSizeGreaterThan(large.length());
        assertThat(host.used).containsExactly("m " + new Usage(5, 6, 0, 0));
    }

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
                                    "x".repeat(100_000))
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatBreaksOffBreaksOffAndCountsWhatItHad(Way way) throws IOException {
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
        assertThat(host.used).containsExactly("claude-test-1 " + new Usage(11, 1, 33, 22));
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
    void aCutBreaksOffWhatRunsAndRefusesWhatComes(Way way) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        api.script((exchange, seen) -> {
            if (first.getAndSet(false)) {
                beginAndGoOnUntilTheClientIsGone(exchange, ended);
            } else {
                asked.countDown();
                ended.await();
            }
        });
        ApiGateway gateway = gateway(patient());
        ApiAccess access = open(way, gateway);

        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_start");
            Future<RawClient.Response> waiting = threads.submit(() -> RawClient.message(access, true));
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

            gateway.cut("the run was cancelled");

            assertThat(RawClient.read(channel).whole()).isFalse();
            RawClient.Response other = waiting.get(30, TimeUnit.SECONDS);
            assertThat(other.status()).isEqualTo(400);
            assertThat(other.body()).contains("the run was cancelled");
        }
        assertThat(ended.await(30, TimeUnit.SECONDS)).as("the API was let go").isTrue();
        until(() -> host.used.size() == 1);
        assertThat(host.used).containsExactly("claude-test-1 " + new Usage(11, 1, 33, 22));
        RawClient.Response later = RawClient.message(access, true);
        assertThat(later.status()).isEqualTo(400);
        assertThat(later.headers()).containsEntry("X-Should-Retry", "false");
        assertThat(api.seen).hasSize(2);
    }

    private static void beginAndGoOnUntilTheClientIsGone(
            com.sun.net.httpserver.HttpExchange exchange, CountDownLatch ended) throws Exception {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(UpstreamStub.STREAM
                .substring(0, UpstreamStub.STREAM.indexOf("event: content_block_delta"))
                .getBytes(StandardCharsets.UTF_8));
        out.flush();
        try {
            while (true) {
                out.write("event: ping\ndata: {\"type\": \"ping\"}\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                Thread.sleep(5);
            }
        } catch (IOException e) {
            ended.countDown();
            throw e;
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenTheClientGoesTheApiIsLetGo(Way way) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        api.script((exchange, seen) -> beginAndGoOnUntilTheClientIsGone(exchange, ended));
        ApiAccess access = open(way);
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
            ApiAccess access = open(way, gateway(uri, patient()));
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
    void manyRequestsAtOnceAreAllAnsweredAndCounted(Way way) throws Exception {
        ApiAccess access = open(
                way,
                gateway(new Limits(
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(50),
                        Duration.ofSeconds(50),
                        Duration.ofSeconds(50),
                        Duration.ofSeconds(2),
                        1_000_000,
                        100_000_000,
                        8)));
        List<Callable<RawClient.Response>> turns = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            boolean stream = i % 2 == 0;
            turns.add(() -> RawClient.message(access, stream));
        }
        for (Future<RawClient.Response> answer : threads.invokeAll(turns)) {
            assertThat(answer.get().status()).isEqualTo(200);
            assertThat(answer.get().whole()).isTrue();
        }
        assertThat(host.used).hasSize(100).containsOnly("claude-test-1 " + USED);
    }

    @ParameterizedTest
    @EnumSource
    void whoeverIsSlowOrTalksNonsenseIsBoundedAndKeepsNobodyOut(Way way) throws Exception {
        Limits quick = limits(Duration.ofSeconds(50), Duration.ofMillis(700), Duration.ofMillis(1500), 100_000, 4);
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

    @Test
    void thePortBehindTheWaysInServesNobodyElse() throws Exception {
        ApiGateway gateway = gateway(patient());
        ApiAccess access = open(Way.SOCKET, gateway);
        int port = hiddenPort(gateway);
        ApiAccess behind = new ApiAccess("http://127.0.0.1:" + port, access.key(), Optional.empty());

        assertThat(RawClient.message(behind, true).status()).isZero();
        assertThat(api.seen).isEmpty();
    }

    private static int hiddenPort(ApiGateway gateway) throws ReflectiveOperationException {
        var inner = ApiGateway.class.getDeclaredField("gateway");
        inner.setAccessible(true);
        Object target = inner.get(gateway);
        var server = target.getClass().getDeclaredField("server");
        server.setAccessible(true);
        return ((com.sun.net.httpserver.HttpServer) server.get(target))
                .getAddress()
                .getPort();
    }

    @ParameterizedTest
    @EnumSource
    void afterCloseNothingIsLeft(Way way) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        api.script((exchange, seen) -> beginAndGoOnUntilTheClientIsGone(exchange, ended));
        ApiGateway gateway = gateway(patient());
        ApiAccess access = open(way, gateway);
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_start");

            gateway.close();

            assertThat(RawClient.read(channel).whole()).isFalse();
        }
        assertThat(host.used).as("told before close returned").hasSize(1);
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        if (way == Way.HTTP) {
            assertThatThrownBy(() -> RawClient.connect(access)).isInstanceOf(ConnectException.class);
        }
        assertThat(temp.resolve("api.sock")).doesNotExist();
        until(() -> gatewayThreads().isEmpty());
        assertThatThrownBy(() -> open(way, gateway))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("closed");
        gateway.close();
    }

    @Test
    void itKeepsNoJvmAlive() throws IOException {
        api.close();
        gateway(patient());
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("HTTP-Dispatcher")
                        || thread.getName().startsWith("maestro-gateway"))
                .isNotEmpty()
                .filteredOn(Thread::isAlive)
                .allMatch(Thread::isDaemon);
    }

    private static List<String> gatewayThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("maestro-gateway"))
                .toList();
    }

    @Test
    void itListensOnNoWildcardAddress() throws Exception {
        InetAddress all = InetAddress.getByName("0.0.0.0");
        ApiGateway gateway = gateway(patient());
        assertThatIllegalArgumentException().isThrownBy(() -> gateway.overHttp(all));
        assertThatIllegalArgumentException().isThrownBy(() -> gateway.overHttp(InetAddress.getByName("::")));
    }

    @Test
    void aSocketIsForAllWhoReachItAndReplacesOnlyADeadOne() throws Exception {
        Path file = temp.resolve("api.sock");
        ApiGateway first = gateway(patient());
        first.overSocket(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-rw-rw-");
        assertThatThrownBy(() -> gateway(patient()).overSocket(file))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("in use");
        Files.move(file, temp.resolve("kept"));
        first.close();
        Files.move(temp.resolve("kept"), file);

        ApiAccess access = gateway(patient()).overSocket(file);
        assertThat(RawClient.message(access, true).status()).isEqualTo(200);
    }

    @Test
    void aPathThatIsTooLongIsSaid() throws IOException {
        Path deep = Files.createDirectories(temp.resolve("d".repeat(100)));
        assertThatThrownBy(() -> gateway(patient()).overSocket(deep.resolve("api.sock")))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("too long");
    }

    private interface Condition {
        boolean holds();
    }

    private static void until(Condition condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within 30 s");
            }
            Thread.sleep(10);
        }
    }
}
