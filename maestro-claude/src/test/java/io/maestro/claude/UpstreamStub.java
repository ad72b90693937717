package io.maestro.claude;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Plays the real API, as each test says. */
final class UpstreamStub implements AutoCloseable {
    /** A request as it arrived; header names in any case. */
    record Seen(String method, String target, Map<String, List<String>> headers, byte[] body) {}

    /** What it answers. */
    interface Script {
        void answer(HttpExchange exchange, Seen seen) throws Exception;
    }

    static final String STREAM = """
            event: message_start
            data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1",\
            "content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":22,\
            "cache_read_input_tokens":33,"output_tokens":1}}}

            event: content_block_start
            data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello from the stub"}}

            event: content_block_stop
            data: {"type":"content_block_stop","index":0}

            event: message_delta
            data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":44}}

            event: message_stop
            data: {"type":"message_stop"}

            """;

    static final String JSON = """
            {"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1",\
            "content":[{"type":"text","text":"hello from the stub"}],"stop_reason":"end_turn","stop_sequence":null,\
            "usage":{"input_tokens":11,"cache_creation_input_tokens":22,"cache_read_input_tokens":33,"output_tokens":44,\
            "server_tool_use":{"web_search_requests":0,"input_tokens":999}}}""";

    final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Script script;

    UpstreamStub(Script script) throws IOException {
        this.script = script;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Streams a short answer, or gives it whole when it was not asked to stream. */
    static void usual(HttpExchange exchange, Seen request) throws IOException {
        boolean stream = new String(request.body(), StandardCharsets.UTF_8).contains("\"stream\":true");
        reply(exchange, 200, stream ? "text/event-stream" : "application/json", stream ? STREAM : JSON);
    }

    static void reply(HttpExchange exchange, int status, String type, String body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body.getBytes(StandardCharsets.UTF_8));
        }
    }

    void script(Script next) {
        script = next;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void handle(HttpExchange exchange) throws IOException {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(exchange.getRequestHeaders());
        Seen request = new Seen(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                headers,
                exchange.getRequestBody().readAllBytes());
        seen.add(request);
        try {
            script.answer(exchange, request);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
