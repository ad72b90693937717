package io.maestro.testkit.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The Anthropic Messages API over HTTP, as far as the Claude Code CLI and {@code AnthropicClient} use it, with a script in the
 * place of the model. Requests without tools (titles and the like) are answered by default. What nobody expected gets an error
 * that says so, and lets {@link #close} fail. Needs the module {@code jdk.httpserver}. Safe for use by several threads, and by
 * several runs of the CLI at once.
 */
public final class StubApi implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads;
    private final ApiScript script;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<ApiRequest> requests = new CopyOnWriteArrayList<>();
    private final List<String> unexpected = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Map<String, Integer> attempts = new HashMap<>();

    private StubApi(InetAddress address, ApiScript script) {
        this.script = script;
        try {
            server = HttpServer.create(new InetSocketAddress(address, 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "stub-api");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /**
     * Starts a stub on the loopback address.
     *
     * @param script what the model does
     * @return the stub, to be closed
     */
    public static StubApi start(ApiScript script) {
        return start(InetAddress.getLoopbackAddress(), script);
    }

    /**
     * Starts a stub on an address of this machine, for example the one of docker's bridge.
     *
     * @param address where it listens; it picks a port
     * @param script what the model does
     * @return the stub, to be closed
     */
    public static StubApi start(InetAddress address, ApiScript script) {
        return new StubApi(address, script);
    }

    /**
     * Where it listens: for {@code ANTHROPIC_BASE_URL}, {@code models.anthropic.base_url}, or as the upstream of a gateway.
     *
     * @return for example {@code http://127.0.0.1:40123}
     */
    public String baseUrl() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":" + port();
    }

    /**
     * The port.
     *
     * @return the one that it picked
     */
    public int port() {
        return server.getAddress().getPort();
    }

    /**
     * All requests for an answer of the model so far, with side requests and refused ones.
     *
     * @return in the order in which they came
     */
    public List<ApiRequest> requests() {
        return List.copyOf(requests);
    }

    /**
     * The requests that belong to conversations.
     *
     * @return in the order in which they came
     */
    public List<ApiRequest> conversations() {
        return requests.stream().filter(request -> !request.isSide()).toList();
    }

    /**
     * Waits until so many requests of conversations have come.
     *
     * @param count how many
     * @return all that have come
     * @throws AssertionError when they have not come after 60 seconds
     */
    public List<ApiRequest> awaitConversations(int count) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        lock.lock();
        try {
            while (conversations().size() < count) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError("only " + requests + " came, not " + count + "; unexpected " + unexpected);
                }
                boolean signalled = arrived.await(left, TimeUnit.NANOSECONDS);
                assert signalled || left > 0;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for requests", e);
        } finally {
            lock.unlock();
        }
        return conversations();
    }

    /**
     * Fails when something came that nobody expected.
     *
     * @throws AssertionError when there was such a request; it names each
     */
    public void verify() {
        if (!unexpected.isEmpty()) {
            throw new AssertionError(
                    "the stub of the API got what it did not expect:\n" + String.join("\n", unexpected));
        }
    }

    /** Stops, cuts what still waits for an answer, and fails as {@link #verify} does. */
    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
        verify();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            String path = exchange.getRequestURI().getPath();
            String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (method.equals("HEAD")) {
                exchange.sendResponseHeaders(200, -1);
            } else if (method.equals("GET") && path.contains("/v1/models/")) {
                json(exchange, 200, "{\"type\":\"model\",\"id\":\"" + path.replaceFirst(".*/", "") + "\"}");
            } else if (method.equals("POST") && path.endsWith("/v1/messages/count_tokens")) {
                json(exchange, 200, "{\"input_tokens\":" + Math.max(1, text.length() / 4) + "}");
            } else if (method.equals("POST") && path.endsWith("/v1/messages")) {
                answer(exchange, text);
            } else {
                refuse(exchange, method + " " + exchange.getRequestURI() + ": not known to the stub");
            }
        }
    }

    private void answer(HttpExchange exchange, String text) throws IOException {
        JsonNode body;
        try {
            body = ApiReply.JSON.readTree(text);
        } catch (JsonProcessingException e) {
            refuse(exchange, "the body is no JSON: " + text);
            return;
        }
        ApiRequest request = note(exchange, text, body == null ? MissingNode.getInstance() : body);
        ApiReply reply;
        try {
            reply = request.isSide() ? ApiReply.text("{\"title\":\"stub\"}") : script.reply(request);
        } catch (AssertionError | RuntimeException e) {
            refuse(exchange, "the script failed at " + request + ": " + e);
            return;
        }
        if (!waits(reply.delay)) {
            return;
        }
        if (reply.fault == ApiReply.Fault.HANG) {
            boolean ended = waits(Duration.ofDays(1));
            assert !ended;
            return;
        }
        reply.headers.forEach(exchange.getResponseHeaders()::set);
        exchange.getResponseHeaders().set("request-id", "req_stub_" + request.number());
        if (reply.status != 200) {
            json(exchange, reply.status, ApiWire.error(reply));
        } else if (request.stream()) {
            stream(exchange, reply, request);
        } else {
            json(exchange, 200, ApiWire.whole(reply, request));
        }
    }

    private void stream(HttpExchange exchange, ApiReply reply, ApiRequest request) throws IOException {
        ApiWire.Events events = ApiWire.events(reply, request);
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
        if (reply.fault == ApiReply.Fault.NONE || reply.fault == ApiReply.Fault.REFUSAL) {
            byte[] bytes = (events.begin() + events.rest()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            return;
        }
        String begin = events.begin();
        if (reply.fault == ApiReply.Fault.SSE_ERROR) {
            byte[] bytes = (begin + ApiWire.errorEvent()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            return;
        }
        // More is announced than comes: the server cuts the connection when the exchange is closed.
        byte[] bytes = begin.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length + 1_000_000L);
        OutputStream out = exchange.getResponseBody();
        out.write(bytes);
        out.flush();
        if (reply.fault == ApiReply.Fault.STALL) {
            boolean ended = waits(Duration.ofDays(1));
            assert !ended;
        }
    }

    private ApiRequest note(HttpExchange exchange, String text, JsonNode body) {
        Map<String, String> headers = new TreeMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
        lock.lock();
        try {
            String key = headers.get("x-claude-code-session-id") + body.path("messages");
            int attempt = attempts.merge(key, 1, Integer::sum);
            ApiRequest request = new ApiRequest(
                    requests.size() + 1,
                    attempt,
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    Map.copyOf(headers),
                    text,
                    body);
            requests.add(request);
            arrived.signalAll();
            return request;
        } finally {
            lock.unlock();
        }
    }

    /** False when the stub was closed meanwhile. */
    private boolean waits(Duration time) {
        try {
            return time.isZero() || !closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void refuse(HttpExchange exchange, String why) throws IOException {
        unexpected.add(why);
        json(exchange, 400, ApiWire.error(ApiReply.error(400, "STUB: " + why)));
    }

    private static void json(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
