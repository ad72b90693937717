package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What FACTS.md says about the control channel, on the real CLI. */
@RequiresClaude
@Full("facts about the CLI: about 1 s of CPU for each of its starts")
class ControlChannelFactsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    @Test
    @Fact("control: interrupt, a second message")
    void anInterruptEndsTheTurnAndTheProcessGoesOn() throws IOException {
        ApiScript model = request -> request.heard("second")
                ? ApiReply.text("after it")
                : ApiReply.use("Bash", "command", "echo $$ >part.pid; mv part.pid child.pid; sleep 300; true");
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            cli.say("first");
            cli.await("a child", () -> Files.exists(directory.resolve("child.pid")));
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"interrupt\"}}");

            assertThat(cli.await(ClaudeEvent.ControlResponse.class))
                    .extracting(ClaudeEvent.ControlResponse::requestId, ClaudeEvent.ControlResponse::success)
                    .containsExactly("r1", true);
            assertThat(cli.await(ClaudeEvent.Result.class).isError()).isTrue();
            assertThat(cli.await(ClaudeEvent.ToolResult.class).isError()).isTrue();
            cli.say("second");
            cli.await(
                    "a second result",
                    () -> cli.events(ClaudeEvent.Result.class).size() == 2);
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(cli.childAtEnd()).isEqualTo("gone");
            assertThat(cli.events(ClaudeEvent.Init.class)).hasSize(2);
            assertThat(cli.events(ClaudeEvent.Result.class).get(1))
                    .extracting(ClaudeEvent.Result::isError, ClaudeEvent.Result::text)
                    .containsExactly(false, "after it");
            assertThat(api.conversations().get(1).heard("first")).isTrue();
        }
    }

    @Test
    @Fact("line: a prompt on argv")
    void nothingIsPrintedBeforeTheFirstLineAndAPromptOnArgvIsIgnored() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = BareClaude.print(
                        directory, api.baseUrl(), Map.of(), "--input-format", "stream-json", "from argv")) {
            cli.say("from stdin");
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(api.conversations()).hasSize(1);
            assertThat(api.conversations().get(0).heard("from stdin")).isTrue();
            assertThat(api.conversations().get(0).heard("from argv")).isFalse();
        }
    }

    @Test
    @Fact("control: end_session")
    void endSessionEndsTheProcess() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = start(api)) {
            cli.say("go");
            assertThat(cli.await(ClaudeEvent.Result.class).isError()).isFalse();
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"end_session\"}}");

            assertThat(cli.exitCode()).isZero();
        }
    }

    @Test
    @Fact("control: initialize, mcp_message")
    void theToolsOfTheHostAreCalledOverTheChannel() throws JsonProcessingException {
        ApiScript model = ApiScript.calls("end", ApiScript.call("mcp__maestro__ask", "q", "which?"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            initialize(cli);
            cli.say("go");
            JsonNode call = serve(cli, "tools/call");

            assertThat(cli.events(ClaudeEvent.Init.class).get(0).mcpServers()).containsEntry("maestro", "connected");
            ClaudeEvent.ToolUse use = cli.await(ClaudeEvent.ToolUse.class);
            JsonNode message = call.path("message");
            assertThat(message.path("params")
                            .path("_meta")
                            .path("claudecode/toolUseId")
                            .asText())
                    .isEqualTo(use.id());
            // An answer may take its time: the call stays open.
            answer(cli, call, "{\"content\":[{\"type\":\"text\",\"text\":\"that one\"}]}");
            assertThat(cli.await(ClaudeEvent.Result.class).isError()).isFalse();
            assertThat(cli.await(ClaudeEvent.ToolResult.class))
                    .isEqualTo(new ClaudeEvent.ToolResult(use.id(), "that one", false, use.parent()));
            cli.closeStdin();
            assertThat(cli.exitCode()).isZero();
        }
    }

    @Test
    void aCallThatIsInterruptedIsCancelledOverTheChannel() throws JsonProcessingException {
        ApiScript model = ApiScript.always(ApiReply.use("mcp__maestro__ask", "q", "which?"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            initialize(cli);
            cli.say("go");
            JsonNode call = serve(cli, "tools/call");
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r2\",\"request\":{\"subtype\":\"interrupt\"}}");

            JsonNode cancelled = serve(cli, "notifications/cancelled");

            assertThat(cancelled.path("message").path("params").path("requestId"))
                    .isEqualTo(call.path("message").path("id"));
            assertThat(cli.await(ClaudeEvent.Result.class).isError()).isTrue();
        }
    }

    @Test
    @Fact("control: can_use_tool")
    void theHostIsAskedForPermission() throws JsonProcessingException {
        ApiScript model = ApiScript.turns(
                ApiReply.use("Bash", "command", "touch allowed-or-not"),
                ApiReply.use("Bash", "command", "touch refused"),
                ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = BareClaude.start(
                        directory,
                        api.baseUrl(),
                        Map.of(),
                        List.of(
                                "-p",
                                "--output-format",
                                "stream-json",
                                "--verbose",
                                "--input-format",
                                "stream-json",
                                "--model",
                                "claude-sonnet-4-5",
                                "--permission-prompt-tool",
                                "stdio"))) {
            cli.say("go");
            cli.await(
                    "a question",
                    () -> cli.events(ClaudeEvent.ControlRequest.class).size() == 1);
            reply(cli, 0, "{\"behavior\":\"allow\",\"updatedInput\":{\"command\":\"touch changed\"}}");
            cli.await(
                    "a question",
                    () -> cli.events(ClaudeEvent.ControlRequest.class).size() == 2);
            reply(cli, 1, "{\"behavior\":\"deny\",\"message\":\"planted no\"}");
            assertThat(cli.await(ClaudeEvent.Result.class).isError()).isFalse();

            assertThat(cli.events(ClaudeEvent.ControlRequest.class))
                    .allMatch(request -> request.subtype().equals("can_use_tool"));
            assertThat(directory.resolve("changed")).exists();
            assertThat(directory.resolve("allowed-or-not")).doesNotExist();
            assertThat(directory.resolve("refused")).doesNotExist();
            assertThat(cli.events(ClaudeEvent.ToolResult.class).get(1))
                    .extracting(ClaudeEvent.ToolResult::isError, ClaudeEvent.ToolResult::text)
                    .containsExactly(true, "planted no");
        }
    }

    @Test
    @Fact("stdout: the end of a background command")
    void aCommandInTheBackgroundBeginsATurnWhenItEnds() throws IOException {
        ApiScript model = request -> request.heard("planted end")
                ? ApiReply.text("I have seen it")
                : request.turns() == 0
                        ? ApiReply.use(
                                "Bash",
                                "command",
                                "while [ ! -e go ]; do sleep 0.05; done; echo done",
                                "description",
                                "planted end",
                                "run_in_background",
                                true)
                        : ApiReply.text("it runs");
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            cli.say("go");
            assertThat(cli.await(ClaudeEvent.Result.class).text()).isEqualTo("it runs");
            Files.createFile(directory.resolve("go"));
            cli.await(
                    "a second result, although nothing was said",
                    () -> cli.events(ClaudeEvent.Result.class).size() == 2);
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(cli.events(ClaudeEvent.Result.class).get(1).text()).isEqualTo("I have seen it");
        }
    }

    @Test
    @Fact("stdout: no background command")
    void nothingIsInTheBackgroundWhereThatIsForbidden() {
        ApiScript model = ApiScript.turns(
                ApiReply.use("Bash", "command", "echo planted", "run_in_background", true), ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = BareClaude.print(
                        directory,
                        api.baseUrl(),
                        Map.of("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
                        "--input-format",
                        "stream-json")) {
            cli.say("go");
            cli.await(ClaudeEvent.Result.class);
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(cli.events(ClaudeEvent.Result.class)).hasSize(1);
            assertThat(cli.await(ClaudeEvent.ToolResult.class))
                    .as("the tool has no such parameter then")
                    .satisfies(result -> assertThat(result.isError()).isTrue())
                    .satisfies(result -> assertThat(result.text()).contains("unexpected", "run_in_background"));
        }
    }

    @Test
    @Fact("control: other requests")
    void otherRequestsAreAnswered() {
        List<String> requests = List.of(
                "{\"subtype\":\"mcp_status\"}",
                "{\"subtype\":\"get_context_usage\"}",
                "{\"subtype\":\"get_usage\"}",
                "{\"subtype\":\"set_permission_mode\",\"mode\":\"plan\"}",
                "{\"subtype\":\"set_model\",\"model\":\"opus\"}");
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));
                BareClaude cli = start(api)) {
            cli.say("first");
            cli.await(ClaudeEvent.Result.class);
            for (int i = 0; i < requests.size(); i++) {
                cli.send("{\"type\":\"control_request\",\"request_id\":\"r" + i + "\",\"request\":" + requests.get(i)
                        + "}");
            }
            cli.await(
                    "five answers",
                    () -> cli.events(ClaudeEvent.ControlResponse.class).size() == requests.size());
            cli.say("second");
            cli.await(
                    "a second result",
                    () -> cli.events(ClaudeEvent.Result.class).size() == 2);
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(cli.events(ClaudeEvent.ControlResponse.class)).allMatch(ClaudeEvent.ControlResponse::success);
            assertThat(api.conversations().get(0).model()).isEqualTo("claude-sonnet-4-5");
            assertThat(api.conversations().get(1).model()).startsWith("claude-opus-");
        }
    }

    @Test
    @Fact("control: said in mid-turn")
    void whatIsSaidInMidTurnComesWithTheNextResultOfATool() throws IOException {
        ApiScript model = request -> request.turns() == 0
                ? ApiReply.use("Bash", "command", "touch begun; while [ ! -e go ]; do sleep 0.05; done; echo done")
                : ApiReply.text("end");
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            cli.say("first");
            cli.await("a command", () -> Files.exists(directory.resolve("begun")));
            cli.say("planted in between");
            // It is answered after the message was read: the CLI reads its lines in order.
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"mcp_status\"}}");
            cli.await(ClaudeEvent.ControlResponse.class);
            Files.createFile(directory.resolve("go"));
            cli.await(ClaudeEvent.Result.class);
            cli.closeStdin();

            assertThat(cli.exitCode()).isZero();
            assertThat(api.conversations()).hasSize(2);
            assertThat(api.conversations().get(1).text()).contains("planted in between");
        }
    }

    @Test
    @Fact("control: a result on stdin answers nothing")
    void aResultOnStdinDoesNotAnswerACall() throws JsonProcessingException {
        ApiScript model = ApiScript.calls("end", ApiScript.call("mcp__maestro__ask", "q", "which?"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            initialize(cli);
            cli.say("go");
            JsonNode call = serve(cli, "tools/call");
            String use = cli.await(ClaudeEvent.ToolUse.class).id();
            cli.send("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
                    + "\"tool_use_id\":\"" + use + "\",\"content\":\"planted by stdin\"}]}}");
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r8\",\"request\":{\"subtype\":\"mcp_status\"}}");
            cli.await(
                    "an answer",
                    () -> cli.events(ClaudeEvent.ControlResponse.class).stream()
                            .anyMatch(response -> response.requestId().equals("r8")));
            assertThat(api.conversations()).as("the call is still open").hasSize(1);
            answer(cli, call, "{\"content\":[{\"type\":\"text\",\"text\":\"the right one\"}]}");
            cli.await(ClaudeEvent.Result.class);

            // A newer version takes it for something that the user says in mid-turn.
            assertThat(api.conversations().get(1).answersById().get(use).text()).startsWith("the right one");
        }
    }

    private BareClaude start(StubApi api) {
        return BareClaude.print(directory, api.baseUrl(), Map.of(), "--input-format", "stream-json");
    }

    private static void initialize(BareClaude cli) {
        cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"initialize\","
                + "\"sdkMcpServers\":[\"maestro\"]}}");
    }

    /** Answers the CLI's messages as a server would, until one with this method comes, which is given back. */
    private static JsonNode serve(BareClaude cli, String until) throws JsonProcessingException {
        List<String> answered = new ArrayList<>();
        while (true) {
            cli.await(
                    until,
                    () -> cli.events(ClaudeEvent.ControlRequest.class).stream()
                            .anyMatch(request -> !answered.contains(request.requestId())));
            for (ClaudeEvent.ControlRequest request : cli.events(ClaudeEvent.ControlRequest.class)) {
                if (answered.contains(request.requestId())) {
                    continue;
                }
                answered.add(request.requestId());
                ObjectNode node = (ObjectNode) JSON.readTree(request.request());
                node.put("request_id", request.requestId());
                String method = node.path("message").path("method").asText();
                if (method.equals(until)) {
                    return node;
                }
                switch (method) {
                    case "initialize" ->
                        answer(
                                cli,
                                node,
                                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                                        + "\"serverInfo\":{\"name\":\"maestro\",\"version\":\"1\"}}");
                    case "tools/list" ->
                        answer(
                                cli,
                                node,
                                "{\"tools\":[{\"name\":\"ask\",\"description\":\"asks\",\"inputSchema\":{\"type\":\"object\"}}]}");
                    case "tools/call" -> {
                        // Left open.
                    }
                    default -> answer(cli, node, "{}");
                }
            }
        }
    }

    private static void answer(BareClaude cli, JsonNode request, String result) throws JsonProcessingException {
        ObjectNode line = JSON.createObjectNode().put("type", "control_response");
        ObjectNode response = line.putObject("response")
                .put("subtype", "success")
                .put("request_id", request.path("request_id").asText());
        ObjectNode message =
                response.putObject("response").putObject("mcp_response").put("jsonrpc", "2.0");
        JsonNode id = request.path("message").path("id");
        message.set("id", id.isMissingNode() ? JSON.getNodeFactory().numberNode(0) : id);
        message.set("result", JSON.readTree(result));
        cli.send(line.toString());
    }

    private static void reply(BareClaude cli, int index, String response) throws JsonProcessingException {
        ObjectNode line = JSON.createObjectNode().put("type", "control_response");
        line.putObject("response")
                .put("subtype", "success")
                .put(
                        "request_id",
                        cli.events(ClaudeEvent.ControlRequest.class).get(index).requestId())
                .set("response", JSON.readTree(response));
        cli.send(line.toString());
    }
}
