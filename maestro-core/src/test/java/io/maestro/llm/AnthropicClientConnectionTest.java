package io.maestro.llm;

import static io.maestro.llm.Asked.HELLO;
import static io.maestro.llm.Asked.KEY;
import static io.maestro.llm.Asked.go;
import static io.maestro.llm.Asked.request;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that misbehave below HTTP, and callers that go away. */
@Timeout(60)
class AnthropicClientConnectionTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

    private final FakeClock clock = new FakeClock(0);

    /** An address that was never right is not tried again; one that was right before is. */
    @Test
    void triesAgainWhenNobodyListensAnyMore() {
        AnthropicClient client;
        URI nobody;
        try (LoopbackApi api = new LoopbackApi(Asked.hello())) {
            nobody = api.url();
            client = Asked.client(nobody, clock).build();
            client.complete(go());
        }
        AnthropicClient fresh = Asked.client(nobody, clock).build();

        assertThat(catchThrowableOfType(LlmUnavailableException.class, () -> fresh.complete(go())))
                .hasMessageContaining("the service at " + nobody + " cannot be reached: the connection is refused")
                .hasMessageContaining("check the base URL (ANTHROPIC_BASE_URL)")
                .hasMessageContaining("gave up after 1 attempt ");
        assertThat(clock.sleeps()).isEmpty();

        assertThat(catchThrowableOfType(LlmUnavailableException.class, () -> client.complete(go())))
                .hasMessageContaining("the connection is refused")
                .hasMessageContaining("gave up after 5 attempts");
        assertThat(clock.sleeps()).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\ncontent-",
                "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"content\": [",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"con",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
                "SMTP ready\r\n\r\n"
            })
    void triesAgainWhenTheAnswerIsCutOrNoHttp(String sent) throws Exception {
        try (RawServer server = new RawServer(socket -> RawServer.write(socket, sent))) {
            assertThat(unavailable(server, Duration.ofSeconds(20)))
                    .hasMessageContaining("the service at " + server.url() + " has sent no usable answer")
                    .hasMessageContaining("gave up after 5 attempts");
            // The JDK's client may ask once more by itself when a connection ends without a byte.
            assertThat(server.connections()).isGreaterThanOrEqualTo(5);
        }
    }

    @Test
    void triesAgainAfterAReset() throws Exception {
        try (RawServer server = new RawServer(socket -> {
            RawServer.write(socket, HEAD + "content-length: 1000\r\n\r\n{");
            socket.setSoLinger(true, 0);
        })) {
            assertThat(unavailable(server, Duration.ofSeconds(20))).hasMessageContaining("gave up after 5 attempts");
        }
    }

    @Test
    void hidesTheKeyInAnAnswerThatIsNoHttp() throws Exception {
        try (RawServer server = new RawServer(socket -> RawServer.write(socket, KEY + "\r\n\r\n"))) {
            StringWriter trace = new StringWriter();
            unavailable(server, Duration.ofSeconds(20)).printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).doesNotContain(KEY);
        }
    }

    @Test
    void endsAtTheTimeLimitWhenNothingComes() throws Exception {
        try (RawServer server = new RawServer(AnthropicClientConnectionTest::awaitEnd)) {
            assertThat(unavailable(server, Duration.ofMillis(200)))
                    .hasMessageContaining("no complete answer within 200 ms");
        }
    }

    @Test
    void givesAnAttemptNoMoreThanTheTotalTime() throws Exception {
        try (RawServer server = new RawServer(AnthropicClientConnectionTest::awaitEnd)) {
            AnthropicClient client = Asked.client(server.url(), clock)
                    .connection(c -> c.requestTimeLimit(Duration.ofHours(1))
                            .totalTimeLimit(Duration.ofMillis(200))
                            .maxRetries(0))
                    .build();

            assertThat(catchThrowableOfType(LlmUnavailableException.class, () -> client.complete(go())))
                    .hasMessageContaining("no complete answer within 200 ms");
        }
    }

    @Test
    void endsAtTheTimeLimitWhenTheBodyDripsAndClosesTheConnection() throws Exception {
        CountDownLatch closed = new CountDownLatch(5);
        try (RawServer server = new RawServer(socket -> {
            try {
                RawServer.write(socket, HEAD + "content-length: 100000\r\n\r\n");
                drip(socket);
            } finally {
                closed.countDown();
            }
        })) {
            assertThat(unavailable(server, Duration.ofMillis(200)))
                    .hasMessageContaining("no complete answer within 200 ms");
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Writes a blank now and then until the other side has gone, which a later write notices. */
    private static void drip(Socket socket) throws Exception {
        while (true) {
            RawServer.write(socket, " ");
            Thread.sleep(20);
        }
    }

    @Test
    void takesNoMoreThanTheLimitOfAnEndlessAnswer() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (RawServer server = new RawServer(socket -> {
            try {
                RawServer.write(socket, HEAD + "\r\n");
                while (true) {
                    RawServer.write(socket, " ".repeat(8192));
                }
            } finally {
                closed.countDown();
            }
        })) {
            LlmException thrown = catchThrowableOfType(
                    LlmException.class,
                    () -> Asked.client(server.url(), clock)
                            .connection(c -> c.maxBodyBytes(1_000_000))
                            .build()
                            .complete(go()));

            assertThat(thrown).hasMessageContaining("the answer has more than 1000000 bytes");
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(clock.sleeps()).isEmpty();
        }
    }

    @Test
    void takesAnAnswerThatIsJustWithinTheLimit() throws Exception {
        try (RawServer server = new RawServer(
                socket -> RawServer.write(socket, HEAD + "content-length: " + HELLO.length() + "\r\n\r\n" + HELLO))) {
            AnthropicClient.Builder client = Asked.client(server.url(), clock);

            assertThat(client.connection(c -> c.maxBodyBytes(HELLO.length()))
                            .build()
                            .complete(go())
                            .content())
                    .hasSize(1);
            assertThat(catchThrowableOfType(
                            LlmException.class,
                            () -> client.connection(c -> c.maxBodyBytes(HELLO.length() - 1))
                                    .build()
                                    .complete(go())))
                    .isNotNull();
        }
    }

    @Test
    void endsAtOnceWhenInterruptedAndClosesTheConnection() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (RawServer server = new RawServer(socket -> {
            asked.countDown();
            awaitEnd(socket);
            closed.countDown();
        })) {
            AnthropicClient client = Asked.client(server.url(), clock).build();
            Future<Boolean> call = caller.submit(() -> {
                try {
                    client.complete(go());
                    return false;
                } catch (LlmInterruptedException e) {
                    return Thread.currentThread().isInterrupted();
                }
            });
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

            caller.shutdownNow();

            assertThat(call.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            caller.shutdownNow();
        }
    }

    private static void awaitEnd(Socket socket) throws IOException {
        while (socket.getInputStream().read() >= 0) {}
    }

    @Test
    void servesSeveralThreads() throws Exception {
        int callers = 8;
        int calls = 20;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try (RawServer server = new RawServer(socket -> RawServer.write(
                socket, HEAD + "connection: close\r\ncontent-length: " + HELLO.length() + "\r\n\r\n" + HELLO))) {
            AnthropicClient client = Asked.client(server.url(), clock).build();
            List<Future<Long>> runs = IntStream.range(0, callers)
                    .mapToObj(c -> threads.submit(() -> IntStream.range(0, calls)
                            .filter(i -> client.complete(request(LlmMessage.user("from " + c)))
                                            .content()
                                            .size()
                                    == 1)
                            .count()))
                    .toList();
            for (Future<Long> run : runs) {
                assertThat(run.get(50, TimeUnit.SECONDS)).isEqualTo(calls);
            }
            assertThat(server.connections()).isEqualTo(callers * calls);
        } finally {
            threads.shutdownNow();
        }
    }

    private LlmUnavailableException unavailable(RawServer server, Duration limit) {
        AnthropicClient client = Asked.client(server.url(), clock)
                .connection(c -> c.requestTimeLimit(limit))
                .build();
        return catchThrowableOfType(LlmUnavailableException.class, () -> client.complete(go()));
    }
}
