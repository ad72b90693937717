package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What FACTS.md says about MCP, as far as it does not need our server: on the real CLI, with a server that is a shell script. */
@RequiresClaude
@Full("facts about the CLI: about 1 s of CPU for each of its starts")
class McpFactsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The tools must be there in the first turn. */
    private static final Map<String, String> WAIT =
            Map.of("MCP_CONNECTION_NONBLOCKING", "0", "MCP_CONNECT_TIMEOUT_MS", "30000");

    @TempDir
    Path directory;

    private Path script;
    private Path log;

    @BeforeEach
    void theServer() throws IOException {
        script = directory.resolve("server.sh");
        log = directory.resolve("server.log");
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("stdio-mcp-server.sh"))) {
            Files.copy(in, script);
        }
    }

    @Test
    @Fact("MCP: order of messages, arguments, the call's id")
    void aCallCarriesTheIdOfTheToolUseAndItsArgumentsAreNotValidated() throws IOException {
        ApiScript model = ApiScript.calls("end", ApiScript.call("mcp__other__echo", "unknown", "x"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = run(api, WAIT, config("answer", ""), "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.await(ClaudeEvent.Init.class).mcpServers()).containsEntry("other", "connected");
            assertThat(cli.await(ClaudeEvent.Init.class).tools()).contains("mcp__other__echo");
            ClaudeEvent.ToolUse use = cli.await(ClaudeEvent.ToolUse.class);
            assertThat(cli.events(ClaudeEvent.ToolResult.class))
                    .containsExactly(new ClaudeEvent.ToolResult(use.id(), "echoed", false, use.parent()));

            List<JsonNode> got = got();
            if (!RealClaude.isOldest()) {
                // The protocol of 2026-07-28, which this server does not know.
                assertThat(got.remove(0).path("method").asText()).isEqualTo("server/discover");
            }
            assertThat(got.stream().map(node -> node.path("method").asText()))
                    .containsExactly("initialize", "notifications/initialized", "tools/list", "tools/call");
            assertThat(got.get(0).path("params").path("protocolVersion").asText())
                    .isEqualTo("2025-11-25");
            JsonNode call = got.get(3).path("params");
            assertThat(call.path("_meta").path("claudecode/toolUseId").asText()).isEqualTo(use.id());
            assertThat(call.path("name").asText()).isEqualTo("echo");
            assertThat(call.path("arguments")).isEqualTo(JSON.readTree("{\"unknown\":\"x\"}"));
        }
    }

    @ParameterizedTest
    @Fact("MCP: versions")
    @ValueSource(strings = {"2024-11-05", "2025-03-26", "2025-11-25"})
    void anOlderProtocolIsAccepted(String version) {
        Map<String, String> environment = new LinkedHashMap<>(WAIT);
        environment.put("VERSION", version);
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = run(api, environment, config("answer", ""), "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.await(ClaudeEvent.Init.class).mcpServers()).containsEntry("other", "connected");
        }
    }

    @Test
    @Fact("MCP: both kinds of errors")
    void bothKindsOfErrorsAreErrorsOfTheTool() {
        ApiScript model = ApiScript.turns(
                ApiReply.use("mcp__other__fail", "n", 1),
                ApiReply.use("mcp__other__rpcfail", "n", 1),
                ApiReply.use("mcp__other__nosuch", "n", 1),
                ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = run(api, WAIT, config("answer", ""), "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.events(ClaudeEvent.ToolResult.class))
                    .hasSize(3)
                    .allMatch(ClaudeEvent.ToolResult::isError)
                    .extracting(ClaudeEvent.ToolResult::text)
                    .satisfiesExactly(
                            text -> assertThat(text).contains("bad"),
                            text -> assertThat(text).contains("rpc level"),
                            text -> assertThat(text).contains("No such tool available"));
        }
    }

    @Test
    @Fact("MCP: parallel only when read-only")
    void onlyReadOnlyToolsAreCalledInParallel() throws IOException {
        assertThat(answersOfTwoCalls("readonly")).containsExactly("together", "together");
        assertThat(answersOfTwoCalls("")).containsExactly("alone", "alone");
    }

    private List<String> answersOfTwoCalls(String hint) throws IOException {
        ApiScript model = ApiScript.turns(
                ApiReply.use("mcp__other__both", "n", 1).andUse("mcp__other__both", "n", 2), ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = run(api, WAIT, config("answer", hint), "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            return cli.events(ClaudeEvent.ToolResult.class).stream()
                    .map(ClaudeEvent.ToolResult::text)
                    .toList();
        }
    }

    @Test
    @Fact("MCP: stdio is stopped and started again")
    void aServerThatDiesIsStartedAgainOnTheNextCallAndStoppedByAnInterrupt() throws IOException {
        ApiScript model = ApiScript.turns(
                ApiReply.use("mcp__other__die", "n", 1),
                ApiReply.use("mcp__other__echo", "n", 1),
                ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = run(api, WAIT, config("answer", ""), "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.events(ClaudeEvent.ToolResult.class))
                    .extracting(ClaudeEvent.ToolResult::isError)
                    .containsExactly(true, false);
            assertThat(Files.readAllLines(log))
                    .contains("SIGINT")
                    .filteredOn("START"::equals)
                    .hasSize(2);
        }
    }

    @Test
    @Fact("MCP: a dead server")
    void aDeadServerIsNotFatal() throws IOException {
        String dead = "{\"mcpServers\":{\"other\":{\"command\":\"false\"}}}";
        ApiScript model = ApiScript.turns(ApiReply.use("mcp__other__echo", "n", 1), ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = run(api, WAIT, dead, "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.result().isError()).isFalse();
            assertThat(cli.await(ClaudeEvent.Init.class).mcpServers()).containsEntry("other", "failed");
            assertThat(cli.await(ClaudeEvent.ToolResult.class).isError()).isTrue();
        }
    }

    @Test
    @Fact("MCP: the old kind of SSE")
    void aServerOfTheOldKindIsUnderstood() throws IOException {
        ApiScript model = ApiScript.turns(ApiReply.use("mcp__other__echo"), ApiReply.text("end"));
        try (LegacySseServer server = new LegacySseServer();
                StubApi api = StubApi.start(model);
                BareClaude cli = run(
                        api,
                        WAIT,
                        "{\"mcpServers\":{\"other\":{\"type\":\"sse\",\"url\":\"" + server.url() + "\"}}}",
                        "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.await(ClaudeEvent.Init.class).mcpServers()).containsEntry("other", "connected");
            assertThat(cli.await(ClaudeEvent.ToolResult.class).text()).contains("over the old stream");
        }
    }

    // Waits, beside the others.
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    @Fact("MCP: a slow server")
    void aServerThatSaysNothingIsNotFatalEither() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = run(api, Map.of(), config("silent", ""), "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.await(ClaudeEvent.Init.class).mcpServers())
                    .extractingByKey("other")
                    .isIn("pending", "failed");
            assertThat(cli.result().isError()).isFalse();
        }
    }

    @Test
    @Fact("MCP: alwaysLoad")
    void aServerThatIsAlwaysToBeLoadedIsWaitedFor() {
        String always = config("slow", "").replace("\"command\":\"bash\"", "\"alwaysLoad\":true,\"command\":\"bash\"");
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = run(api, Map.of("MCP_CONNECT_TIMEOUT_MS", "30000"), always, "--strict-mcp-config")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.await(ClaudeEvent.Init.class).mcpServers()).containsEntry("other", "connected");
            assertThat(api.conversations().get(0).tools()).contains("mcp__other__echo");
        }
    }

    @Test
    @Fact("control: mcp_reconnect")
    void aServerIsStartedAnewWhenTheHostAsksForIt() throws IOException {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = begin(
                        api, WAIT, config("answer", ""), "--strict-mcp-config", "--input-format", "stream-json")) {
            cli.say("go");
            cli.await(ClaudeEvent.Result.class);
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":"
                    + "{\"subtype\":\"mcp_reconnect\",\"serverName\":\"other\"}}");
            assertThat(cli.await(ClaudeEvent.ControlResponse.class).success()).isTrue();
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(Files.readAllLines(log)).filteredOn("START"::equals).hasSize(2);
        }
    }

    @Test
    @Fact("line: --strict-mcp-config")
    void aRepositorysOwnServersAreRunUnlessStrict() throws IOException {
        Files.writeString(directory.resolve(".mcp.json"), config("answer", "").replace("\"other\"", "\"theirs\""));
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")))) {
            String none = "{\"mcpServers\":{}}";
            try (BareClaude strict = run(api, WAIT, none, "--strict-mcp-config")) {
                assertThat(strict.exitCode()).isZero();
                assertThat(strict.await(ClaudeEvent.Init.class).mcpServers()).isEmpty();
                assertThat(log).doesNotExist();
            }
            try (BareClaude open = run(api, WAIT, none)) {
                assertThat(open.exitCode()).isZero();
                assertThat(open.await(ClaudeEvent.Init.class).mcpServers()).containsKey("theirs");
                assertThat(log).content().contains("START");
            }
        }
    }

    @Test
    @Fact("line: hooks, --setting-sources")
    void aRepositorysHooksRunUnlessItsSettingsAreLeftOut() throws IOException {
        Path ran = directory.resolve("hook-ran");
        Files.createDirectories(directory.resolve(".claude"));
        Files.writeString(
                directory.resolve(".claude/settings.json"),
                "{\"hooks\":{\"UserPromptSubmit\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"touch " + ran
                        + "\"}]}]}}");
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")))) {
            try (BareClaude user = run(api, Map.of(), "{\"mcpServers\":{}}", "--setting-sources", "user")) {
                assertThat(user.exitCode()).isZero();
                assertThat(ran).doesNotExist();
            }
            try (BareClaude all = run(api, Map.of(), "{\"mcpServers\":{}}")) {
                assertThat(all.exitCode()).isZero();
                assertThat(ran).exists();
            }
        }
    }

    @Test
    @Fact("line: --tools, --disallowedTools")
    void aWholeServerCanBeTakenAway() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = run(
                        api,
                        WAIT,
                        config("answer", ""),
                        "--strict-mcp-config",
                        "--tools",
                        "Bash,Read",
                        "--disallowedTools",
                        "mcp__other")) {
            assertThat(cli.exitCode()).isZero();
            ApiRequest request = api.conversations().get(0);
            assertThat(request.tools()).containsExactlyInAnyOrder("Bash", "Read");
        }
    }

    private BareClaude run(StubApi api, Map<String, String> environment, String config, String... arguments) {
        return begin(api, environment, config, arguments).closeStdin();
    }

    private BareClaude begin(StubApi api, Map<String, String> environment, String config, String... arguments) {
        try {
            Path file = Files.createTempFile(directory, "mcp", ".json");
            Files.writeString(file, config);
            List<String> all = new ArrayList<>(List.of("go", "--mcp-config", file.toString()));
            all.addAll(List.of(arguments));
            return BareClaude.print(directory, api.baseUrl(), environment, all.toArray(new String[0]));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String config(String way, String hint) {
        return "{\"mcpServers\":{\"other\":{\"command\":\"bash\",\"args\":[\"" + script + "\",\"" + way + "\",\"" + hint
                + "\"],\"env\":{\"LOG\":\"" + log + "\",\"VERSION\":\"${VERSION:-2025-06-18}\"}}}}";
    }

    /** What the server got. */
    private List<JsonNode> got() throws IOException {
        List<JsonNode> got = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            if (line.startsWith("{")) {
                got.add(JSON.readTree(line));
            }
        }
        return got;
    }
}
