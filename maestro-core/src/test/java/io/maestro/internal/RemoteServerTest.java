package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.maestro.error.RetriableException;
import io.maestro.internal.RemoteServer.UnreachableException;
import io.maestro.llm.RawServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said of a server that is not reached, with what the JDK's client really throws. */
@Timeout(60)
class RemoteServerTest {
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Duration limit = LIMIT;
    private final RemoteServer server = new RemoteServer("the forge", "forge.base_url", text -> text);

    /** As each client of Maestro asks. */
    private UnreachableException asked(URI uri) {
        Throwable thrown = catchThrowable(() -> CLIENT.send(
                HttpRequest.newBuilder(uri).timeout(limit).build(), HttpResponse.BodyHandlers.discarding()));
        return server.unreachable(uri, thrown, limit, true);
    }

    private static URI nobody() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void isFirstContactUntilItHasAnswered(URI uri) {
        assertThat(asked(uri).isFirstContact()).isTrue();
        assertThat(RemoteServer.isFirstContact(new RetriableException("outer", asked(uri), null)))
                .isTrue();
        server.answered();
        assertThat(asked(uri).isFirstContact()).isFalse();
    }

    @Test
    void aNameThatDoesNotResolve() {
        URI uri = URI.create("https://ghe.corp.invalid/api/v3/repos");
        assertThat(asked(uri))
                .hasMessage("the forge at https://ghe.corp.invalid cannot be reached: the host name does not resolve;"
                        + " check forge.base_url");
        assertThat(asked(uri).mayHaveArrived()).isFalse();
        isFirstContactUntilItHasAnswered(uri);
    }

    @Test
    void aPortOnWhichNobodyListens() {
        URI uri = nobody();
        assertThat(asked(uri))
                .hasMessage("the forge at " + uri + " cannot be reached: the connection is refused; see whether the"
                        + " server runs, and check forge.base_url");
        assertThat(asked(uri).mayHaveArrived()).isFalse();
        isFirstContactUntilItHasAnswered(uri);
    }

    @Test
    void aServerThatAcceptsAndIsSilent() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        try (RawServer silent = new RawServer(socket -> end.await())) {
            assertThat(asked(silent.url()))
                    .hasMessage("the forge at " + silent.url() + " has sent no complete answer within 300 ms; check"
                            + " forge.base_url and the network");
            assertThat(asked(silent.url()).mayHaveArrived()).isTrue();
            isFirstContactUntilItHasAnswered(silent.url());
        } finally {
            end.countDown();
        }
    }

    @Test
    void silenceWhileAModelThinksIsNoFirstContact() {
        Throwable timeout = new java.net.http.HttpTimeoutException("request timed out");
        assertThat(server.unreachable(nobody(), timeout, LIMIT, false).isFirstContact())
                .isFalse();
    }

    private static void speakPlainly(ServerSocket server) {
        try {
            while (true) {
                try (Socket socket = server.accept()) {
                    int unused = socket.getInputStream().read(new byte[4096]);
                    RawServer.write(socket, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
                }
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    @Test
    void aServerThatSpeaksNoTls() throws IOException {
        limit = Duration.ofSeconds(20);
        try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Threads.platformFactory("plain")
                    .newThread(() -> speakPlainly(plain))
                    .start();
            URI uri = URI.create("https://127.0.0.1:" + plain.getLocalPort());
            assertThat(asked(uri))
                    .hasMessageStartingWith("the forge at " + uri + " cannot be reached: TLS fails (")
                    .hasMessageContaining("check forge.base_url, and whether this JVM trusts");
            isFirstContactUntilItHasAnswered(uri);
        }
    }

    @Test
    void aConnectionThatBreaksOffMayBeAnOutageAtOnce() throws IOException {
        try (RawServer broken = new RawServer(socket -> RawServer.write(socket, "HTTP/1.1 200 OK\r\ncont"))) {
            assertThat(asked(broken.url()))
                    .hasMessageStartingWith("the forge at " + broken.url() + " has sent no usable answer (");
            assertThat(asked(broken.url()).isFirstContact()).isFalse();
        }
    }

    @Test
    void whoAsksIsAnsweredInTime() {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> server.ask(LIMIT, () -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        never.countDown();
                    }
                    return "";
                }))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("no complete answer within 300 ms")
                .satisfies(thrown ->
                        assertThat(RemoteServer.isFirstContact(thrown)).isTrue());
        assertThat(server.ask(LIMIT, () -> "x")).isEqualTo("x");
        assertThat(server.hasAnswered()).isTrue();
        RuntimeException own = new IllegalStateException("own");
        assertThatThrownBy(() -> server.ask(LIMIT, () -> {
                    throw own;
                }))
                .isSameAs(own);
    }
}
