package io.maestro.claude.internal.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.error.MaestroException;
import io.maestro.internal.Directories;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
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
    private static final String TOOLS = "mcp__maestro__";
    private static final String PLANS = TOOLS + "submit_plan";
    /** The CLI's own tools that write where they are told. */
    private static final Set<String> WRITERS = Set.of("Write", "Edit", "NotebookEdit");

    private static final int LONGEST = 64 << 20;
    private static final int THREADS = 8;
    private static final String JSON_TYPE = "application/json";

    private final RecordedAnswers answers;
    private final Map<CoderState, AtomicInteger> given = new ConcurrentHashMap<>();
    /** Nobody else on this machine is answered. */
    private final String key = "recorded-" + UUID.randomUUID();

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, work -> {
        Thread thread = new Thread(work, "maestro-recorded-api");
        thread.setDaemon(true);
        return thread;
    });
    private final HttpServer server;
    private volatile String workingDirectory = "/";

    RecordedApi(RecordedAnswers answers) {
        this.answers = answers;
        try {
            server =
                    HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
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

    String key() {
        return key;
    }

    /** Where commands run now: answers name this directory in the place of the one of then. */
    void workIn(String directory) {
        workingDirectory = directory;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!isKnown(exchange)) {
                send(exchange, 401, JSON_TYPE, Wire.error("authentication_error", "another key is needed here"));
                return;
            }
            byte[] body = exchange.getRequestBody().readNBytes(LONGEST);
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

    private boolean isKnown(HttpExchange exchange) {
        String given = exchange.getRequestHeaders().getFirst("x-api-key");
        return given != null
                && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8));
    }

    private void answer(HttpExchange exchange, JsonNode request) throws IOException {
        String model = request.path("model").asText();
        JsonNode tools = request.path("tools");
        JsonNode content;
        if (tools.isEmpty()) {
            content = JSON.createArrayNode()
                    .add(JSON.createObjectNode().put("type", "text").put("text", "{}"));
        } else {
            List<String> names = tools.findValuesAsText("name");
            if (names.stream().noneMatch(name -> name.startsWith(TOOLS))) {
                send(
                        exchange,
                        400,
                        JSON_TYPE,
                        Wire.error(
                                "invalid_request_error",
                                "no tool of Maestro's is offered: no such request was recorded"));
                return;
            }
            CoderState state = names.contains(PLANS) ? CoderState.PLANNING : CoderState.CODING;
            List<String> all = answers.byState().getOrDefault(state.name(), List.of());
            int number =
                    given.computeIfAbsent(state, none -> new AtomicInteger()).getAndIncrement();
            if (number >= all.size()) {
                String problem = "the replay asks for answer " + (number + 1) + " in " + state + ", and the record has "
                        + all.size() + ": it has taken another way than the recorded run";
                send(exchange, 400, JSON_TYPE, Wire.error("invalid_request_error", problem));
                return;
            }
            content = Directories.moved(JSON.readTree(all.get(number)), answers.workingDirectories(), workingDirectory);
            Optional<String> outside = outside(content);
            if (outside.isPresent()) {
                send(exchange, 400, JSON_TYPE, Wire.error("invalid_request_error", outside.get()));
                return;
            }
        }
        if (request.path("stream").asBoolean()) {
            send(exchange, 200, "text/event-stream; charset=utf-8", Wire.events(content, model));
        } else {
            send(exchange, 200, JSON_TYPE, Wire.whole(content, model));
        }
    }

    /** Why an answer would change a file that is not the replay's; empty when it does not. */
    private Optional<String> outside(JsonNode content) {
        for (JsonNode block : content) {
            JsonNode input = block.path("input");
            String file =
                    input.path("file_path").asText(input.path("notebook_path").asText());
            if (WRITERS.contains(block.path("name").asText())
                    && !Path.of(workingDirectory).resolve(file).normalize().startsWith(workingDirectory)) {
                return Optional.of("the recorded answer writes " + file + ", which is outside of " + workingDirectory);
            }
        }
        return Optional.empty();
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
