package io.maestro.claude.internal.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.agent.CoderState;
import io.maestro.agents.RecordedAnswers;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service on this machine that answers requests of the CLI with what was recorded, state by state and in order. A state is known
 * by the tools of Maestro's that a request offers. Requests without tools are the CLI's own and no part of a conversation. Safe for
 * use by several threads.
 */
final class RecordedApi implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String PLANS = "mcp__maestro__submit_plan";
    private static final String JSON_TYPE = "application/json";

    private final RecordedAnswers answers;
    private final Map<CoderState, AtomicInteger> given = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "maestro-recorded-api");
        thread.setDaemon(true);
        return thread;
    });
    private final HttpServer server;
    private volatile String workingDirectory;

    RecordedApi(RecordedAnswers answers) {
        this.answers = answers;
        this.workingDirectory = answers.workingDirectory();
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new MaestroException("the recorded answers cannot be served on this machine: " + e.getMessage(), e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Where commands run now: answers name this directory in the place of the one of then. */
    void workIn(String directory) {
        workingDirectory = directory;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            if (!exchange.getRequestMethod().equals("POST")) {
                send(exchange, 200, JSON_TYPE, Wire.model(path.substring(path.lastIndexOf('/') + 1)));
            } else if (path.endsWith("/count_tokens")) {
                send(exchange, 200, JSON_TYPE, "{\"input_tokens\":1}");
            } else {
                answer(exchange, JSON.readTree(body));
            }
        }
    }

    private void answer(HttpExchange exchange, JsonNode request) throws IOException {
        String model = request.path("model").asText();
        JsonNode tools = request.path("tools");
        JsonNode content;
        if (tools.isEmpty()) {
            content = JSON.createArrayNode()
                    .add(JSON.createObjectNode().put("type", "text").put("text", "{}"));
        } else {
            CoderState state = tools.findValuesAsText("name").contains(PLANS) ? CoderState.PLANNING : CoderState.CODING;
            List<String> all = answers.byState().getOrDefault(state.name(), List.of());
            int number =
                    given.computeIfAbsent(state, none -> new AtomicInteger()).getAndIncrement();
            if (number >= all.size()) {
                String problem = "the replay asks for answer " + (number + 1) + " in " + state + ", and the record has "
                        + all.size() + ": it has taken another way than the recorded run";
                send(exchange, 400, JSON_TYPE, Wire.error(problem));
                return;
            }
            content = JSON.readTree(here(all.get(number)));
        }
        if (request.path("stream").asBoolean()) {
            send(exchange, 200, "text/event-stream; charset=utf-8", Wire.events(content, model));
        } else {
            send(exchange, 200, JSON_TYPE, Wire.whole(content, model));
        }
    }

    private String here(String blocks) throws JsonProcessingException {
        String then = answers.workingDirectory();
        return then.isEmpty() ? blocks : blocks.replace(quoted(then), quoted(workingDirectory));
    }

    /** As it stands in JSON text, without the quotation marks. */
    private static String quoted(String text) throws JsonProcessingException {
        String json = JSON.writeValueAsString(text);
        return json.substring(1, json.length() - 1);
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : bytes.length);
        if (!head) {
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
