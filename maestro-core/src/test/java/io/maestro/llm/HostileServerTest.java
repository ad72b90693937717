package io.maestro.llm;

import static io.maestro.llm.Asked.KEY;
import static io.maestro.llm.Asked.go;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.maestro.error.MaestroException;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.LoopbackApi.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that misbehave in all ways we could think of, for the clients of all vendors, streaming and not. */
@Timeout(120)
class HostileServerTest {
    private static final LlmResponse HELLO =
            new LlmResponse("m", List.of(new Text("hello ä😀 world")), StopReason.END_TURN, new Usage(3, 4, 1, 0));

    private final FakeClock clock = new FakeClock(0);

    // Connections

    @ParameterizedTest
    @EnumSource
    void nobodyListens(Wire wire) throws IOException {
        URI nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }

        assertThat(catchThrowableOfType(
                        LlmUnavailableException.class,
                        () -> wire.client(nobody, clock).build().complete(go())))
                .hasMessageContaining("the service at " + nobody + " cannot be reached: the connection is refused")
                .hasMessageContaining("gave up after 1 attempt ");
    }

    @ParameterizedTest
    @EnumSource
    void theConnectionIsResetInTheHeadersOrInTheBody(Wire wire) throws Exception {
        for (String sent : List.of("", "HTTP/1.1 200 OK\r\ncontent-", head(wire, "content-length: 1000"))) {
            try (RawServer server = new RawServer(socket -> {
                RawServer.write(socket, sent);
                socket.setSoLinger(true, 0);
            })) {
                assertThat(unavailable(wire.client(server.url(), clock).connection(c -> c.maxRetries(1))))
                        .as(sent)
                        .hasMessageContaining("gave up after 2 attempts");
            }
        }
    }

    /** Wherever an answer is cut, with or without an end of the body that looks good, nothing of it is returned. */
    @ParameterizedTest
    @EnumSource
    void theAnswerIsCut(Wire wire) throws Exception {
        String whole = wire.body(HELLO);
        // Behind the last brace nothing is missing but an empty line.
        int end = whole.lastIndexOf('}');
        List<Integer> cuts = new ArrayList<>(List.of(0, 1, end / 3, end / 2, end - 1, end));
        if (wire.stream) {
            int last = wire.events(HELLO).get(wire.events(HELLO).size() - 1).length();
            cuts.add(whole.length() - last);
        }
        for (int cut : cuts) {
            String part = whole.substring(0, cut);
            int length = part.getBytes(StandardCharsets.UTF_8).length;
            for (String sent : List.of(
                    head(wire, "content-length: " + length) + part,
                    head(wire, "content-length: " + (length + 1)) + part,
                    head(wire, "connection: close") + part,
                    head(wire, "transfer-encoding: chunked") + chunk(part) + "0\r\n\r\n",
                    head(wire, "transfer-encoding: chunked") + chunk(part))) {
                AtomicInteger asked = new AtomicInteger();
                try (RawServer server = new RawServer(socket ->
                        RawServer.write(socket, asked.incrementAndGet() == 1 ? sent : head(wire, "") + whole))) {
                    assertThat(unavailable(wire.client(server.url(), clock).connection(c -> c.maxRetries(0))))
                            .as(sent)
                            .hasMessageContaining("gave up after 1 attempt");
                    assertThat(wire.client(server.url(), clock).build().complete(go()))
                            .isEqualTo(HELLO);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ANTHROPIC_STREAM", "OPENAI_STREAM"})
    void aListenerHearsThatWhatItHeardIsVoid(Wire wire) throws Exception {
        List<String> events = wire.events(HELLO);
        String cut = String.join("", events.subList(0, events.size() - 1));
        try (LoopbackApi api =
                new LoopbackApi(wire.ok(cut), wire.error(529, "overloaded_error", "x"), wire.answer(HELLO))) {
            StringBuilder told = new StringBuilder();

            LlmResponse said = wire.client(api.url(), clock).build().complete(go(), new LlmStreamListener() {
                @Override
                public void onText(String text) {
                    told.append(text);
                }

                @Override
                public void onRestart() {
                    told.append('|');
                }
            });

            assertThat(said).isEqualTo(HELLO);
            assertThat(told).hasToString("hello ä😀 world|hello ä😀 world");
        }
    }

    // Time

    @ParameterizedTest
    @EnumSource
    void nothingComes(Wire wire) throws Exception {
        try (RawServer server = new RawServer(HostileServerTest::awaitEnd)) {
            assertThat(unavailable(wire.client(server.url(), clock)
                            .connection(c ->
                                    c.requestTimeLimit(Duration.ofMillis(300)).maxRetries(0))))
                    .hasMessageContaining("no complete answer within 300 ms");
        }
    }

    @ParameterizedTest
    @EnumSource
    void headersOrBodyDripForEver(Wire wire) throws Exception {
        String begun = wire.stream ? head(wire, "") + ": " : head(wire, "");
        for (String sent : List.of("HTTP/1.1 200 OK\r\nx: ", begun)) {
            drips(wire, sent, "x");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ANTHROPIC_STREAM", "OPENAI_STREAM"})
    void eventsDripForEver(Wire wire) throws Exception {
        drips(wire, head(wire, "") + wire.events(HELLO).get(0), "event: ping\ndata: {\"type\":\"ping\"}\n\n");
    }

    /** No silence is as long as the idle limit, but the limit of the attempt holds. */
    private void drips(Wire wire, String begun, String drop) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawServer server = new RawServer(socket -> {
            try {
                RawServer.write(socket, begun);
                while (true) {
                    RawServer.write(socket, drop);
                    Thread.sleep(20);
                }
            } finally {
                closed.countDown();
            }
        })) {
            assertThat(unavailable(wire.client(server.url(), clock)
                            .connection(c -> c.requestTimeLimit(Duration.ofMillis(300))
                                    .idleTimeLimit(Duration.ofSeconds(60))
                                    .maxRetries(0))))
                    .hasMessageContaining("no complete answer within 300 ms");
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerFallsSilent(Wire wire) throws Exception {
        String begun = wire.stream ? wire.events(HELLO).get(0) : "{";
        CountDownLatch closed = new CountDownLatch(1);
        try (RawServer server = new RawServer(socket -> {
            RawServer.write(socket, head(wire, "") + begun);
            awaitEnd(socket);
            closed.countDown();
        })) {
            assertThat(unavailable(wire.client(server.url(), clock)
                            .connection(c -> c.requestTimeLimit(Duration.ofHours(1))
                                    .totalTimeLimit(Duration.ofHours(1))
                                    .idleTimeLimit(Duration.ofMillis(300))
                                    .maxRetries(0))))
                    .hasMessageContaining("nothing more of the answer came for 300 ms");
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The end of the connection is not waited for when all is said. */
    @ParameterizedTest
    @EnumSource(names = {"ANTHROPIC_STREAM", "OPENAI_STREAM"})
    void theConnectionStaysOpenBehindACompleteAnswer(Wire wire) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawServer server = new RawServer(socket -> {
            RawServer.write(socket, head(wire, "") + wire.body(HELLO));
            awaitEnd(socket);
            closed.countDown();
        })) {
            assertThat(wire.client(server.url(), clock).build().complete(go())).isEqualTo(HELLO);
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Not always the same: a request may come before the connection is free again. */
    @ParameterizedTest
    @EnumSource
    void aConnectionIsUsedAgain(Wire wire) {
        try (LoopbackApi api = new LoopbackApi(wire.answer(HELLO))) {
            LlmClient client = wire.client(api.url(), clock).build();
            for (int i = 0; i < 20; i++) {
                client.complete(go());
            }
            assertThat(api.received().stream().map(LoopbackApi.Received::port).distinct())
                    .hasSizeLessThan(20);
        }
    }

    // Size

    @ParameterizedTest
    @EnumSource
    void theAnswerNeverEnds(Wire wire) throws Exception {
        List<String> floods = wire.stream
                ? List.of(
                        "x".repeat(8192),
                        ": " + "x".repeat(8192) + "\n",
                        "data: {}\n\n",
                        "data: x\n",
                        "\n",
                        "event: a\n")
                : List.of(" ".repeat(8192), "[".repeat(8192));
        for (String flood : floods) {
            CountDownLatch closed = new CountDownLatch(1);
            String sent = flood.repeat(1 + 8192 / flood.length());
            try (RawServer server = new RawServer(socket -> {
                try {
                    RawServer.write(socket, head(wire, ""));
                    while (true) {
                        RawServer.write(socket, sent);
                    }
                } finally {
                    closed.countDown();
                }
            })) {
                LlmException thrown = catchThrowableOfType(
                        LlmException.class,
                        () -> wire.client(server.url(), clock)
                                .connection(c -> c.maxBodyBytes(1_000_000))
                                .build()
                                .complete(go()));

                assertThat(thrown).as(flood).hasMessageContaining("the answer has more than 1000000 bytes");
                assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(server.connections()).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anErrorNeverEnds(Wire wire) throws Exception {
        try (RawServer server = new RawServer(socket -> {
            RawServer.write(socket, "HTTP/1.1 401 No\r\n\r\n");
            while (true) {
                RawServer.write(socket, "no ".repeat(1000));
            }
        })) {
            assertThat(catchThrowableOfType(
                            LlmException.class,
                            () -> wire.client(server.url(), clock).build().complete(go())))
                    .hasMessageContaining("HTTP 401: no no")
                    .hasMessageContaining(wire.anthropic ? "(ANTHROPIC_API_KEY)" : "(OPENAI_API_KEY)");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSmallBodyGrowsLarge(Wire wire) {
        byte[] bomb = gzip(" ".repeat(50_000_000));
        try (LoopbackApi api = new LoopbackApi(
                new Answer(200, Map.of("content-type", wire.contentType(), "content-encoding", "gzip"), bomb))) {
            assertThat(catchThrowableOfType(
                            LlmException.class,
                            () -> wire.client(api.url(), clock)
                                    .connection(c -> c.maxBodyBytes(1_000_000))
                                    .build()
                                    .complete(go())))
                    .hasMessageContaining("more than 1000000 bytes");
        }
    }

    // Content

    @ParameterizedTest
    @EnumSource
    void theAnswerIsGarbage(Wire wire) {
        List<Answer> answers = new ArrayList<>();
        for (String body : List.of(
                "",
                "garbage",
                "[]",
                "null",
                "7",
                "{}",
                "{\"content\":7,\"output\":7}",
                "[".repeat(5000),
                "{\"a\":".repeat(5000),
                "\u0000\uFFFF",
                "<html>Sign in</html>",
                "data: {\"type\":\"message_stop\"}\n\n",
                "data: {\"type\":\"message_start\"}\n\n",
                "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{}}\n\n",
                "data: {\"type\":\"response.completed\"}\n\n",
                "data: {\"type\":\"response.completed\",\"response\":7}\n\n",
                "data: garbage\n\n",
                "data: [DONE]\n\n")) {
            answers.add(wire.ok(body));
            answers.add(new Answer(200, Map.of(), body.getBytes(StandardCharsets.UTF_8)));
        }
        answers.add(
                new Answer(200, Map.of("content-type", "text/html"), "<html></html>".getBytes(StandardCharsets.UTF_8)));
        answers.add(new Answer(
                200, Map.of("content-type", "image/png"), wire.body(HELLO).getBytes(StandardCharsets.UTF_8)));
        answers.add(new Answer(200, Map.of("content-type", "\u00e4"), new byte[] {(byte) 0xff, 0}));
        for (Answer answer : answers) {
            try (LoopbackApi api = new LoopbackApi(answer, wire.answer(HELLO))) {
                String as = answer.headers() + new String(answer.body(), StandardCharsets.UTF_8);
                assertThat(unavailable(wire.client(api.url(), clock).connection(c -> c.maxRetries(0))))
                        .as(as)
                        .hasMessageContaining(wire.anthropic ? "Messages API" : "Responses API");
                assertThat(wire.client(api.url(), clock).build().complete(go()))
                        .as(as)
                        .isEqualTo(HELLO);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerComesInAnotherFormThanAskedFor(Wire wire) {
        Wire other = Wire.values()[wire.ordinal() ^ 1];
        try (LoopbackApi api = new LoopbackApi(other.answer(HELLO))) {
            StringBuilder told = new StringBuilder();

            assertThat(wire.client(api.url(), clock).build().complete(go(), told::append))
                    .isEqualTo(HELLO);
            assertThat(told).hasToString("hello ä😀 world");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerIsCompressedThoughNobodyAsked(Wire wire) {
        byte[] compressed = gzip(wire.body(HELLO));
        Map<String, String> headers = Map.of("content-type", wire.contentType(), "content-encoding", "GZIP");
        try (LoopbackApi api = new LoopbackApi(new Answer(200, headers, compressed))) {
            assertThat(wire.client(api.url(), clock).build().complete(go())).isEqualTo(HELLO);
            assertThat(api.received().get(0).headers()).doesNotContainKey("accept-encoding");
        }
        List<Answer> broken = List.of(
                new Answer(200, headers, new byte[0]),
                new Answer(200, headers, wire.body(HELLO).getBytes(StandardCharsets.UTF_8)),
                new Answer(200, headers, Arrays.copyOf(compressed, compressed.length / 2)),
                new Answer(200, Map.of("content-type", wire.contentType(), "content-encoding", "br"), compressed));
        for (Answer answer : broken) {
            try (LoopbackApi api = new LoopbackApi(answer)) {
                assertThat(unavailable(wire.client(api.url(), clock))).hasMessageContaining("gave up after 5 attempts");
            }
        }
    }

    /** Characters, line ends and events are cut by the network wherever it likes. */
    @ParameterizedTest
    @EnumSource
    void theAnswerComesByteByByte(Wire wire) throws Exception {
        byte[] body = wire.body(HELLO).getBytes(StandardCharsets.UTF_8);
        try (RawServer server = new RawServer(socket -> {
            socket.setTcpNoDelay(true);
            RawServer.write(socket, head(wire, "content-length: " + body.length));
            for (byte one : body) {
                socket.getOutputStream().write(one);
                socket.getOutputStream().flush();
            }
            awaitEnd(socket);
        })) {
            StringBuilder told = new StringBuilder();
            assertThat(wire.client(server.url(), clock).build().complete(go(), told::append))
                    .isEqualTo(HELLO);
            assertThat(told).hasToString("hello ä😀 world");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ANTHROPIC_STREAM", "OPENAI_STREAM"})
    void theStreamIsWrittenInAnyWayThatTheStandardAllows(Wire wire) {
        String body = wire.body(HELLO);
        for (String same : List.of(
                body.replace("\n", "\r\n"),
                body.replace("\n", "\r"),
                "\uFEFF" + body,
                "\n\n\n" + body,
                body.replace("data: ", "data:"),
                body.replace("data: {", "data: {\ndata:"),
                body.replace("data: ", ": a comment\nid: 7\nretry: 10\nnonsense\ndata: "),
                body.replaceAll("event: .*\n", ""),
                body.replace("\n\n", "\n\nevent: new\ndata: {\"type\":\"from.the.future\",\"x\":[1]}\n\n"),
                body + "data: garbage\n\n")) {
            try (LoopbackApi api = new LoopbackApi(wire.ok(same))) {
                assertThat(wire.client(api.url(), clock).build().complete(go()))
                        .as(same)
                        .isEqualTo(HELLO);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsOfToolsAreBroken(Wire wire) {
        List<LlmContent> calls = Arrays.stream(new String[] {"{\"a\": ", "[1,2]", "not JSON", "7", "{} {}"})
                .<LlmContent>map(input -> new ToolUse("t" + input.hashCode(), "shell", input))
                .toList();
        LlmResponse said = new LlmResponse("m", calls, StopReason.TOOL_USE, Usage.NONE);
        try (LoopbackApi api = new LoopbackApi(wire.answer(said))) {
            assertThat(wire.client(api.url(), clock).build().complete(go())).isEqualTo(said);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHundredCallsOfToolsComeAtOnce(Wire wire) {
        List<LlmContent> calls = IntStream.range(0, 100)
                .<LlmContent>mapToObj(i -> new ToolUse("t" + i, "shell", "{\"n\":" + i + "}"))
                .toList();
        LlmResponse said = new LlmResponse("m", calls, StopReason.TOOL_USE, Usage.NONE);
        try (LoopbackApi api = new LoopbackApi(wire.answer(said))) {
            assertThat(wire.client(api.url(), clock).build().complete(go())).isEqualTo(said);
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsOfToolsHaveTheSameId(Wire wire) {
        List<LlmContent> calls = List.of(
                new ToolUse("t", "a", "{}"),
                new ToolUse("t", "b", "{}"),
                new ToolUse("t_2", "c", "{}"),
                new ToolUse("t", "d", "{}"));
        try (LoopbackApi api =
                new LoopbackApi(wire.answer(new LlmResponse("m", calls, StopReason.TOOL_USE, Usage.NONE)))) {
            List<ToolUse> uses =
                    wire.client(api.url(), clock).build().complete(go()).toolUses();

            assertThat(uses).extracting(ToolUse::id).doesNotHaveDuplicates().startsWith("t");
            assertThat(uses).extracting(ToolUse::name).containsExactly("a", "b", "c", "d");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCallOfAToolHasNoName(Wire wire) {
        for (ToolUse use : List.of(new ToolUse("", "shell", "{}"), new ToolUse("t1", "", "{}"))) {
            try (LoopbackApi api =
                    new LoopbackApi(wire.answer(new LlmResponse("m", List.of(use), StopReason.TOOL_USE, Usage.NONE)))) {
                assertThat(unavailable(wire.client(api.url(), clock)))
                        .hasMessageContaining("calls a tool without an id or a name");
            }
        }
    }

    // Errors

    @ParameterizedTest
    @EnumSource
    void theServiceHasTroubleForAWhile(Wire wire) {
        for (int status : new int[] {408, 409, 429, 500, 502, 503, 504, 529}) {
            try (LoopbackApi api = new LoopbackApi(
                    wire.error(status, "e", "m"),
                    new Answer(status, Map.of("content-type", "text/html"), "<html>".getBytes(StandardCharsets.UTF_8)),
                    wire.answer(HELLO))) {
                assertThat(wire.client(api.url(), clock).build().complete(go())).isEqualTo(HELLO);
                assertThat(api.received()).hasSize(3);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theServiceAsksToWait(Wire wire) {
        Answer limited = wire.error(429, "rate_limit_error", "slow down");
        try (LoopbackApi api = new LoopbackApi(
                limited.with("retry-after", "7"),
                limited.with("retry-after-ms", "120"),
                limited.with("retry-after", "Fri, 20 Nov 2026 10:01:00 GMT"),
                wire.answer(HELLO))) {
            wire.client(api.url(), clock).build().complete(go());

            assertThat(clock.sleeps())
                    .containsExactly(Duration.ofSeconds(7), Duration.ofMillis(120), Duration.ofMillis(60_000 - 7_120));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theServiceRefuses(Wire wire) {
        for (int status : new int[] {400, 401, 402, 403, 404, 418, 422}) {
            try (LoopbackApi api = new LoopbackApi(wire.error(status, "some_error", "the reason"))) {
                assertThat(catchThrowableOfType(
                                LlmException.class,
                                () -> wire.client(api.url(), clock).build().complete(go())))
                        .isNotInstanceOf(LlmContextOverflowException.class)
                        .hasMessageStartingWith("m: HTTP " + status + " some_error: the reason; ");
                assertThat(api.received()).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theConversationIsTooLong(Wire wire) {
        List<Answer> answers = new ArrayList<>(List.of(
                wire.error(413, "request_too_large", "Request exceeds the maximum size"),
                wire.anthropic
                        ? wire.error(400, "invalid_request_error", "prompt is too long: 209353 tokens > 199999 maximum")
                        : wire.error(400, "context_length_exceeded", "Your input exceeds the context window")));
        if (wire.stream) {
            answers.add(wire.ok(
                    wire.anthropic
                            ? wire.errorEvent(
                                    "invalid_request_error",
                                    "input length and `max_tokens` exceed context limit: 182831 + 64000 > 200000")
                            : wire.errorEvent("context_length_exceeded", "")));
        }
        for (Answer answer : answers) {
            try (LoopbackApi api = new LoopbackApi(answer.with("x-should-retry", "true"))) {
                assertThatThrownBy(() -> wire.client(api.url(), clock).build().complete(go()))
                        .isInstanceOf(LlmContextOverflowException.class)
                        .hasMessageContaining("shorten it");
                assertThat(api.received()).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ANTHROPIC_STREAM", "OPENAI_STREAM"})
    void theStreamEndsWithAnError(Wire wire) {
        List<String> events = wire.events(HELLO);
        String begun = String.join("", events.subList(0, events.size() - 1));
        String busy = wire.anthropic ? "overloaded_error" : "server_is_overloaded";
        for (String start : List.of("", begun)) {
            try (LoopbackApi api =
                    new LoopbackApi(wire.ok(start + wire.errorEvent(busy, "Overloaded")), wire.answer(HELLO))) {
                assertThat(unavailable(wire.client(api.url(), clock).connection(c -> c.maxRetries(0))))
                        .hasMessageContaining("the answer broke off with " + busy + ": Overloaded")
                        .hasMessageContaining("the service is overloaded");
                assertThat(wire.client(api.url(), clock).build().complete(go())).isEqualTo(HELLO);
            }
            String refused = wire.anthropic ? "authentication_error" : "invalid_api_key";
            try (LoopbackApi api = new LoopbackApi(wire.ok(start + wire.errorEvent(refused, "no")))) {
                assertThatThrownBy(() -> wire.client(api.url(), clock).build().complete(go()))
                        .isInstanceOf(LlmException.class)
                        .hasMessageContaining("check the API key");
                assertThat(api.received()).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theKeyIsSentBackAndShownNowhere(Wire wire) throws Exception {
        List<Answer> answers = new ArrayList<>(List.of(
                wire.error(401, KEY, "x".repeat(490) + "bad key " + KEY)
                        .with("request-id", KEY)
                        .with("x-request-id", KEY)
                        .with("retry-after", KEY),
                wire.error(400, "invalid_request_error", "prompt is too long: " + KEY),
                new Answer(529, Map.of("x-request-id", KEY), KEY.getBytes(StandardCharsets.UTF_8)),
                new Answer(307, Map.of("location", "https://host/?" + KEY), new byte[0]),
                new Answer(200, Map.of("content-type", KEY), new byte[0]),
                new Answer(200, Map.of("content-encoding", KEY), new byte[0]),
                wire.ok(KEY),
                wire.ok("{\"" + KEY + "\": " + KEY + "}"),
                wire.ok("{\"status\":\"cancelled\",\"output\":\"" + KEY + "\"}"),
                wire.ok("data: {\"" + KEY + "\n\n")));
        if (wire.stream) {
            answers.add(wire.ok(wire.errorEvent(KEY, "broke at " + KEY)));
            answers.add(wire.ok(wire.errorEvent("context_length_exceeded", "broke at " + KEY)));
        } else {
            answers.add(wire.ok(wire.errorBody(KEY, KEY)));
        }
        for (Answer answer : answers) {
            try (LoopbackApi api = new LoopbackApi(answer)) {
                LlmClient client = wire.client(api.url(), clock).build();
                MaestroException thrown = catchThrowableOfType(MaestroException.class, () -> client.complete(go()));
                StringWriter trace = new StringWriter();
                thrown.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).doesNotContain(KEY.substring(0, 12));
                assertThat(client.toString() + wire.client(api.url(), clock)).doesNotContain(KEY.substring(0, 12));
            }
        }
    }

    // Interrupts

    @ParameterizedTest
    @EnumSource
    void theCallerIsInterruptedWhileAnAnswerArrives(Wire wire) throws Exception {
        String begun = wire.stream
                ? wire.events(HELLO).stream().limit(5).collect(Collectors.joining())
                : wire.body(HELLO).substring(0, 9);
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (RawServer server = new RawServer(socket -> {
            RawServer.write(socket, head(wire, "") + begun);
            sent.countDown();
            awaitEnd(socket);
            closed.countDown();
        })) {
            CountDownLatch told = new CountDownLatch(wire.stream ? 1 : 0);
            LlmClient client = wire.client(server.url(), clock)
                    .connection(c -> c.requestTimeLimit(Duration.ofHours(1)).totalTimeLimit(Duration.ofHours(1)))
                    .build();
            CompletableFuture<Thread> calling = new CompletableFuture<>();
            Future<Boolean> call = caller.submit(() -> {
                calling.complete(Thread.currentThread());
                try {
                    client.complete(go(), text -> told.countDown());
                    return false;
                } catch (LlmInterruptedException e) {
                    return Thread.currentThread().isInterrupted();
                }
            });
            assertThat(sent.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
            // The head has arrived, and the rest is waited for; what was sent need not have been received.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (Arrays.stream(calling.get().getStackTrace())
                    .noneMatch(frame -> frame.getClassName().endsWith(".ArrivingBody")
                            && frame.getMethodName().equals("read"))) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }

            caller.shutdownNow();

            assertThat(call.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            caller.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ANTHROPIC_STREAM", "OPENAI_STREAM"})
    void theListenerHasSeenEnough(Wire wire) throws Exception {
        List<String> events = wire.events(HELLO);
        CountDownLatch closed = new CountDownLatch(1);
        try (RawServer server = new RawServer(socket -> {
            RawServer.write(socket, head(wire, "") + String.join("", events.subList(0, events.size() - 1)));
            awaitEnd(socket);
            closed.countDown();
        })) {
            assertThatThrownBy(() -> wire.client(server.url(), clock).build().complete(go(), text -> {
                        throw new IllegalStateException("enough");
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("enough");
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    private static LlmUnavailableException unavailable(VendorBuilder client) {
        return catchThrowableOfType(
                LlmUnavailableException.class, () -> client.build().complete(go()));
    }

    private static String head(Wire wire, String header) {
        return "HTTP/1.1 200 OK\r\ncontent-type: " + wire.contentType() + "\r\n"
                + (header.isEmpty() ? "" : header + "\r\n") + "\r\n";
    }

    private static String chunk(String text) {
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        return length == 0 ? "" : Integer.toHexString(length) + "\r\n" + text + "\r\n";
    }

    private static void awaitEnd(Socket socket) throws IOException {
        while (socket.getInputStream().read() >= 0) {}
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return compressed.toByteArray();
    }
}
