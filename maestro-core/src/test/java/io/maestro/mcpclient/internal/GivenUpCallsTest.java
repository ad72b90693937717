package io.maestro.mcpclient.internal;

import static io.maestro.mcpclient.internal.McpLab.tool;
import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.mcpclient.McpSource;
import io.maestro.testing.Await;
import io.maestro.testing.Full;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An HTTP server that never ends what it sends. Each connection has one request. */
@Timeout(120)
class GivenUpCallsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

    @TempDir
    Path directory;

    /** What is sent for a call, again and again after its beginning, until the client has gone. */
    private volatile String begins = "";

    private volatile String goesOn = "";

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();
    private final AtomicInteger cancellations = new AtomicInteger();
    private ServerSocket server;
    private McpLab lab;

    @BeforeEach
    void open() throws IOException {
        lab = new McpLab(directory);
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(() -> {
            while (true) {
                Socket socket = server.accept();
                start(() -> serve(socket));
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
        server.close();
    }

    private interface Io {
        void run() throws IOException;
    }

    private static void start(Io io) {
        Thread thread = new Thread(() -> {
            try {
                io.run();
            } catch (IOException e) {
                // It was closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @SuppressWarnings("deprecation") // of lines that are not ASCII
    private void serve(Socket socket) throws IOException {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            int length = 0;
            boolean post = in.readLine().startsWith("POST ");
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                assertThat(line).doesNotContainIgnoringCase("maestro-request");
                length = line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length: ")
                        ? Integer.parseInt(line.substring(16))
                        : length;
            }
            if (!post) {
                write(out, "HTTP/1.1 405 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                return;
            }
            JsonNode message = JSON.readTree(in.readNBytes(length));
            String id = message.path("id").toString();
            switch (message.path("method").asText()) {
                case "initialize" ->
                    answer(
                            out,
                            id,
                            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}");
                case "tools/list" -> answer(out, id, "{\"tools\":[" + tool("echo", "Says it again") + "]}");
                case "tools/call" -> drip(calls, out, begins.replace("ID", id), goesOn);
                case "notifications/cancelled" -> {
                    cancellations.incrementAndGet();
                    drip(others, out, "", "");
                    in.read();
                    others.decrementAndGet();
                }
                default -> write(out, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(OutputStream out, String id, String result) throws IOException {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
        write(
                out,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body);
    }

    private static void drip(AtomicInteger open, OutputStream out, String begins, String goesOn) throws IOException {
        open.incrementAndGet();
        write(out, begins);
        if (goesOn.isEmpty()) {
            return;
        }
        try {
            while (true) {
                write(out, goesOn);
                LockSupport.parkNanos(5_000_000);
            }
        } finally {
            open.decrementAndGet();
        }
    }

    private McpSource.Builder source(Duration limit) {
        return McpSource.http("docs", URI.create("http://localhost:" + server.getLocalPort() + "/mcp"))
                .startLimit(Duration.ofSeconds(10))
                .timeLimit(limit);
    }

    @Test
    void aCallThatIsGivenUpGivesItsConnectionBack() {
        lab.start(source(Duration.ofMillis(200)));
        int number = 0;
        for (List<String> endless : List.of(
                List.of("HTTP/1.1 200 OK\r\n", "X: y\r\n"),
                List.of("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", " "),
                List.of("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", "x\n"),
                List.of(EVENTS, ": wait\n"),
                List.of(EVENTS, "data: x\n"),
                List.of(EVENTS, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"))) {
            begins = endless.get(0);
            goesOn = endless.get(1);
            assertThat(lab.call("docs_echo").isError()).as(endless.toString()).isTrue();
            number++;
            Await.until(endless + " has ended", () -> calls.get() == 0);
        }
        assertThat(cancellations.get()).isGreaterThan(number / 2);
    }

    @Test
    void aStreamThatGoesOnAfterItsAnswerIsEnded() {
        lab.start(source(Duration.ofSeconds(30)));
        begins = EVENTS
                + "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}\n\n";
        goesOn = ": more\n";
        for (int i = 0; i < 5; i++) {
            assertThat(lab.call("docs_echo").text()).contains("hello");
        }
        Await.until("they have ended", () -> calls.get() == 0);
    }

    @Full("waits for the seconds that a notification may take; the short tier has the calls")
    @Test
    void aCancellationThatIsNotTakenEnds() {
        lab.start(source(Duration.ofMillis(200)).startLimit(Duration.ofSeconds(5)));
        begins = EVENTS;
        goesOn = ": wait\n";
        assertThat(lab.call("docs_echo").isError()).isTrue();
        Await.until("the server is told", () -> cancellations.get() == 1);
        Await.until("nothing is left", () -> calls.get() + others.get() == 0);
    }

    @Test
    void anAnswerThatCannotBeReadIsToldAtOnce() {
        lab.start(source(Duration.ofSeconds(100)));
        String many = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[" + "{},".repeat(200_000) + "{}]}}";
        for (String answer :
                List.of(many, many.replace("{},", "1,2,"), "[".repeat(500) + "]".repeat(500), "{", "{}", "7")) {
            for (String type : List.of("application/json", "text/event-stream")) {
                begins = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: " + type + "\r\n\r\n"
                        + (type.endsWith("json") ? answer : "data: " + answer + "\n\n");
                goesOn = "";
                assertThat(lab.call("docs_echo").isError()).isTrue();
            }
        }
    }
}
