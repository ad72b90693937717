package io.maestro.git.hosted;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.git.hosted.internal.Timing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The HTTP side of a {@link ScriptedServer}: a server on the loopback address, with what goes wrong on the way. */
final class ScriptedHttp implements AutoCloseable {
    static final Duration CALL = Duration.ofSeconds(20);

    /** One for all tests, which would each wait for its threads. */
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final ScriptedServer script;
    private final HttpServer server;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);

    ScriptedHttp(ScriptedServer script) {
        this.script = script;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    HostedForgeBuilder set(HostedForgeBuilder forge) {
        return forge.token(() -> ScriptedServer.TOKEN)
                .httpClient(CLIENT)
                .merge(MergePolicy.AUTO)
                .timing(new Timing(
                        Duration.ofMillis(5), Duration.ZERO, Duration.ofMinutes(5), Duration.ofMillis(1), CALL));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            if (path.startsWith("/blob/")) {
                // Signed: who sends a token there gives it away.
                boolean authorized = exchange.getRequestHeaders().containsKey("Authorization");
                String log = script.log(path.substring("/blob/".length()));
                send(exchange, authorized ? 400 : 200, String.valueOf(log).getBytes(StandardCharsets.UTF_8));
                return;
            }
            String method = exchange.getRequestMethod();
            String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String operation = script.operation(method, path, text);
            boolean tokenElsewhere = (exchange.getRequestURI() + text).contains(ScriptedServer.TOKEN);
            boolean authorized =
                    script.isAuthorized(operation, exchange.getRequestHeaders().getFirst("Authorization"));
            ScriptedFaults.Kind fault = script.faults.next(operation);
            if (tokenElsewhere || !authorized || fault == ScriptedFaults.Kind.UNAUTHORIZED) {
                json(exchange, operation, ScriptedServer.Answer.failed(401, "Bad credentials"), fault);
                return;
            }
            if (before(exchange, operation, fault)) {
                return;
            }
            JsonNode body = text.isEmpty() ? MAPPER.createObjectNode() : parse(text);
            ScriptedServer.Answer answer = script.answer(operation, method, path, query(exchange), body);
            if (answer.status() < 400 && path.startsWith(script.root())) {
                script.faulty(script.faults(
                        method,
                        path.substring(script.root().length()),
                        query(exchange),
                        text,
                        answer.status(),
                        answer.body().toString()));
            }
            json(exchange, operation, answer, fault);
        } catch (AssertionError e) {
            script.unknown.add(String.valueOf(e));
            throw e;
        }
    }

    /** Whether it goes wrong before anything is done. */
    private boolean before(HttpExchange exchange, String operation, ScriptedFaults.@Nullable Kind fault)
            throws IOException {
        if (fault == null) {
            return false;
        }
        switch (fault) {
            case DROPPED_BEFORE -> script.logged(operation, 0);
            case UNAVAILABLE_BEFORE -> json(exchange, operation, ScriptedServer.Answer.failed(503, "no"), fault);
            case TOO_MANY -> {
                exchange.getResponseHeaders().set("Retry-After", "7");
                json(exchange, operation, ScriptedServer.Answer.failed(429, "slow down"), fault);
            }
            case LIMIT_USED_UP -> {
                exchange.getResponseHeaders().set("X-RateLimit-Remaining", "0");
                long reset = System.currentTimeMillis() / 1000 + 40;
                exchange.getResponseHeaders().set("X-RateLimit-Reset", Long.toString(reset));
                json(exchange, operation, ScriptedServer.Answer.failed(403, "API limit exceeded"), fault);
            }
            case FORBIDDEN ->
                json(
                        exchange,
                        operation,
                        ScriptedServer.Answer.failed(403, "Resource not accessible by " + ScriptedServer.TOKEN),
                        fault);
            case MOVED -> {
                exchange.getResponseHeaders().set("Location", exchange.getRequestURI() + "");
                json(exchange, operation, ScriptedServer.Answer.failed(301, "Moved Permanently"), fault);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private void json(
            HttpExchange exchange, String operation, ScriptedServer.Answer answer, ScriptedFaults.@Nullable Kind fault)
            throws IOException {
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        String text = answer.body().isTextual()
                ? answer.body().asText()
                : answer.body().toString();
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        String tag = "\"" + Integer.toHexString(Arrays.hashCode(body)) + "\"";
        if (exchange.getRequestMethod().equals("GET") && answer.status() == 200) {
            exchange.getResponseHeaders().set("ETag", tag);
            if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
                script.logged(operation, 304);
                exchange.sendResponseHeaders(304, -1);
                return;
            }
        }
        script.logged(operation, answer.status());
        if (fault == null) {
            send(exchange, answer.status(), body);
            return;
        }
        switch (fault) {
            case SLOW -> {
                await(100);
                send(exchange, answer.status(), body);
            }
            case DROPPED_AFTER -> {}
            case SILENT_AFTER -> await(CALL.toMillis());
            case BAD_GATEWAY_AFTER -> send(exchange, 502, "<html>bad gateway</html>".getBytes(StandardCharsets.UTF_8));
            case TRUNCATED_AFTER -> {
                exchange.sendResponseHeaders(answer.status(), body.length);
                exchange.getResponseBody().write(body, 0, body.length / 2);
                exchange.getResponseBody().flush();
            }
            case HALF_JSON_AFTER -> send(exchange, answer.status(), Arrays.copyOf(body, body.length / 2));
            default -> send(exchange, answer.status(), body);
        }
    }

    private void await(long millis) {
        try {
            boolean unused = closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, status == 204 || body.length == 0 ? -1 : body.length);
        if (status != 204) {
            exchange.getResponseBody().write(body);
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> query = new HashMap<>();
        String raw = exchange.getRequestURI().getRawQuery();
        for (String part : (raw == null ? "" : raw).split("&", -1)) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                String name = URLDecoder.decode(part.substring(0, equals), StandardCharsets.UTF_8);
                String value = URLDecoder.decode(part.substring(equals + 1), StandardCharsets.UTF_8);
                if (query.putIfAbsent(name, value) != null) {
                    query.put(name + "2", value);
                }
            }
        }
        return query;
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        executor.shutdownNow();
    }
}
