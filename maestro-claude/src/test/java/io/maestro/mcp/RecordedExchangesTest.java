package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the real CLI has sent, sent again. */
class RecordedExchangesTest {
    private final Recorded tools = new Recorded();

    @ParameterizedTest
    @CsvSource({
        "http_json.jsonl,HTTP",
        "http_sse_session.jsonl,HTTP",
        "stdio.jsonl,STDIO",
        "parallel_readonly.jsonl,STDIO",
        "tcp_via_bash_proxy.jsonl,TCP"
    })
    void eachRequestIsAnsweredWithWhatTheToolSaid(String file, Way way) throws IOException {
        List<JsonNode> in = new ArrayList<>();
        Map<Integer, JsonNode> out = new HashMap<>();
        for (JsonNode line : lines(file)) {
            JsonNode message = line.path("msg");
            if (line.path("dir").asText().equals("in")) {
                in.add(message);
            } else if (line.path("dir").asText().equals("out")) {
                out.put(message.path("id").asInt(), message);
            }
        }
        try (McpServer server = McpServer.builder(tools).build();
                TestClient client = way.connect(server)) {
            List<String> toolUses = new ArrayList<>();
            for (JsonNode message : in) {
                JsonNode params = message.path("params");
                JsonNode recorded = out.getOrDefault(message.path("id").asInt(-1), Messages.read("{}"));
                if (message.path("method").asText().equals("tools/call")) {
                    toolUses.add(
                            params.path("_meta").path("claudecode/toolUseId").asText());
                    tools.next(params.path("name").asText(), recorded);
                }
                if (!message.has("id")) {
                    client.send(ordered(message));
                    continue;
                }
                JsonNode answer = client.ask(ordered(message));
                if (message.path("method").asText().equals("tools/call") && recorded.has("result")) {
                    assertThat(answer.path("result").path("content"))
                            .isEqualTo(recorded.path("result").path("content"));
                    assertThat(answer.path("result").path("isError").asBoolean())
                            .isEqualTo(recorded.path("result").path("isError").asBoolean());
                } else {
                    assertThat(answer.has("result")).isTrue();
                }
            }
            assertThat(tools.calls).extracting(McpCall::id).isEqualTo(toolUses);
        }
    }

    @Test
    void aCallThatTheCliHasGivenUpIsInterrupted() throws IOException {
        LabTools lab = new LabTools();
        try (McpServer server = McpServer.builder(lab).build();
                TestClient client = Way.STDIO.connect(server)) {
            for (JsonNode line : lines("tool_timeout_cancelled.jsonl")) {
                if (line.path("dir").asText().equals("in")) {
                    String message = line.path("msg").toString().replace("\"name\":\"slow\"", "\"name\":\"wait\"");
                    if (message.contains("notifications/cancelled")) {
                        Messages.until("the call to run", () -> lab.running.get() == 1);
                    }
                    client.send(message);
                }
            }
            Messages.until("the interrupt", () -> lab.interrupted.size() == 1);
        }
    }

    @Test
    void theControlChannelGetsOneAnswerForEachRequest() throws IOException {
        List<JsonNode> answers = new CopyOnWriteArrayList<>();
        int requests = 0;
        try (McpServer server = McpServer.builder(tools).build();
                McpConnection connection = server.connect(text -> answers.add(Messages.read(text)))) {
            for (JsonNode line : lines("control_channel.jsonl")) {
                JsonNode request = line.path("line").path("request");
                if (request.path("subtype").asText().equals("mcp_message")) {
                    JsonNode message = request.path("message");
                    if (message.path("method").asText().equals("tools/call")) {
                        tools.next(message.path("params").path("name").asText(), Messages.read("{}"));
                    }
                    requests += message.has("id") ? 1 : 0;
                    connection.receive(message.toString());
                    int wanted = requests;
                    Messages.until("the answer", () -> answers.size() == wanted);
                }
            }
        }
        assertThat(requests).isGreaterThanOrEqualTo(4);
        assertThat(answers).allMatch(answer -> answer.has("result"));
        assertThat(tools.calls).extracting(McpCall::tool).containsExactly("maestro_ask_question", "maestro_done");
    }

    /** The test's client looks for the envelope's first field first. */
    private static JsonNode ordered(JsonNode message) {
        var ordered = Messages.MAPPER.createObjectNode().put("jsonrpc", "2.0");
        message.properties().forEach(entry -> ordered.set(entry.getKey(), entry.getValue()));
        return ordered;
    }

    private static List<JsonNode> lines(String file) throws IOException {
        try (InputStream in = RecordedExchangesTest.class.getResourceAsStream("/mcp/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(Messages::read)
                    .toList();
        }
    }

    /** Says what the recorded server has said. */
    private static final class Recorded implements McpTools {
        final List<McpCall> calls = new CopyOnWriteArrayList<>();
        private volatile ToolResult next = ToolResult.ok("");

        void next(String tool, JsonNode recorded) {
            JsonNode result = recorded.path("result");
            ToolResult.Builder answer = ToolResult.builder(
                    result.path("content").path(0).path("text").asText(tool));
            next = (result.path("isError").asBoolean() ? answer.error() : answer).build();
        }

        @Override
        public List<ToolDefinition> list() {
            return List.of();
        }

        @Override
        public ToolResult call(McpCall call) {
            calls.add(call);
            return next;
        }
    }
}
