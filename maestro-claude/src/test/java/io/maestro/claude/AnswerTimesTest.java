package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long the real CLI waits for the answer to a call: a server that says nothing is given up after 60 s, or 300 s, and the
 * library's own server is heard after 330 s, each way. A silent API is asked again. All of that at the same time, since it is
 * nothing but waiting.
 */
@RequiresClaude
@Full("waits for 330 s")
class AnswerTimesTest {
    /** Longer than the longest time after which the CLI gives up by itself, by FACTS.md. */
    private static final Duration LONG = Duration.ofSeconds(330);

    private static final Duration LIMIT = LONG.plusMinutes(3);

    /** The CLI's HTTP client has coarse timers: on a machine with a load of 15 it gave up after 296 s instead of 300. */
    private static final Duration EARLY = Duration.ofSeconds(10);

    /** More than any other limit. */
    private static final Map<String, String> PATIENT = Map.of("MCP_TOOL_TIMEOUT", "3600000");

    @TempDir
    Path directory;

    private final CountDownLatch over = new CountDownLatch(1);

    private final McpTools tools = new McpTools() {
        @Override
        public List<ToolDefinition> list() {
            return List.of(ToolDefinition.builder("wait")
                    .description("Takes long")
                    .input(schema -> {})
                    .build());
        }

        @Override
        public ToolResult call(McpCall call) {
            try {
                // Only the end of the test ends it early.
                return over.await(LONG.toSeconds(), TimeUnit.SECONDS)
                        ? ToolResult.error("the test is over")
                        : ToolResult.ok("it took long");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return ToolResult.error("given up");
            }
        }
    };

    @Test
    @Fact("MCP: long calls, 60 s, 300 s and 330 s; a silent API")
    @Tag("drift-only")
    void onlyASilentServerIsGivenUp() throws Exception {
        Map<String, Future<?>> all = new LinkedHashMap<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            begin(threads, all, "a silent API", this::askedAgain);
            begin(threads, all, "plain", () -> givenUp("plain", false, Map.of(), Duration.ofSeconds(60)));
            begin(threads, all, "plain, patient", () -> givenUp("patient", false, PATIENT, Duration.ofSeconds(300)));
            begin(threads, all, "a stream", () -> givenUp("stream", true, PATIENT, Duration.ofSeconds(300)));
            begin(
                    threads,
                    all,
                    "ours, control channel",
                    () -> heard("channel", ClaudeCode.Builder::mcpOverControlChannel));
            begin(threads, all, "ours, HTTP", () -> heard("http", Ways::http));
            begin(
                    threads,
                    all,
                    "ours, stdio",
                    () -> heard("stdio", (claude, server) -> Ways.proxy(claude, server, directory)));
            List<String> failed = new ArrayList<>();
            for (Map.Entry<String, Future<?>> one : all.entrySet()) {
                try {
                    one.getValue().get(LIMIT.toSeconds() * 2, TimeUnit.SECONDS);
                } catch (Exception e) {
                    failed.add(one.getKey() + ": " + e);
                }
            }
            assertThat(failed).isEmpty();
        } finally {
            over.countDown();
            threads.shutdownNow();
            assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    private static void begin(ExecutorService threads, Map<String, Future<?>> all, String name, Callable<?> run) {
        all.put(name, threads.submit(run));
    }

    /** The CLI gives the call up by itself, not before this time has passed. */
    private Void givenUp(String name, boolean streams, Map<String, String> more, Duration after) throws IOException {
        Path place = Files.createDirectories(directory.resolve(name));
        Map<String, String> environment = new LinkedHashMap<>(more);
        environment.put("MCP_CONNECTION_NONBLOCKING", "0");
        environment.put("MCP_CONNECT_TIMEOUT_MS", "30000");
        ApiScript turns = ApiScript.turns(ApiReply.use("mcp__other__wait"), ApiReply.text("end"));
        // Before the call: when the server hears of it, the CLI may have waited for a while on a busy machine.
        AtomicLong asked = new AtomicLong();
        ApiScript model = request -> {
            asked.compareAndSet(0, System.nanoTime());
            return turns.reply(request);
        };
        try (SilentMcpServer server = new SilentMcpServer(streams);
                StubApi api = StubApi.start(model)) {
            Path config = place.resolve("mcp.json");
            Files.writeString(
                    config, "{\"mcpServers\":{\"other\":{\"type\":\"http\",\"url\":\"" + server.url() + "\"}}}");
            try (BareClaude cli = BareClaude.print(
                            LIMIT,
                            place,
                            api.baseUrl(),
                            environment,
                            "go",
                            "--mcp-config",
                            config.toString(),
                            "--strict-mcp-config")
                    .closeStdin()) {
                ClaudeEvent.ToolResult result = cli.await(ClaudeEvent.ToolResult.class);
                Duration waited = Duration.ofNanos(System.nanoTime() - asked.get());
                assertThat(result.isError()).as(cli::toString).isTrue();
                assertThat(waited).isGreaterThan(after.minus(EARLY));
                if (after.compareTo(Duration.ofMinutes(2)) < 0) {
                    assertThat(waited).as("long before the other limit").isLessThan(Duration.ofSeconds(240));
                }
                assertThat(cli.exitCode()).isZero();
            }
        }
        return null;
    }

    /** A silent API is asked again before {@code inactivityLimit} may be over, the least of which is 420 s. */
    private Void askedAgain() throws IOException {
        AtomicLong asked = new AtomicLong();
        AtomicLong again = new AtomicLong();
        ApiScript model = request -> {
            (request.attempt() == 1 ? asked : again).compareAndSet(0, System.nanoTime());
            return request.attempt() == 1 ? ApiReply.hang() : ApiReply.text("end");
        };
        Path place = Files.createDirectories(directory.resolve("silent"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = BareClaude.print(LIMIT, place, api.baseUrl(), Map.of(), "go")
                        .closeStdin()) {
            assertThat(cli.await(ClaudeEvent.Result.class).isError()).isFalse();
            assertThat(Duration.ofNanos(again.get() - asked.get())).isLessThan(Duration.ofSeconds(400));
            assertThat(cli.exitCode()).isZero();
        }
        return null;
    }

    /** The library's server is heard however long the call takes. */
    private Void heard(String name, BiConsumer<ClaudeCode.Builder, McpServer> way) throws IOException {
        ApiScript model = ApiScript.turns(ApiReply.use("mcp__maestro__wait"), ApiReply.text("ok"));
        try (CliBench bench = new CliBench(Files.createDirectories(directory.resolve(name)), model);
                McpServer server = McpServer.builder(tools).build()) {
            ClaudeCode.Builder claude = bench.claude();
            way.accept(claude, server);
            try (ClaudeRun run = claude.build().start(bench.session, "go")) {
                ClaudeResult result = run.await(LIMIT).orElseThrow(() -> new AssertionError("it does not end"));
                assertThat(result.ending()).as("%s", result).isEqualTo(Ending.COMPLETED);
            }
            assertThat(bench.api.conversations().get(1).answers())
                    .singleElement()
                    .satisfies(answer -> assertThat(answer.text()).contains("it took long"));
            assertThat(bench.isQuiet()).isTrue();
        }
        return null;
    }
}
