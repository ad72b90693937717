package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.claude.CliBench.until;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RealClaude.Release;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.error.MaestroException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    /** The first variable switches off hooks, the second runs a program inside of the CLI. */
    @ParameterizedTest
    @EnumSource(Release.class)
    void variablesOfAnImageAreNoSettingsOfTheCli(Release release) throws UnknownHostException {
        ApiScript script = ApiScript.turns(
                ApiReply.use("Bash", "command", "touch /tmp/ran"),
                ApiReply.use("Bash", "command", "echo $KEPT $CLAUDE_CODE_SIMPLE $BUN_OPTIONS"),
                ApiReply.text("the end"));
        try (TestContainer container = new TestContainer(
                        "docker",
                        TestContainer.DEBIAN,
                        "--volume",
                        release.program() + ":/usr/local/bin/claude:ro",
                        "--env",
                        "CLAUDE_CODE_SIMPLE=1",
                        "--env",
                        "BUN_OPTIONS=--preload=/tmp/preload.js",
                        "--env",
                        "LINES=one\nCLAUDE $(touch /tmp/ran) *\nCLAUDE_CONFIG_DIR=/none\n",
                        "--env",
                        "KEPT=of the image");
                StubApi api = StubApi.start(InetAddress.getByName(bridge(container)), script);
                DockerExecutor executor = DockerExecutor.builder(container.name())
                        .workingDirectory("/workspace")
                        .build()) {
            container.sh("echo \"require('fs').writeFileSync('/tmp/preloaded', '')\" >/tmp/preload.js");
            ClaudeCode claude = ClaudeCode.builder(executor)
                    .model("claude-sonnet-4-5")
                    .home("/tmp")
                    .stateDirectory("/tmp/.claude")
                    .api(new ApiAccess(api.baseUrl(), "planted-key", Optional.empty()))
                    .toolGate(
                            (id, tool, input) -> input.contains("touch") ? Optional.of("planted no") : Optional.empty())
                    .build();
            try (ClaudeRun run = claude.start(UUID.randomUUID().toString(), "go")) {
                assertThat(await(run).text()).isEqualTo("the end");
            }
            assertThat(api.conversations().get(2).answers())
                    .extracting(ApiRequest.Answer::text)
                    .satisfiesExactly(
                            refused -> assertThat(refused).contains("planted no"),
                            kept -> assertThat(kept).isEqualTo("of the image"));
            assertThat(container.sh("cd /tmp; ls -d preload.js preloaded ran || true"))
                    .contains("'preloaded': No such", "'ran': No such");
        }
    }

    /** Neither what an image has there nor a way round what hides it. */
    @Test
    void whereTheCliWouldFindManagedSettingsItIsNotStarted() {
        try (TestContainer container = new TestContainer("docker", TestContainer.DEBIAN);
                DockerExecutor executor = DockerExecutor.builder(container.name())
                        .workingDirectory("/workspace")
                        .build()) {
            ClaudeCode claude = ClaudeCode.builder(executor)
                    .program("sh")
                    .home("/tmp")
                    .endLimit(Duration.ofSeconds(1))
                    .build();
            for (String planted : List.of(
                    "mkdir /etc/claude-code; touch /etc/claude-code/.x",
                    "mkdir /tmp/empty; ln -s /tmp/empty /etc/claude-code",
                    "ln -s /none /etc/claude-code",
                    "touch /etc/claude-code")) {
                container.sh("rm -rf /etc/claude-code; " + planted);
                assertThatThrownBy(() ->
                                claude.start(UUID.randomUUID().toString(), "go").close())
                        .as(planted)
                        .isInstanceOf(MaestroException.class)
                        .hasMessageContainingAll("/etc/claude-code is no empty directory", "maskedDirectories");
            }
            container.sh("rm -rf /etc/claude-code; mkdir /etc/claude-code");
            claude.start(UUID.randomUUID().toString(), "go").close();
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
