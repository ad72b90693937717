package io.maestro.monitor.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.report.internal.HtmlReport;
import io.maestro.report.internal.ReportSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the page on this machine's own address. Safe for use by several threads. */
public final class MonitorServer implements MaestroListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MonitorServer.class);

    /** What a person writes on the page is shorter. */
    private static final int MOST_BODY = 200_000;

    private static final int MOST_UNREAD = 5_000_000;

    private static final Map<String, String> FILES = Map.of(
            "", "monitor.html",
            "monitor.css", "monitor.css",
            "monitor.js", "monitor.js",
            "views.js", "views.js",
            "calls.js", "calls.js");

    private final HttpServer server;
    private final Gate gate;
    private final ExecutorService threads = Threads.newExecutor("maestro-monitor");
    private final EventStreams streams = new EventStreams();
    private volatile @Nullable Parts parts;

    /** What it shows, once that is there. */
    private record Parts(MonitorSource source, Board board, Views views, Actions actions) {}

    private MonitorServer(HttpServer server) {
        this.server = server;
        this.gate = new Gate(server.getAddress().getPort());
    }

    /**
     * Listens. What is asked before {@link #show} is answered with a status that says so.
     *
     * @param port on this machine's own address; 0 for any that is free
     * @throws MaestroException when the port is taken
     */
    public static MonitorServer start(int port) {
        HttpServer http;
        try {
            http = HttpServer.create(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 0);
        } catch (IOException e) {
            throw new MaestroException(
                    "the monitor cannot listen on port " + port + " of 127.0.0.1: " + e.getMessage()
                            + "; give another port, or 0 for any that is free",
                    e);
        }
        MonitorServer server = new MonitorServer(http);
        http.setExecutor(server.threads);
        http.createContext("/", server::answer);
        // Its own thread is a daemon as the one that starts it: who never closes it can end all the same.
        CompletableFuture.runAsync(
                        http::start,
                        task -> Threads.platformFactory("maestro-monitor")
                                .newThread(task)
                                .start())
                .join();
        return server;
    }

    /** Where the page is, with the token: whoever has it may watch and decide. */
    public URI uri() {
        return URI.create(gate.url());
    }

    /** From now on this is shown. */
    public void show(MonitorSource source) {
        parts = new Parts(source, new Board(source), new Views(source), new Actions(source));
    }

    @Override
    public void onEvent(MaestroEvent event) {
        Parts now = parts;
        if (now != null) {
            now.board().onEvent(event);
        }
        streams.onEvent(event);
    }

    @Override
    public void close() {
        streams.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        // Not before what went wrong has been said.
        try (exchange) {
            try {
                Optional<String> path = gate.path(exchange);
                Parts now = parts;
                if (path.isEmpty()) {
                    Answers.send(exchange, 403, "text/plain", new byte[0]);
                } else if (now == null) {
                    Answers.send(exchange, 503, "text/plain", new byte[0]);
                } else {
                    answer(exchange, path.get(), now);
                }
            } catch (IllegalArgumentException | IllegalStateException | MaestroException | JsonProcessingException e) {
                refuse(exchange, e);
            } catch (RuntimeException e) {
                LOG.warn("the monitor could not answer a request", e);
                if (exchange.getResponseCode() < 0) {
                    Answers.send(exchange, 500, "text/plain", new byte[0]);
                }
            }
        }
    }

    private static void refuse(HttpExchange exchange, Exception failure) throws IOException {
        if (exchange.getResponseCode() < 0) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            Answers.json(exchange, 400, json.put("error", String.valueOf(failure.getMessage())));
        }
    }

    private void answer(HttpExchange exchange, String path, Parts now) throws IOException {
        if (exchange.getRequestMethod().equals("POST")) {
            act(exchange, path, now);
            return;
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            Answers.send(exchange, 405, "text/plain", new byte[0]);
            return;
        }
        String file = FILES.get(path);
        if (file != null) {
            Answers.send(exchange, 200, type(file), resource(file));
            return;
        }
        Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
        switch (path) {
            case "events" -> stream(exchange);
            case "board" ->
                Answers.send(exchange, 200, "application/json", now.board().json());
            case "machines" -> Answers.json(exchange, 200, Views.machines());
            case "chat" -> Answers.json(exchange, 200, now.views().chat());
            case "calls" -> Answers.json(exchange, 200, now.views().calls(Optional.ofNullable(query.get("after"))));
            case "call" ->
                found(
                        exchange,
                        now.views()
                                .call(
                                        query.getOrDefault("story", ""),
                                        query.getOrDefault("agent", ""),
                                        Integer.parseInt(query.getOrDefault("attempt", "")),
                                        query.getOrDefault("id", "")));
            case "story" -> found(exchange, now.views().story(query.getOrDefault("id", "")));
            case "request" -> found(exchange, now.views().request(query.getOrDefault("id", "")));
            case "spec" -> found(exchange, now.views().spec(query.getOrDefault("id", "")));
            case "report" -> report(exchange, now.source(), query.getOrDefault("id", ""));
            default -> Answers.send(exchange, 404, "text/plain", new byte[0]);
        }
    }

    private static void found(HttpExchange exchange, Optional<ObjectNode> json) throws IOException {
        if (json.isPresent()) {
            Answers.json(exchange, 200, json.get());
        } else {
            Answers.send(exchange, 404, "text/plain", new byte[0]);
        }
    }

    private void act(HttpExchange exchange, String action, Parts now) throws IOException {
        // A form of another page cannot send this type.
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.startsWith("application/json")) {
            Answers.send(exchange, 415, "text/plain", new byte[0]);
            return;
        }
        byte[] body;
        try (InputStream in = exchange.getRequestBody()) {
            body = in.readNBytes(MOST_BODY + 1);
            if (body.length > MOST_BODY) {
                // Who still sends does not hear what is wrong.
                byte[] unused = in.readNBytes(MOST_UNREAD);
            }
        }
        if (body.length > MOST_BODY) {
            Answers.send(exchange, 413, "text/plain", new byte[0]);
            return;
        }
        JsonNode input = Answers.JSON.readTree(body);
        ObjectNode result = now.actions().act(action, input);
        now.board().outdated();
        Answers.json(exchange, 200, result);
    }

    private void stream(HttpExchange exchange) throws IOException {
        Optional<EventStream> stream = streams.open();
        if (stream.isEmpty()) {
            Answers.send(exchange, 503, "text/plain", new byte[0]);
            return;
        }
        try {
            Answers.headers(exchange, "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            stream.get().write(exchange.getResponseBody());
        } catch (IOException e) {
            LOG.debug("a browser has gone: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            streams.giveBack(stream.get());
        }
    }

    private static void report(HttpExchange exchange, MonitorSource source, String id) throws IOException {
        if (source.log().story(id).isEmpty() && source.log().spec(id).isEmpty()) {
            Answers.send(exchange, 404, "text/plain", new byte[0]);
            return;
        }
        // Whole before any of it is sent: one that breaks off would look whole.
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        try (Writer out = new OutputStreamWriter(page, StandardCharsets.UTF_8)) {
            new HtmlReport(new ReportSource(source.log(), id, source.diffs())).write(out);
        }
        Answers.sendReport(exchange, page.toByteArray());
    }

    private static Map<String, String> query(@Nullable String raw) {
        Map<String, String> query = new HashMap<>();
        if (raw != null) {
            for (String pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    query.put(
                            pair.substring(0, equals),
                            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
                }
            }
        }
        return query;
    }

    private static String type(String file) {
        return file.endsWith(".html")
                ? "text/html; charset=utf-8"
                : file.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = MonitorServer.class.getResourceAsStream("/io/maestro/monitor/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
