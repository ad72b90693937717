package io.maestro.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What its users rely on beside what they test themselves. */
class ArrivingBodyTest {
    /** A host's client may follow redirects, and a server says where to. Each JDK has an exception of its own for it. */
    @Test
    void aRedirectToWhereNothingCanBeIsAFailedCall() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Location", "http:///nowhere");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.start();
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.ALWAYS)
                .build();
        try (ArrivingBody body = new ArrivingBody(Duration.ofSeconds(10), Duration.ofSeconds(10))) {
            assertThatThrownBy(
                            () -> body.send(client, HttpRequest.newBuilder(uri).build()))
                    .isInstanceOf(IOException.class);
        } finally {
            server.stop(0);
        }
    }
}
