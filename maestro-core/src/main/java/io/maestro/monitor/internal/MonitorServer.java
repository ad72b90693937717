package io.maestro.monitor.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.report.internal.HtmlReport;
import io.maestro.report.internal.ReportSource;
import io.maestro.team.internal.MonitorSource;
import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.ChannelConnection;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import io.maestro.wire.internal.Listener;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the page on this machine's own address, where everybody on the machine can connect: connections, threads and the seconds for
 * a request are bounded before the token is looked at. Not on the JDK's own HTTP server, which bounds them by properties of the whole
 * JVM only. Safe for use by several threads.
 */
public final class MonitorServer implements MaestroListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MonitorServer.class);

    /** What a person writes on the page is shorter. */
    private static final int MOST_BODY = 200_000;

    private static final int MOST_UNREAD = 5_000_000;

    /** More than watch, and each has a thread of its own. Beyond it the oldest makes place that has not shown the token. */
    private static final int MOST_CONNECTIONS = EventStreams.MOST + 32;

    private static final int BACKLOG = 50;
    private static final Duration HEAD_LIMIT = Duration.ofSeconds(5);
    private static final Duration WRITE_LIMIT = Duration.ofSeconds(30);
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private static final Map<String, String> FILES = Map.of(
            "", "monitor.html",
            "monitor.css", "monitor.css",
            "monitor.js", "monitor.js",
            "views.js", "views.js",
            "calls.js", "calls.js");

    private final Gate gate;
    private final ExecutorService threads = threads();
    private final EventStreams streams = new EventStreams();
    private final Listener<ChannelConnection> listener;
    private volatile @Nullable Parts parts;

    /** What it shows, once that is there. */
    private record Parts(MonitorSource source, Board board, Views views, Actions actions) {}

    private MonitorServer(ServerSocketChannel server) throws IOException {
        this.gate = new Gate(((InetSocketAddress) server.getLocalAddress()).getPort());
        this.listener = Listener.start(Listener.door(server, WRITE_LIMIT), threads, MOST_CONNECTIONS, this::serve);
    }

    /** One for each connection, and one that accepts them. */
    private static ExecutorService threads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                MOST_CONNECTIONS + 1,
                MOST_CONNECTIONS + 1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Threads.platformFactory("maestro-monitor"));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /**
     * Listens. What is asked before {@link #show} is answered with a status that says so.
     *
     * @param port on this machine's own address; 0 for any that is free
     * @throws MaestroException when the port is taken
     */
    public static MonitorServer start(int port) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                InetAddress own = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
                server.bind(new InetSocketAddress(own, port), BACKLOG);
                return new MonitorServer(server);
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw new MaestroException(
                    "the monitor cannot listen on port " + port + " of 127.0.0.1: " + e.getMessage()
                            + "; give another port, or 0 for any that is free",
                    e);
        }
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
        listener.close();
        threads.shutdownNow();
    }

    private void serve(ChannelConnection connection) throws IOException {
        BoundedInput in = connection.in();
        OutputStream out = new BufferedOutputStream(connection.out());
        in.limit(HEAD_LIMIT);
        try {
            answer(connection, new Exchange(HttpHead.read(in), in, out));
        } catch (HttpFault e) {
            out.write(("HTTP/1.1 " + e.status() + " \r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        }
        out.flush();
        // Who still sends does not hear what is wrong.
        connection.farewell(in, FAREWELL, MOST_UNREAD);
    }

    private void answer(ChannelConnection connection, Exchange exchange) throws IOException, HttpFault {
        try {
            Optional<String> path = gate.path(exchange);
            Parts now = parts;
            if (path.isEmpty()) {
                MonitorResponses.send(exchange, 403, "text/plain", new byte[0]);
                return;
            }
            connection.welcome();
            if (now == null) {
                MonitorResponses.send(exchange, 503, "text/plain", new byte[0]);
            } else {
                answer(exchange, path.get(), now);
            }
        } catch (IllegalArgumentException | IllegalStateException | MaestroException | JsonProcessingException e) {
            refuse(exchange, e);
        } catch (RuntimeException e) {
            LOG.warn("the monitor could not answer a request", e);
            if (!exchange.isAnswered()) {
                MonitorResponses.send(exchange, 500, "text/plain", new byte[0]);
            }
        }
    }

    private static void refuse(Exchange exchange, Exception failure) throws IOException {
        if (!exchange.isAnswered()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            MonitorResponses.json(exchange, 400, json.put("error", String.valueOf(failure.getMessage())));
        }
    }

    private void answer(Exchange exchange, String path, Parts now) throws IOException, HttpFault {
        if (exchange.head().method().equals("POST")) {
            act(exchange, path, now);
            return;
        }
        if (!exchange.head().method().equals("GET")) {
            MonitorResponses.send(exchange, 405, "text/plain", new byte[0]);
            return;
        }
        String file = FILES.get(path);
        if (file != null) {
            MonitorResponses.send(exchange, 200, type(file), resource(file));
            return;
        }
        Map<String, String> query = query(exchange.head().query());
        switch (path) {
            case "events" -> stream(exchange);
            case "board" ->
                MonitorResponses.send(
                        exchange, 200, "application/json", now.board().json());
            case "machines" -> MonitorResponses.json(exchange, 200, Views.machines());
            case "chat" -> MonitorResponses.json(exchange, 200, now.views().chat());
            case "calls" ->
                MonitorResponses.json(exchange, 200, now.views().calls(Optional.ofNullable(query.get("after"))));
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
            default -> MonitorResponses.send(exchange, 404, "text/plain", new byte[0]);
        }
    }

    private static void found(Exchange exchange, Optional<ObjectNode> json) throws IOException {
        if (json.isPresent()) {
            MonitorResponses.json(exchange, 200, json.get());
        } else {
            MonitorResponses.send(exchange, 404, "text/plain", new byte[0]);
        }
    }

    private void act(Exchange exchange, String action, Parts now) throws IOException, HttpFault {
        // A form of another page cannot send this type.
        if (exchange.field("content-type")
                .filter(type -> type.startsWith("application/json"))
                .isEmpty()) {
            MonitorResponses.send(exchange, 415, "text/plain", new byte[0]);
            return;
        }
        JsonNode input = MonitorResponses.JSON.readTree(exchange.body(MOST_BODY));
        ObjectNode result = now.actions().act(action, input);
        now.board().outdated();
        MonitorResponses.json(exchange, 200, result);
    }

    private void stream(Exchange exchange) throws IOException {
        Optional<EventStream> stream = streams.open();
        if (stream.isEmpty()) {
            MonitorResponses.send(exchange, 503, "text/plain", new byte[0]);
            return;
        }
        try {
            MonitorResponses.headers(exchange, "text/event-stream");
            stream.get().write(exchange.begin(200));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            streams.giveBack(stream.get());
        }
    }

    private static void report(Exchange exchange, MonitorSource source, String id) throws IOException {
        if (source.log().story(id).isEmpty() && source.log().spec(id).isEmpty()) {
            MonitorResponses.send(exchange, 404, "text/plain", new byte[0]);
            return;
        }
        // Whole before any of it is sent: one that breaks off would look whole.
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        try (Writer out = new OutputStreamWriter(page, StandardCharsets.UTF_8)) {
            new HtmlReport(new ReportSource(source.log(), id, source.diffs())).write(out);
        }
        MonitorResponses.sendReport(exchange, page.toByteArray());
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
