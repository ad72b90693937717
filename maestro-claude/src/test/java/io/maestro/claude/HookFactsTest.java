package io.maestro.claude;

import static org.assertj.core.api.Assertions.assertThat;

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
    @Fact("control: hooks, although permissions are skipped")
    void experiment() throws JsonProcessingException {
        ApiScript model = ApiScript.turns(
                ApiReply.use("Bash", "command", "touch allowed"),
                ApiReply.use("Bash", "command", "touch denied"),
                ApiReply.use("Bash", "command", "touch errored"),
                ApiReply.use("Write", "file_path", directory.resolve("written").toString(), "content", "x"),
                ApiReply.text("end"));
        try (StubApi api = StubApi.start(model);
                BareClaude cli = BareClaude.print(
                        directory, api.baseUrl(), Map.of(), "--input-format", "stream-json", "--setting-sources", "")) {
            cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"initialize\","
                    + "\"hooks\":{\"PreToolUse\":[{\"matcher\":null,\"hookCallbackIds\":[\"h1\"],\"timeout\":3}]}}}");
            System.err.println("INIT " + cli.await(ClaudeEvent.ControlResponse.class).response().length());
            cli.say("go");
            next(cli, "success", "{}");
            next(cli, "success", deny("planted no"));
            next(cli, "error", "planted error");
            next(cli, "none", "");
            cli.await(ClaudeEvent.Result.class);
            asked.forEach(one -> System.err.println("ASKED " + one));
            cli.events(ClaudeEvent.ToolResult.class).forEach(one -> System.err.println("RESULT " + one));
            for (String name : List.of("allowed", "denied", "errored", "written")) {
                System.err.println(name + " " + directory.resolve(name).toFile().exists());
            }
        }
    }

    private static String deny(String why) {
        return "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
                + "\"permissionDecisionReason\":\"" + why + "\"}}";
    }

    private void next(BareClaude cli, String subtype, String answer) throws JsonProcessingException {
        int number = asked.size();
        cli.await(
                "a question",
                () -> cli.events(ClaudeEvent.ControlRequest.class).size() > number);
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

    static void unused() {
        assertThat(true).isTrue();
    }
}
