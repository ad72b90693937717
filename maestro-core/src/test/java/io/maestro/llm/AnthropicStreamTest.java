package io.maestro.llm;

import static io.maestro.llm.Asked.go;
import static io.maestro.llm.Asked.hello;
import static io.maestro.llm.Asked.request;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmContent.Reasoning;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolReply;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.llm.LlmMessage.Role;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.LoopbackApi.Answer;
import io.maestro.tools.ToolDefinition;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams, reasoning and prompt caching of the Messages API. */
@Timeout(60)
class AnthropicStreamTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String THINKING =
            "{\"type\":\"thinking\",\"thinking\":\"Let me see.\",\"signature\":\"EqQB==\"}";
    private static final String REDACTED = "{\"type\":\"redacted_thinking\",\"data\":\"EmwK\"}";

    @Test
    void asksForAStreamUnlessToldOtherwise() throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api).build().complete(go());
            client(api).connection(c -> c.streaming(false)).build().complete(go());

            assertThat(sent(api, 0).path("stream").asBoolean()).isTrue();
            assertThat(api.received().get(0).headers().get("accept")).contains("text/event-stream");
            assertThat(sent(api, 1).has("stream")).isFalse();
            assertThat(api.received().get(1).headers()).containsEntry("accept", "application/json");
        }
    }

    /** The form is that of the vendor's documentation, with all kinds of blocks, deltas and counts. */
    @Test
    void readsAStream() {
        Answer answer = stream("""
                {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],\
                "model":"claude-test-2026","stop_reason":null,"usage":{"input_tokens":11,"output_tokens":1,\
                "cache_read_input_tokens":5,"cache_creation_input_tokens":3}}}
                {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
                {"type":"ping"}
                {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me"}}
                {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" see."}}
                {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB=="}}
                {"type":"content_block_stop","index":0}
                {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwK"}}
                {"type":"content_block_stop","index":1}
                {"type":"content_block_start","index":2,"content_block":{"type":"text","text":"I "}}
                {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"look"}}
                {"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{}}}
                {"type":"content_block_stop","index":2}
                {"type":"content_block_start","index":3,"content_block":{"type":"from_the_future","x":1}}
                {"type":"content_block_stop","index":3}
                {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t1","name":"a","input":{}}}
                {"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"t2","name":"b","input":{}}}
                {"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":""}}
                {"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"{\\"n\\": 1."}}
                {"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":"10}"}}
                {"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"t3","name":"c","input":{"q":1}}}
                {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":3}}
                {"type":"message_delta","delta":{},"usage":{"output_tokens":7,"input_tokens":0}}
                {"type":"message_stop"}""");
        try (LoopbackApi api = new LoopbackApi(answer)) {
            StringBuilder told = new StringBuilder();

            assertThat(client(api).build().complete(go(), told::append))
                    .isEqualTo(new LlmResponse(
                            "claude-test-2026",
                            List.of(
                                    new Reasoning("anthropic", THINKING),
                                    new Reasoning("anthropic", REDACTED),
                                    new Text("I look"),
                                    new ToolUse("t1", "a", "{}"),
                                    new ToolUse("t2", "b", "{\"n\":1.10}"),
                                    new ToolUse("t3", "c", "{\"q\":1}")),
                            StopReason.TOOL_USE,
                            new Usage(11, 7, 5, 3)));
            assertThat(told).hasToString("I look");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{\"type\":\"message_stop\"} | ended before it began",
                "{\"type\":\"message_start\",\"message\":{}};{\"type\":\"message_start\",\"message\":{}} | begins twice",
                "{\"type\":\"message_start\",\"message\":{}};{\"type\":\"content_block_delta\",\"index\":0}"
                        + " | did not begin",
                "{\"type\":\"message_start\",\"message\":{}};{\"type\":\"content_block_start\",\"index\":0} | a block",
                "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{}};"
                        + "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{}} | a number used before"
            })
    void asksAgainWhenAStreamMakesNoSense(String events, String message) {
        try (LoopbackApi api = new LoopbackApi(stream(events.replace(';', '\n')))) {
            assertThat(catchThrowableOfType(
                            LlmUnavailableException.class,
                            () -> client(api).build().complete(go())))
                    .hasMessageContaining(message)
                    .hasMessageContaining("gave up after 5 attempts");
        }
    }

    @Test
    void sendsReasoningBackAsItCame() throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api)
                    .promptCaching(false)
                    .build()
                    .complete(request(
                            LlmMessage.user("go"),
                            new LlmMessage(
                                    Role.ASSISTANT,
                                    List.of(
                                            new Reasoning("anthropic", THINKING),
                                            new Reasoning("openai", "{\"type\":\"reasoning\"}"),
                                            new Reasoning("anthropic", REDACTED),
                                            new ToolUse("t1", "a", "{}"))),
                            new LlmMessage(Role.USER, List.of(new ToolReply("t1", "x", false)))));

            assertThat(sent(api, 0).at("/messages/1/content"))
                    .isEqualTo(JSON.readTree("[" + THINKING + "," + REDACTED
                            + ",{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"a\",\"input\":{}}]"));
        }
    }

    /** An answer that was cut ends with reasoning; the service refuses it there. */
    @Test
    void leavesOutReasoningThatNothingFollows() throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api)
                    .promptCaching(false)
                    .build()
                    .complete(request(
                            LlmMessage.user("go"),
                            new LlmMessage(Role.ASSISTANT, List.of(new Reasoning("anthropic", THINKING))),
                            LlmMessage.user("well?"),
                            new LlmMessage(
                                    Role.ASSISTANT, List.of(new Text("I"), new Reasoning("anthropic", REDACTED))),
                            LlmMessage.user("yes?")));

            JsonNode messages = sent(api, 0).path("messages");
            assertThat(messages.toString()).doesNotContain("thinking");
            assertThat(messages.path(1).path("content")).hasSize(1);
            assertThat(roles(messages)).isEqualTo("user assistant user");
        }
    }

    @Test
    void marksToolsSystemAndTheLastTwoMessagesOfTheUserForTheCache() throws Exception {
        ToolDefinition first = ToolDefinition.builder("a").description("A").build();
        ToolDefinition second = ToolDefinition.builder("b").description("B").build();
        LlmRequest request = new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "You are a coder.",
                List.of(
                        LlmMessage.user("go"),
                        new LlmMessage(Role.ASSISTANT, List.of(new ToolUse("t1", "a", "{}"))),
                        new LlmMessage(Role.USER, List.of(new ToolReply("t1", "one", false), new Text("hint"))),
                        new LlmMessage(
                                Role.ASSISTANT, List.of(new ToolUse("t2", "a", "{}"), new ToolUse("t3", "a", "{}"))),
                        new LlmMessage(
                                Role.USER, List.of(new ToolReply("t2", "two", false), new ToolReply("t3", "", false)))),
                List.of(first, second),
                1000,
                OptionalDouble.empty());
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api).build().complete(request);
            client(api).promptCachingForAnHour(true).build().complete(request);
            client(api)
                    .promptCaching(false)
                    .promptCachingForAnHour(true)
                    .build()
                    .complete(request);

            JsonNode five = sent(api, 0);
            assertThat(five.path("system")).isEqualTo(JSON.readTree("""
                    [{"type": "text", "text": "You are a coder.", "cache_control": {"type": "ephemeral"}}]"""));
            for (String at : List.of("/tools/1", "/system/0", "/messages/2/content/1", "/messages/4/content/0")) {
                assertThat(five.at(at).path("cache_control"))
                        .as(at)
                        .isEqualTo(JSON.readTree("{\"type\": \"ephemeral\"}"));
                assertThat(sent(api, 1).at(at).path("cache_control"))
                        .as(at)
                        .isEqualTo(JSON.readTree("{\"type\": \"ephemeral\", \"ttl\": \"1h\"}"));
            }
            assertThat(five.findParents("cache_control")).hasSize(4);
            assertThat(sent(api, 1).findParents("cache_control")).hasSize(4);
            assertThat(sent(api, 2).toString()).doesNotContain("cache_control");
            assertThat(sent(api, 2).path("system").asText()).isEqualTo("You are a coder.");
        }
    }

    private static AnthropicClient.Builder client(LoopbackApi api) {
        return Asked.client(api.url(), new FakeClock(0));
    }

    private static JsonNode sent(LoopbackApi api, int request) throws Exception {
        return JSON.readTree(api.received().get(request).body());
    }

    private static String roles(JsonNode messages) {
        return StreamSupport.stream(messages.spliterator(), false)
                .map(message -> message.path("role").asText())
                .collect(Collectors.joining(" "));
    }

    /** One event from each line. */
    private static Answer stream(String events) {
        return Wire.ANTHROPIC_STREAM.ok(
                events.lines().map(event -> "event: x\ndata: " + event + "\n\n").collect(Collectors.joining()));
    }
}
