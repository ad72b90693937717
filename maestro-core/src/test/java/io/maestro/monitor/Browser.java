package io.maestro.monitor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless Chromium with one page, driven by the DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PROGRAM = System.getProperty("maestro.chromium", "chromium");
    private static final String LISTENING = "DevTools listening on ";

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger number = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final String session;

    /** What the page said that it could not do, such as a script that its policy refuses. */
    final List<String> complaints = new CopyOnWriteArrayList<>();

    Browser(Path profile) throws Exception {
        assumeTrue(
                Boolean.getBoolean("maestro.browser.required") || isThere(),
                "there is no program '" + PROGRAM + "'; -Dmaestro.chromium names another one");
        process = new ProcessBuilder(
                        PROGRAM,
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .start();
        BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = said.readLine();
        while (line != null && !line.startsWith(LISTENING)) {
            line = said.readLine();
        }
        if (line == null) {
            throw new IOException("chromium did not start");
        }
        Thread drain = new Thread(() -> said.lines().forEach(rest -> {}), "chromium-output");
        drain.setDaemon(true);
        drain.start();
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(line.substring(LISTENING.length()).strip()), new Listener())
                .get(60, TimeUnit.SECONDS);
        String target = call(null, "Target.createTarget", Map.of("url", "about:blank"))
                .path("targetId")
                .asText();
        session = call(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .path("sessionId")
                .asText();
        call("Page.enable", Map.of());
        call("Runtime.enable", Map.of());
        call("Log.enable", Map.of());
    }

    private static boolean isThere() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory).resolve(PROGRAM)));
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                try {
                    take(JSON.readTree(text.toString()));
                } catch (IOException e) {
                    complaints.add(e.toString());
                }
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void take(JsonNode message) {
        if (message.has("id")) {
            CompletableFuture<JsonNode> answer =
                    answers.remove(message.path("id").asInt());
            if (answer != null) {
                answer.complete(message);
            }
        } else if (message.path("method").asText().equals("Runtime.exceptionThrown")
                || message.at("/params/entry/level").asText().equals("error")
                        // Chromium ends requests when networks come and go, as those of containers do; the page reads
                        // again.
                        && !message.at("/params/entry/text").asText().contains("ERR_NETWORK_CHANGED")) {
            complaints.add(message.path("params").toString());
        }
    }

    private JsonNode call(String to, String method, Map<String, ?> parameters) throws Exception {
        int id = number.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        if (to != null) {
            message.put("sessionId", to);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(message.toString(), true).get(20, TimeUnit.SECONDS);
        JsonNode got = answer.get(60, TimeUnit.SECONDS);
        if (got.has("error")) {
            throw new IOException(method + ": " + got.path("error"));
        }
        return got.path("result");
    }

    JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        return call(session, method, parameters);
    }

    void open(URI page) throws Exception {
        call("Page.navigate", Map.of("url", page.toString()));
    }

    /** The value of an expression, as JSON; one that is a promise is waited for. */
    JsonNode value(String expression) throws Exception {
        JsonNode result = call(
                "Runtime.evaluate",
                Map.of("expression", expression, "awaitPromise", true, "returnByValue", true, "userGesture", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(expression + ": " + result.path("exceptionDetails"));
        }
        return result.at("/result/value");
    }

    /** Looks until an expression is true. */
    void until(String expression) throws Exception {
        String last = "";
        for (long end = System.nanoTime() + 60_000_000_000L; System.nanoTime() < end; ) {
            try {
                if (value("Boolean(" + expression + ")").asBoolean()) {
                    return;
                }
            } catch (IOException e) {
                // The page is not there yet.
                last = e.getMessage();
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new AssertionError("not so: " + expression + " " + last + " " + complaints);
    }

    void size(int width, int height) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    void scheme(String name) throws Exception {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
    }

    void screenshot(Path file) throws Exception {
        byte[] png = Base64.getDecoder()
                .decode(call("Page.captureScreenshot", Map.of("format", "png"))
                        .path("data")
                        .asText());
        Files.createDirectories(file.getParent());
        Files.write(file, png);
    }

    void key(String key) throws Exception {
        String text = key.length() == 1 ? key : "";
        call("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key, "text", text));
        call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
    }

    @Override
    public void close() throws Exception {
        try {
            call(null, "Browser.close", Map.of());
        } finally {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
