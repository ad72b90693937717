package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The common pool belongs to the host, whose tasks may block each of its threads. From Java 25 on much of the JDK uses it. */
class BusyCommonPoolTest {
    private final CountDownLatch over = new CountDownLatch(1);

    @BeforeEach
    void block() {
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism() + 1; i++) {
            ForkJoinPool.commonPool().execute(() -> {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
    }

    @AfterEach
    void release() {
        over.countDown();
    }

    @Test
    void holdsUpNoCall() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
            exchange.close();
        });
        server.start();
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        try (ArrivingBody body = new ArrivingBody(Duration.ofSeconds(10), Duration.ofSeconds(10))) {
            int status = body.send(
                            HttpClient.newHttpClient(),
                            HttpRequest.newBuilder(uri).build())
                    .statusCode();
            assertThat(status).isEqualTo(200);
            assertThat(body.readAllBytes()).asString().isEqualTo("ok");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void holdsUpNoTime() throws Exception {
        assertThat(Threads.after(Duration.ofMillis(1)).get(10, TimeUnit.SECONDS))
                .isNull();
    }
}
