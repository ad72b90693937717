package io.maestro.claude;

import com.sun.net.httpserver.HttpExchange;
import io.maestro.claude.internal.gateway.Limits;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A gateway between raw clients and an API of the tests. */
@Timeout(60)
abstract class GatewayBench {
    static final String KEY = "sk-ant-real-0123456789abcdefghij";
    static final Usage USED = new Usage(11, 44, 33, 22);

    enum Way {
        SOCKET,
        HTTP
    }

    @TempDir
    Path temp;

    UpstreamStub api;
    final RecordingClient host = new RecordingClient();
    final List<ApiGateway> gateways = new ArrayList<>();
    final ExecutorService threads = Executors.newCachedThreadPool();

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

    ApiGateway gateway(Limits limits) {
        return gateway(api.uri(), limits);
    }

    ApiGateway gateway(URI upstream, Limits limits) {
        ApiGateway gateway = ApiGateway.builder(KEY)
                .upstream(upstream)
                .client(host)
                .limits(limits)
                .build();
        gateways.add(gateway);
        return gateway;
    }

    ApiAccess open(Way way) {
        return open(way, gateway(Limits.USUAL));
    }

    ApiAccess open(Way way, ApiGateway gateway) {
        return way == Way.HTTP
                ? gateway.overHttp(InetAddress.getLoopbackAddress())
                : gateway.overSocket(temp.resolve("api.sock"));
    }

    static Limits limits(Duration idle, Duration head, Duration request, long bytes, int connections) {
        return Limits.USUAL
                .with(Limits.CONNECT, Duration.ofSeconds(20))
                .with(Limits.IDLE, idle)
                .with(Limits.HEAD, head)
                .with(Limits.REQUEST, request)
                .with(Limits.LINGER, Duration.ofMillis(200))
                .with(Limits.DRAIN, Duration.ofMillis(500))
                .with(Limits.QUEUE, Duration.ofSeconds(20))
                .with(Limits.BODY_BYTES, bytes)
                .with(Limits.ALL_BODY_BYTES, 2 * bytes)
                .with(Limits.CONNECTIONS, connections)
                .with(Limits.OPEN, connections);
    }

    /** So many may be open, and one whose client has gone is read for so long. */
    static Limits open(int requests, Duration drain) {
        return Limits.USUAL
                .with(Limits.CONNECT, Duration.ofSeconds(20))
                .with(Limits.IDLE, Duration.ofSeconds(50))
                .with(Limits.HEAD, Duration.ofSeconds(50))
                .with(Limits.REQUEST, Duration.ofSeconds(50))
                .with(Limits.DRAIN, drain)
                .with(Limits.QUEUE, Duration.ofSeconds(50))
                .with(Limits.BODY_BYTES, 1_000_000L)
                .with(Limits.ALL_BODY_BYTES, 100_000_000L)
                .with(Limits.OPEN, requests);
    }

    static Limits patient() {
        return Limits.USUAL;
    }

    static byte[] turn(ApiAccess access) {
        return RawClient.request("POST /v1/messages", "x-api-key: " + access.key() + "\r\n", RawClient.body(true));
    }

    static void beginAndGoOnUntilTheClientIsGone(HttpExchange exchange, CountDownLatch ended) throws Exception {
        begin(exchange);
        goOnUntilTheClientIsGone(exchange, ended);
    }

    static void begin(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(UpstreamStub.STREAM
                .substring(0, UpstreamStub.STREAM.indexOf("event: content_block_delta"))
                .getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    static void goOnUntilTheClientIsGone(HttpExchange exchange, CountDownLatch ended) throws Exception {
        OutputStream out = exchange.getResponseBody();
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

    interface Condition {
        boolean holds();
    }

    static void until(Condition condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within 30 s");
            }
            Thread.sleep(10);
        }
    }
}
