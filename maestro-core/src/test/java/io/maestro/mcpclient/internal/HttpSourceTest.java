package io.maestro.mcpclient.internal;

import static io.maestro.mcpclient.internal.McpLab.tool;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.mcpclient.McpSource;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Streamable HTTP endpoint on loopback. */
class HttpSourceTest {
    @TempDir
    Path directory;

    private final ObjectMapper json = new ObjectMapper();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final List<String> elsewhere = new CopyOnWriteArrayList<>();
    private final List<String> methods = new CopyOnWriteArrayList<>();
    private volatile Duration delay = Duration.ZERO;
    private volatile int status = 200;
    private volatile boolean events;
    private volatile String answer = "hello";

    /** Of the session that is known; none are kept where it is empty. */
    private volatile String session = "";

    /** Which requests of a known session get an answer as if it were not known. */
    private volatile String forgets = "none";

    private final AtomicInteger sessions = new AtomicInteger();
    private McpLab lab;
    private HttpServer server;

    @BeforeEach
    void open() throws IOException {
        lab = new McpLab(directory);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/mcp", this::serve);
        server.createContext("/elsewhere", exchange -> {
            elsewhere.add("asked");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
        server.stop(0);
    }

    private void serve(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        seen.add(
                exchange.getRequestMethod() + " " + exchange.getRequestHeaders().getFirst("Authorization") + " "
                        + exchange.getRequestHeaders().getFirst("Mcp-protocol-version"));
        if (status != 200) {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(status, -1);
        } else if (!exchange.getRequestMethod().equals("POST")) {
            exchange.sendResponseHeaders(405, -1);
        } else {
            JsonNode message = json.readTree(body);
            if (isForgotten(exchange, message.path("method").asText())) {
                exchange.sendResponseHeaders(404, -1);
                exchange.close();
                return;
            }
            if (message.has("id")) {
                methods.add(message.path("method").asText());
            } else {
                LockSupport.parkNanos(delay.toNanos());
                methods.add(message.path("method").asText() + " answered");
            }
            String result = switch (message.path("method").asText()) {
                case "initialize" ->
                    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}";
                case "tools/list" -> "{\"tools\":[" + tool("echo", "Says it again") + "]}";
                default -> "{\"content\":[{\"type\":\"text\",\"text\":\"" + answer + "\"}]}";
            };
            reply(
                    exchange,
                    message,
                    "{\"jsonrpc\":\"2.0\",\"id\":" + message.path("id") + ",\"result\":" + result + "}");
        }
        exchange.close();
    }

    private boolean isForgotten(HttpExchange exchange, String method) {
        if (session.isEmpty()) {
            return false;
        }
        if (method.equals("initialize")) {
            session = "s" + sessions.incrementAndGet();
            exchange.getResponseHeaders().add("Mcp-Session-Id", session);
            return false;
        }
        String sent = exchange.getRequestHeaders().getFirst("Mcp-Session-Id");
        return !session.equals(sent) || forgets.equals(method);
    }

    private void reply(HttpExchange exchange, JsonNode message, String result) throws IOException {
        if (!message.has("id")) {
            exchange.sendResponseHeaders(202, -1);
            return;
        }
        byte[] bytes = (events ? "event: message\ndata: " + result + "\n\n" : result).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", events ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private McpSource.Builder source() {
        return McpSource.http(
                        "docs",
                        URI.create("http://localhost:" + server.getAddress().getPort() + "/mcp"))
                .header("Authorization", "Bearer of-the-host")
                .startLimit(Duration.ofSeconds(10))
                .timeLimit(Duration.ofSeconds(10));
    }

    @Test
    void toolsAreListedAndCalledWithTheHostsHeaders() {
        lab.start(source());

        assertThat(lab.offered()).containsExactly("docs_echo");
        assertThat(lab.call("docs_echo").text()).contains("hello");
        events = true;
        assertThat(lab.call("docs_echo").text()).contains("hello");
        assertThat(seen).hasSizeGreaterThan(3).allMatch(line -> line.contains("Bearer of-the-host"));
        assertThat(seen.get(seen.size() - 1))
                .as("the version that was agreed on")
                .endsWith("2025-06-18");
    }

    @Test
    void noRequestOvertakesTheEndOfTheHandshake() {
        delay = Duration.ofMillis(300);
        lab.start(source());

        List<String> posts =
                methods.stream().filter(method -> !method.isEmpty()).toList();
        assertThat(posts).startsWith("initialize", "notifications/initialized answered", "tools/list");
    }

    @Test
    void anOutageIsAnErrorAndTheServerComesBack() {
        lab.start(source());
        status = 500;
        ToolResult failed = lab.call("docs_echo");
        assertThat(failed.isError()).isTrue();
        assertThat(failed.text()).contains("may have had an effect").doesNotContain("modelcontextprotocol");
        status = 200;

        assertThat(lab.call("docs_echo").text()).contains("hello");
    }

    /** A server that was started again, or that ends idle sessions: what it has refused had no effect. */
    @Test
    void aSessionThatIsForgottenIsOpenedAgainAndTheCallIsSentAgain() {
        session = "s0";
        lab.start(source());
        assertThat(lab.call("docs_echo").text()).contains("hello");
        for (int i = 0; i < 5; i++) {
            session = "forgotten";
            ToolResult result = lab.call("docs_echo");
            assertThat(result.isError()).as(result.text()).isFalse();
            assertThat(result.text()).contains("hello");
        }
        assertThat(methods).filteredOn("initialize"::equals).hasSize(6);
        assertThat(methods).filteredOn("tools/call"::equals).hasSize(6);
    }

    @Test
    void aServerThatForgetsEachSessionIsNotAskedForEver() {
        session = "s0";
        lab.start(source());
        forgets = "tools/call";
        ToolResult result = lab.call("docs_echo");
        assertThat(result.isError()).isTrue();
        assertThat(result.text())
                .contains("has not run the call", "does not know the session any more")
                .doesNotContain("modelcontextprotocol", "Exception");
        assertThat(sessions).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:1/mcp, the connection is refused",
        "https://mcp.corp.invalid/mcp, the host name does not resolve"
    })
    void aServerThatIsNotThereIsSaid(URI url, String cause) {
        assertThatThrownBy(() -> lab.start(McpSource.http("docs", url)))
                .hasMessageStartingWith("the MCP server 'docs' can't be used: it cannot be reached: " + cause
                        + "; see that " + url.getScheme() + "://" + url.getAuthority() + " is an MCP server");
    }

    @Test
    void aRedirectIsNotFollowed() {
        status = 307;

        assertThatThrownBy(() -> lab.start(source())).hasMessageContaining("'docs' can't be used");
        assertThat(elsewhere).isEmpty();
    }

    @Test
    void anAnswerThatIsTooLargeIsAnError() {
        lab.start(source().timeLimit(Duration.ofSeconds(2)));
        answer = "x".repeat(McpSession.LARGEST_MESSAGE);
        assertThat(lab.call("docs_echo").isError()).isTrue();
        answer = "small";

        assertThat(lab.call("docs_echo").text()).contains("small");
    }

    /** The JDK's client keeps one until it is collected. */
    @Test
    void serversThatComeAndGoLeaveNoThreads() {
        lab.start(source()).close();
        long before = selectors();
        for (int i = 0; i < 5; i++) {
            lab.start(source()).close();
        }
        assertThat(selectors()).isLessThanOrEqualTo(before);
    }

    private static long selectors() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("HttpClient-\\d+-SelectorManager"))
                .count();
    }

    @Test
    void whatIsNoEndpointIsRefused() {
        for (String url : List.of("ftp://x/y", "http://user:password@x/y", "file:///x", "/x")) {
            assertThatThrownBy(() -> McpSource.http("docs", URI.create(url)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("password@");
        }
        assertThatThrownBy(() -> source().header("X-A", "one\r\nX-B: two")).hasMessageContaining("one line");
        assertThatThrownBy(() -> source().passEnvironment("HOME")).hasMessageContaining("no program");
        assertThatThrownBy(() -> McpSource.stdio("a_b", "x")).hasMessageContaining("a_b");
        assertThat(source().build()).asString().doesNotContain("of-the-host");
    }
}
