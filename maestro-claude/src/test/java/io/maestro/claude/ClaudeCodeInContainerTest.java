package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.claude.CliBench.until;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The real CLI in a container, as a user who is not root, on a file system that is not to be written. */
@RequiresClaude
@RequiresEngine
@Full("ClaudeInContainersTest runs the CLI in a container in the short tier")
class ClaudeCodeInContainerTest {
    private static final String PROCESSES = "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done";

    private static final McpTools NO_TOOLS = new McpTools() {
        @Override
        public List<ToolDefinition> list() {
            return List.of();
        }

        @Override
        public ToolResult call(McpCall call) {
            return ToolResult.error("none");
        }
    };

    @Test
    @Fact("sessions: the client of docker exec is not it")
    void worksIsEndedAndGoesOn() throws UnknownHostException {
        ApiScript script = request -> {
            if (request.heard("go on")) {
                return ApiReply.text("again");
            }
            return request.turns() == 0
                    ? ApiReply.use("mcp__maestro__ask")
                    : ApiReply.use("Bash", "command", "id -u; sleep 1234");
        };
        try (TestContainer container = new TestContainer(
                "docker",
                TestContainer.DEBIAN,
                "--volume",
                RealClaude.program() + ":/usr/local/bin/claude:ro",
                "--read-only",
                "--tmpfs",
                "/tmp:exec,mode=1777",
                "--tmpfs",
                "/workspace:mode=1777",
                "--user",
                "1000:1000")) {
            String bridge = bridge(container);
            List<ClaudeEvent> events = new CopyOnWriteArrayList<>();
            String session = UUID.randomUUID().toString();
            try (StubApi api = StubApi.start(InetAddress.getByName(bridge), script);
                    DockerExecutor executor = DockerExecutor.builder(container.name())
                            .workingDirectory("/workspace")
                            .user("1000:1000")
                            .build()) {
                ClaudeCode claude = ClaudeCode.builder(executor)
                        .model("claude-sonnet-4-5")
                        .home("/tmp")
                        .stateDirectory("/tmp/.claude")
                        .systemPrompt("Be good. " + "x".repeat(200_000))
                        .api(new ApiAccess(api.baseUrl(), "planted-key", Optional.empty()))
                        .environment("CLAUDE_CODE_MAX_RETRIES", "0")
                        .mcp(CliBench.server("ask", id -> "the answer"))
                        .listener(events::add)
                        .build();
                CompletableFuture<String> running = new CompletableFuture<>();
                try (ClaudeRun run = claude.start(session, "go")) {
                    until(() -> container.sh(PROCESSES).contains("sleep 1234")
                            || run.await(Duration.ofMillis(1)).isPresent());
                    running.complete(container.sh(PROCESSES));
                    run.end();
                    ClaudeResult result = await(run);
                    assertThat(result.ending()).as("%s", result).isEqualTo(Ending.ENDED);
                }
                assertThat(running.join()).contains("claude -p").doesNotContain("planted-key");
                assertThat(container.cli("inspect", container.name())).doesNotContain("planted-key");
                assertThat(container.sh(PROCESSES)).doesNotContain("claude -p").doesNotContain("sleep 1234");
                assertThat(container.sh("ls /tmp/.claude")).doesNotContain("maestro-prompt");

                try (ClaudeRun run = claude.resume(session, "go on")) {
                    assertThat(await(run).text()).isEqualTo("again");
                }
                List<ApiRequest> requests = api.conversations();
                assertThat(requests.get(requests.size() - 1).answers())
                        .extracting(ApiRequest.Answer::text)
                        .contains("the answer");
                assertThat(requests.get(0).header("X-Api-Key")).contains("planted-key");
            }
        }
    }

    @Test
    @Fact("MCP: 127.0.0.1 of the host")
    void theHostsLoopbackAddressIsNotReachedFromAContainer() throws UnknownHostException {
        try (TestContainer container = new TestContainer(
                        "docker",
                        TestContainer.DEBIAN,
                        "--volume",
                        RealClaude.program() + ":/usr/local/bin/claude:ro",
                        "--tmpfs",
                        "/workspace:mode=1777");
                StubApi api = StubApi.start(
                        InetAddress.getByName(bridge(container)), ApiScript.always(ApiReply.text("without tools")));
                DockerExecutor executor = DockerExecutor.builder(container.name())
                        .workingDirectory("/workspace")
                        .build();
                McpServer server = McpServer.builder(NO_TOOLS).build()) {
            McpEndpoint endpoint = server.http(InetAddress.getLoopbackAddress());
            ClaudeCode claude = ClaudeCode.builder(executor)
                    .model("claude-sonnet-4-5")
                    .home("/tmp")
                    .stateDirectory("/tmp/.claude")
                    .api(new ApiAccess(api.baseUrl(), "planted-key", Optional.empty()))
                    .mcpOverHttp(endpoint, "127.0.0.1")
                    .build();
            try (ClaudeRun run = claude.start(UUID.randomUUID().toString(), "go")) {
                ClaudeResult result = await(run);
                assertThat(result.ending()).as("%s", result).isEqualTo(Ending.FAILED);
                assertThat(result.text()).contains("does not reach the MCP server", "failed");
            }
        }
    }

    /** Asked of the container: an engine that was started for the first time does not list it for the network. */
    private static String bridge(TestContainer container) {
        return container
                .cli("inspect", "--format", "{{.NetworkSettings.Gateway}}", container.name())
                .strip();
    }
}
