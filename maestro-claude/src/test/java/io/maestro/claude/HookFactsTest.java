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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the real CLI does with a hook of the host's, which it calls over the control channel before each use of a tool. */
@RequiresClaude
@Full("facts about the CLI: about 1 s of CPU for each of its starts")
class HookFactsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    private final List<JsonNode> asked = new ArrayList<>();

    @Test
    @Fact("control: a hook before each tool, although permissions are skipped")
    void aHookOverTheChannelDecides() throws JsonProcessingException {
        ApiScript model = ApiScript.turns(
                ApiReply.use("Bash", "command", "touch allowed"),
                ApiReply.use("Bash", "command", "touch denied"),
                ApiReply.use("Bash", "command", "touch errored"),
                ApiReply.use(
                        "Write", "file_path", directory.resolve("unanswered").toString(), "content", "x"),
                ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            next(cli, "success", "{}");
            next(cli, "success", deny("planted no"));
            next(cli, "error", "planted error");
            next(cli, "none", "");
            cli.await(ClaudeEvent.Result.class);

            assertThat(asked).allSatisfy(one -> {
                assertThat(one.path("subtype").asText()).isEqualTo("hook_callback");
                assertThat(one.path("input").path("hook_event_name").asText()).isEqualTo("PreToolUse");
                assertThat(one.path("input").path("permission_mode").asText()).isEqualTo("bypassPermissions");
            });
            assertThat(asked)
                    .extracting(one -> one.path("input").path("tool_use_id").asText())
                    .containsExactlyElementsOf(cli.events(ClaudeEvent.ToolUse.class).stream()
                            .map(ClaudeEvent.ToolUse::id)
                            .toList());
            assertThat(asked.get(3)
                            .path("input")
                            .path("tool_input")
                            .path("content")
                            .asText())
                    .isEqualTo("x");
            assertThat(directory.resolve("allowed")).exists();
            assertThat(directory.resolve("denied")).doesNotExist();
            assertThat(cli.events(ClaudeEvent.ToolResult.class).get(1))
                    .satisfies(result -> assertThat(result.isError()).isTrue())
                    .satisfies(result -> assertThat(result.text()).endsWith("planted no"));
            assertThat(directory.resolve("errored"))
                    .as("so an error is never answered")
                    .exists();
            assertThat(directory.resolve("unanswered"))
                    .as("within the hook's timeout")
                    .doesNotExist();
        }
    }

    @Test
    @Fact("control: a hook before each tool of a sub-agent")
    void subAgentsAreDecidedOnToo() throws JsonProcessingException {
        ApiScript model = request -> {
            if (request.userTexts().stream().anyMatch(text -> text.contains("count the files"))) {
                return request.uses().isEmpty()
                        ? ApiReply.use("Bash", "command", "touch denied")
                        : ApiReply.text("the answer was: " + request.answers());
            }
            return request.uses().isEmpty()
                    ? ApiReply.use("Agent", "description", "d", "prompt", "count the files", "subagent_type", "Explore")
                    : ApiReply.text("end");
        };
        try (StubApi api = StubApi.start(model);
                BareClaude cli = start(api)) {
            next(cli, "success", "{}");
            next(cli, "success", deny("planted no"));
            cli.await(ClaudeEvent.Result.class);

            assertThat(asked)
                    .extracting(one -> one.path("input").path("tool_name").asText())
                    .containsExactly("Agent", "Bash");
            assertThat(directory.resolve("denied")).doesNotExist();
        }
    }

    private BareClaude start(StubApi api) {
        BareClaude cli = BareClaude.print(
                directory,
                api.baseUrl(),
                Map.of("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
                "--input-format",
                "stream-json",
                "--setting-sources",
                "");
        cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"initialize\","
                + "\"hooks\":{\"PreToolUse\":[{\"matcher\":null,\"hookCallbackIds\":[\"h1\"],\"timeout\":5}]}}}");
        assertThat(cli.await(ClaudeEvent.ControlResponse.class).success()).isTrue();
        cli.say("go");
        return cli;
    }

    private static String deny(String why) {
        return "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
                + "\"permissionDecisionReason\":\"" + why + "\"}}";
    }

    private void next(BareClaude cli, String subtype, String answer) throws JsonProcessingException {
        int number = asked.size();
        cli.await(
                "a question", () -> cli.events(ClaudeEvent.ControlRequest.class).size() > number);
        ClaudeEvent.ControlRequest request =
                cli.events(ClaudeEvent.ControlRequest.class).get(number);
        asked.add(JSON.readTree(request.request()));
        if (subtype.equals("none")) {
            return;
        }
        ObjectNode line = JSON.createObjectNode().put("type", "control_response");
        ObjectNode response = line.putObject("response").put("subtype", subtype).put("request_id", request.requestId());
        if (subtype.equals("error")) {
            response.put("error", answer);
        } else {
            response.set("response", JSON.readTree(answer));
        }
        cli.send(line.toString());
    }
}
