package io.maestro.llm;

import static io.maestro.llm.Asked.KEY;
import static io.maestro.llm.Asked.go;
import static io.maestro.llm.Asked.hello;
import static io.maestro.llm.Asked.request;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolReply;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.llm.LlmMessage.Role;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.LoopbackApi.Answer;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent, and how answers are read. */
class AnthropicClientTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void sendsThePlainestRequest() throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            LlmResponse answer = client(api).complete(go());

            assertThat(answer.content()).containsExactly(new Text("hello"));
            LoopbackApi.Received received = api.received().get(0);
            assertThat(received.method()).isEqualTo("POST");
            assertThat(received.path()).isEqualTo("/v1/messages");
            assertThat(received.headers())
                    .containsEntry("x-api-key", KEY)
                    .containsEntry("anthropic-version", "2023-06-01")
                    .containsEntry("content-type", "application/json")
                    .doesNotContainKey("upgrade");
            assertJson(received.body(), """
                    {"model": "claude-test", "max_tokens": 1000,
                     "messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}]}""");
        }
    }

    @Test
    void sendsToolsWithNestedSchemasAndAConversationWithThem() throws Exception {
        ToolDefinition plan = ToolDefinition.builder("submit_plan")
                .description("Submits the plan")
                .input(schema -> schema.required(
                        "steps",
                        Property.array(
                                        "the steps",
                                        Property.object(
                                                "a step",
                                                step -> step.requiredString("title", "one line")
                                                        .optional("risk", Property.oneOf("how bad", "low", "high"))))
                                .minItems(1)))
                .build();
        LlmRequest request = new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "PLANNING"),
                "You are a coder.",
                List.of(
                        LlmMessage.user("go"),
                        new LlmMessage(
                                Role.ASSISTANT,
                                List.of(
                                        new Text("I look"),
                                        new ToolUse("t1", "shell", "{\"n\": 1.10, \"deep\": {\"a\": [null, \"ä\"]}}"),
                                        new ToolUse("t2", "shell", "{}"))),
                        new LlmMessage(
                                Role.USER,
                                List.of(new ToolReply("t1", "found", false), new ToolReply("t2", "no", true)))),
                List.of(plan),
                2048,
                OptionalDouble.of(0.5));
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api).complete(request);

            assertJson(api.received().get(0).body(), """
                    {"model": "claude-test", "max_tokens": 2048, "temperature": 0.5, "system": "You are a coder.",
                     "tools": [{"name": "submit_plan", "description": "Submits the plan", "input_schema": {
                       "type": "object", "additionalProperties": false, "required": ["steps"], "properties": {
                         "steps": {"type": "array", "description": "the steps", "minItems": 1, "items": {
                           "type": "object", "description": "a step", "additionalProperties": false,
                           "required": ["title"], "properties": {
                             "title": {"type": "string", "description": "one line", "minLength": 1},
                             "risk": {"type": "string", "description": "how bad", "enum": ["low", "high"]}}}}}}}],
                     "messages": [
                       {"role": "user", "content": [{"type": "text", "text": "go"}]},
                       {"role": "assistant", "content": [
                         {"type": "text", "text": "I look"},
                         {"type": "tool_use", "id": "t1", "name": "shell",
                          "input": {"n": 1.10, "deep": {"a": [null, "ä"]}}},
                         {"type": "tool_use", "id": "t2", "name": "shell", "input": {}}]},
                       {"role": "user", "content": [
                         {"type": "tool_result", "tool_use_id": "t1", "content": "found"},
                         {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": true}]}]}""");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1,2", "[1]", "7", "null", "", "{\"a\":1} {}", "{\"a\":", "not JSON"})
    void sendsAnEmptyObjectForAnInputThatIsNone(String input) throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api)
                    .complete(request(
                            LlmMessage.user("go"),
                            new LlmMessage(Role.ASSISTANT, List.of(new ToolUse("t1", "shell", input))),
                            new LlmMessage(Role.USER, List.of(new ToolReply("t1", "not an object", true)))));

            assertThat(JSON.readTree(api.received().get(0).body())
                            .at("/messages/1/content/0/input")
                            .toString())
                    .isEqualTo("{}");
        }
    }

    @Test
    void ordersAndJoinsMessagesAsTheServiceWantsThem() throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api)
                    .complete(request(
                            LlmMessage.user("go"),
                            new LlmMessage(Role.ASSISTANT, List.of(new Text(" \n"))),
                            LlmMessage.user("well?"),
                            new LlmMessage(
                                    Role.ASSISTANT,
                                    List.of(new ToolUse("t1", "a", "{}"), new ToolUse("t2", "a", "{}"))),
                            new LlmMessage(
                                    Role.USER,
                                    List.of(new Text("hint"), new Text(""), new ToolReply("t1", "1", false))),
                            new LlmMessage(Role.USER, List.of(new ToolReply("t2", "", false), new Text("hurry")))));

            assertJson(
                    JSON.readTree(api.received().get(0).body()).path("messages").toString(), """
                    [{"role": "user", "content": [{"type": "text", "text": "go"}, {"type": "text", "text": "well?"}]},
                     {"role": "assistant", "content": [
                       {"type": "tool_use", "id": "t1", "name": "a", "input": {}},
                       {"type": "tool_use", "id": "t2", "name": "a", "input": {}}]},
                     {"role": "user", "content": [
                       {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                       {"type": "tool_result", "tool_use_id": "t2", "content": ""},
                       {"type": "text", "text": "hint"}, {"type": "text", "text": "hurry"}]}]""");
        }
    }

    @Test
    void sendsTextThatWasCutInsideACharacter() throws Exception {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            client(api).complete(request(LlmMessage.user("smile " + "😀".charAt(0)), LlmMessage.user("ok 😀")));

            assertThat(JSON.readTree(api.received().get(0).body()).at("/messages/0/content"))
                    .extracting(block -> block.path("text").asText())
                    .containsExactly("smile ?", "ok 😀");
        }
    }

    @Test
    void readsTextToolCallsAndUsage() {
        Answer answer = Answer.json(200, """
                {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test-2026",
                 "content": [
                   {"type": "thinking", "thinking": "hm", "signature": "x"},
                   {"type": "text", "text": ""},
                   {"type": "text", "text": "I look"},
                   {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {"n": 1.10, "a": [{"b": "ä"}]}},
                   {"type": "tool_use", "id": "toolu_2", "name": "shell"},
                   {"type": "from_the_future", "text": "?"}],
                 "stop_reason": "tool_use", "stop_sequence": null,
                 "usage": {"input_tokens": 11, "output_tokens": 7,
                           "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}}""");
        try (LoopbackApi api = new LoopbackApi(answer)) {
            assertThat(client(api).complete(go()))
                    .isEqualTo(new LlmResponse(
                            "claude-test-2026",
                            List.of(
                                    new LlmContent.Reasoning(
                                            "anthropic",
                                            "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x\"}"),
                                    new Text("I look"),
                                    new ToolUse("toolu_1", "shell", "{\"n\":1.10,\"a\":[{\"b\":\"ä\"}]}"),
                                    new ToolUse("toolu_2", "shell", "{}")),
                            StopReason.TOOL_USE,
                            new Usage(11, 7, 5, 3)));
        }
    }

    @Test
    void readsAnAnswerThatSaysNothing() {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, "{\"content\": []}"))) {
            assertThat(client(api).complete(go()))
                    .isEqualTo(new LlmResponse("claude-test", List.of(), StopReason.OTHER, null));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "end_turn, END_TURN",
        "stop_sequence, END_TURN",
        "tool_use, TOOL_USE",
        "max_tokens, MAX_TOKENS",
        "model_context_window_exceeded, MAX_TOKENS",
        "refusal, REFUSAL",
        "pause_turn, OTHER",
        "something_new, OTHER"
    })
    void readsStopReasons(String sent, StopReason read) {
        Answer answer = Answer.json(200, "{\"content\": [], \"stop_reason\": \"" + sent + "\"}");
        try (LoopbackApi api = new LoopbackApi(answer)) {
            assertThat(client(api).complete(go()).stopReason()).isEqualTo(read);
        }
    }

    @Test
    void takesItsSettingsFromTheEnvironment() {
        try (LoopbackApi api = new LoopbackApi(hello())) {
            AnthropicClient client = AnthropicClient.builder("claude-test")
                    .fromEnvironment(
                            Map.of("ANTHROPIC_API_KEY", KEY + "\n", "ANTHROPIC_BASE_URL", api.url() + "/proxy/"))
                    .build();

            client.complete(go());

            assertThat(api.received().get(0).path()).isEqualTo("/proxy/v1/messages");
            assertThat(api.received().get(0).headers()).containsEntry("x-api-key", KEY);
            assertThat(client.model()).isEqualTo("claude-test");
            assertThat(client).hasToString("AnthropicClient claude-test at " + api.url() + "/proxy/");
        }
    }

    @Test
    void namesTheVariableThatIsMissingOrWrong() {
        AnthropicClient.Builder builder = AnthropicClient.builder("claude-test");
        assertThatExceptionOfType(LlmException.class)
                .isThrownBy(() -> builder.fromEnvironment(Map.of()).build())
                .withMessageContaining("set ANTHROPIC_API_KEY");
        assertThatExceptionOfType(LlmException.class)
                .isThrownBy(() -> builder.fromEnvironment(Map.of("ANTHROPIC_API_KEY", "  "))
                        .build())
                .withMessageContaining("set ANTHROPIC_API_KEY");
        assertThatExceptionOfType(LlmException.class).isThrownBy(builder::build).withMessageContaining("no API key");
        assertThatExceptionOfType(LlmException.class)
                .isThrownBy(() -> builder.fromEnvironment(Map.of("ANTHROPIC_API_KEY", "secret\nvalue")))
                .withMessageContaining("ANTHROPIC_API_KEY cannot be used")
                .withMessageNotContaining("secret")
                .withNoCause();
        for (String url : List.of("no url", "ftp://host", "https://user:pw@host", "https://host?token=pw", "api")) {
            assertThatExceptionOfType(LlmException.class)
                    .isThrownBy(
                            () -> builder.fromEnvironment(Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", url)))
                    .withMessageContaining("ANTHROPIC_BASE_URL")
                    .withMessageNotContaining("pw");
        }
    }

    @Test
    void refusesSettingsThatCannotBeMeant() {
        AnthropicClient.Builder builder = AnthropicClient.builder("claude-test").apiKey(KEY);
        HttpClient following = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();

        assertThatIllegalArgumentException().isThrownBy(() -> AnthropicClient.builder(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.apiKey("clé"));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.connection(c -> c.maxRetries(-1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.connection(c -> c.requestTimeLimit(Duration.ZERO)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.connection(c -> c.totalTimeLimit(Duration.ofSeconds(Long.MAX_VALUE))));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.baseUrl(URI.create("https:///path")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.connection(c -> c.httpClient(following)))
                .withMessageContaining("Redirect.NEVER");
        assertThat(builder).hasToString("AnthropicClient.Builder claude-test");
    }

    @Test
    void usesTheHostsHttpClient() {
        try (LoopbackApi api = new LoopbackApi(hello());
                LoopbackApi proxy = new LoopbackApi(hello())) {
            HttpClient host = HttpClient.newBuilder()
                    .proxy(java.net.ProxySelector.of(new java.net.InetSocketAddress(
                            "127.0.0.1", proxy.url().getPort())))
                    .build();

            Asked.client(URI.create("http://api.invalid"), new FakeClock(0))
                    .connection(c -> c.httpClient(host))
                    .build()
                    .complete(go());

            assertThat(proxy.received()).hasSize(1);
            assertThat(api.received()).isEmpty();
        }
    }

    private static AnthropicClient client(LoopbackApi api) {
        return Asked.client(api.url(), new FakeClock(0))
                .connection(c -> c.streaming(false))
                .promptCaching(false)
                .build();
    }

    private static void assertJson(String actual, String expected) throws Exception {
        assertThat(JSON.readTree(actual)).isEqualTo(JSON.readTree(expected));
    }
}
