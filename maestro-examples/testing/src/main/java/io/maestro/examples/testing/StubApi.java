package io.maestro.examples.testing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The Messages API on the loopback: a model that calls one tool after the other, as it is told before. */
public final class StubApi implements AutoCloseable {
    private static final String NO_MORE = """
            {"type": "error", "error": {"type": "invalid_request_error", "message": "the stub has no more answers"}}""";
    private static final String PLAN = call("submit_plan", "{\"plan\": \"say hello in Spanish\"}");
    private static final String APPROVED =
            call("review_complete", "{\"decision\": \"APPROVED\", \"feedback\": \"fine\"}");

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final Queue<String> calls;
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();

    /**
     * Starts it.
     *
     * @param calls the answers, see {@link #call}
     * @throws IOException when there is no port
     */
    public StubApi(String... calls) throws IOException {
        this.calls = new ConcurrentLinkedQueue<>(List.of(calls));
        server.createContext("/v1/messages", exchange -> {
            asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            String call = this.calls.poll();
            // A client would ask again for long if there were no answer.
            byte[] answer = (call == null ? NO_MORE : call).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(call == null ? 400 : 200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    /**
     * A model that does the story of a {@link GreetingProject}.
     *
     * @param first tools that the coder calls before its plan
     * @return the stub
     * @throws IOException when there is no port
     */
    public static StubApi greeting(String... first) throws IOException {
        List<String> calls = new ArrayList<>(List.of(first));
        calls.addAll(List.of(
                PLAN,
                APPROVED,
                call("write_file", "{\"path\": \"greeting.txt\", \"content\": \"¡Hola!\"}"),
                call("done", "{\"summary\": \"it is in Spanish now\"}"),
                APPROVED,
                APPROVED));
        return new StubApi(calls.toArray(String[]::new));
    }

    /**
     * The model's answer that calls a tool.
     *
     * @param tool its name
     * @param input its arguments as JSON
     * @return the answer as JSON
     */
    public static String call(String tool, String input) {
        return """
                {"type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "tool_use",
                 "content": [{"type": "tool_use", "id": "toolu_%d", "name": "%s", "input": %s}],
                 "usage": {"input_tokens": 100, "output_tokens": 10}}""".formatted(System.nanoTime(), tool, input);
    }

    /**
     * Where it listens.
     *
     * @return the base URL
     */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /**
     * The requests.
     *
     * @return their bodies, in their order
     */
    public List<String> asked() {
        return List.copyOf(asked);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
