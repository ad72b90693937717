package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real CLI with the library's own server, each way. */
@RequiresClaude
class ClaudeCodeMcpTest {
    @TempDir
    Path directory;

    private final List<McpCall> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final CountDownLatch waiting = new CountDownLatch(1);

    private volatile Duration takes = Duration.ZERO;

    private final McpTools tools = new McpTools() {
        @Override
        public List<ToolDefinition> list() {
            return List.of(
                    ToolDefinition.builder("echo")
                            .description("Says the same")
                            .input(schema -> schema.requiredString("text", "What"))
                            .build(),
                    ToolDefinition.builder("wait").description("Waits for ever").build());
        }

        @Override
        public ToolResult call(McpCall call) {
            calls.add(call);
            if (call.tool().equals("wait")) {
                waiting.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    cancelled.countDown();
                    Thread.currentThread().interrupt();
                }
            }
            try {
                Thread.sleep(takes.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return ToolResult.ok("heard " + call.input());
        }
    };

    private void works(BiConsumer<ClaudeCode.Builder, McpServer> way) {
        ApiScript script =
                ApiScript.turns(ApiReply.use("mcp__maestro__echo", "text", "planted ä \u2028"), ApiReply.text("ok"));
        try (CliBench bench = new CliBench(directory, script);
                McpServer server = McpServer.builder(tools).build()) {
            ClaudeCode.Builder claude = bench.claude();
            way.accept(claude, server);
            try (ClaudeRun run = claude.build().start(bench.session, "go")) {
                ClaudeResult result = await(run);
                assertThat(result.ending()).as("%s", result).isEqualTo(Ending.COMPLETED);
            }
            ApiRequest.Use use = bench.api.conversations().get(1).uses().get(0);
            assertThat(calls).singleElement().satisfies(call -> {
                assertThat(call.id()).isEqualTo(use.id());
                assertThat(call.tool()).isEqualTo("echo");
                assertThat(call.input()).contains("planted ä");
            });
            assertThat(bench.api.conversations().get(1).answers().get(0).text()).contains("heard", "planted ä");
            assertThat(bench.isQuiet()).isTrue();
        }
    }

    @Test
    @Fact("MCP: the control channel")
    void overTheControlChannel() {
        works(ClaudeCode.Builder::mcpOverControlChannel);
    }

    @Test
    @Fact("MCP: HTTP, JSON answers, variables in headers")
    void overHttp() {
        works(Ways::http);
    }

    /** After a second the answer becomes a stream of events. */
    @Test
    @Fact("MCP: HTTP, answers as a stream")
    @Full("HttpTransportTest has the stream, and a call is made once in overHttp")
    void aCallThatTakesLongIsMadeOnceOverHttp() {
        takes = Duration.ofMillis(1500);
        overHttp();
    }

    @Test
    @Fact("MCP: MCP_TOOL_TIMEOUT")
    @Full("McpContractTest has what the server does when a client gives up")
    void aCallThatTheCliGivesUpIsCancelled() throws InterruptedException {
        ApiScript script = ApiScript.turns(ApiReply.use("mcp__maestro__wait"), ApiReply.text("ok"));
        try (CliBench bench = new CliBench(directory, script);
                McpServer server = McpServer.builder(tools).build();
                ClaudeRun run = bench.claude()
                        .mcpOverHttp(server.http(InetAddress.getLoopbackAddress()), "127.0.0.1")
                        .environment("MCP_TOOL_TIMEOUT", "3000")
                        .build()
                        .start(bench.session, "go")) {
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
            assertThat(bench.events(ClaudeEvent.ToolResult.class))
                    .singleElement()
                    .satisfies(result -> assertThat(result.isError()).isTrue());
            assertThat(cancelled.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(calls).hasSize(1);
        }
    }

    @Test
    @Fact("MCP: stdio")
    void byAProxy() {
        works((claude, server) -> Ways.proxy(claude, server, directory));
    }

    @Test
    @Full("ScriptedRunTest and McpServerTest have its halves: the connection ends, and its calls with it")
    void theEndOfARunCancelsItsCalls() throws InterruptedException {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.use("mcp__maestro__wait")));
                McpServer server = McpServer.builder(tools).build();
                ClaudeRun run =
                        bench.claude().mcpOverControlChannel(server).build().start(bench.session, "go")) {
            assertThat(waiting.await(1, TimeUnit.MINUTES)).isTrue();
            run.end();
            assertThat(cancelled.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(await(run).ending()).isEqualTo(Ending.ENDED);
            assertThat(bench.isQuiet()).isTrue();
        }
    }
}
