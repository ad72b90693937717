package io.maestro.llm;

import static io.maestro.llm.Asked.KEY;
import static io.maestro.llm.Asked.go;
import static io.maestro.llm.Asked.request;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
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
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent to OpenAI, and how its answers are read. */
@Timeout(60)
class OpenAiClientTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HELLO = """
            {"status": "completed", "output": [
              {"type": "message", "content": [{"type": "output_text", "text": "hello"}]}]}""";
    private static final String REASONING =
            "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"gAAA\"}";

    private final FakeClock clock = new FakeClock(0);

    @Test
    void sendsThePlainestRequest() throws Exception {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, HELLO))) {
            LlmResponse answer = client(api).complete(go());

            assertThat(answer.content()).containsExactly(new Text("hello"));
            LoopbackApi.Received received = api.received().get(0);
            assertThat(received.method()).isEqualTo("POST");
            assertThat(received.path()).isEqualTo("/v1/responses");
            assertThat(received.headers())
                    .containsEntry("authorization", "Bearer " + KEY)
                    .containsEntry("content-type", "application/json")
                    .doesNotContainKey("upgrade");
            assertJson(received.body(), """
                    {"model": "gpt-test", "max_output_tokens": 1000, "store": false,
                     "include": ["reasoning.encrypted_content"],
                     "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}]}""");
        }
    }

    @Test
    void sendsToolsAndAConversationWithThem() throws Exception {
        ToolDefinition plan = ToolDefinition.builder("submit_plan")
                .description("Submits the plan")
                .input(schema ->
                        schema.required("title", Property.string("one line")).optionalInteger("days", "how long"))
                .build();
        ToolDefinition free = ToolDefinition.builder("free")
                .description("Takes anything")
                .input(InputSchema.ofMap(
                        Map.of("type", "object", "properties", Map.of("list", Map.of("type", "array")))))
                .build();
        LlmRequest request = new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "PLANNING"),
                "You are a coder.",
                List.of(
                        LlmMessage.user("go"),
                        new LlmMessage(
                                Role.ASSISTANT,
                                List.of(
                                        new Reasoning("openai", REASONING),
                                        new Reasoning("anthropic", "{\"type\":\"thinking\"}"),
                                        new Text("I look"),
                                        new ToolUse("t1", "shell", "{ \"n\": 1.10 }"),
                                        new ToolUse("t2", "shell", "broken"))),
                        new LlmMessage(
                                Role.USER,
                                List.of(
                                        new Text("hint"),
                                        new ToolReply("t1", "found", false),
                                        new ToolReply("t2", "no", true),
                                        new Text(" ")))),
                List.of(plan, free),
                2048,
                OptionalDouble.of(0.5));
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, HELLO))) {
            Asked.openAi(api.url(), clock).build().complete(request);

            assertJson(api.received().get(0).body(), """
                    {"model": "gpt-test", "max_output_tokens": 2048, "temperature": 0.5, "store": false, "stream": true,
                     "include": ["reasoning.encrypted_content"], "instructions": "You are a coder.",
                     "parallel_tool_calls": true,
                     "tools": [
                       {"type": "function", "name": "submit_plan", "description": "Submits the plan", "strict": true,
                        "parameters": {"type": "object", "additionalProperties": false, "required": ["title", "days"],
                         "properties": {"title": {"type": "string", "description": "one line"},
                                        "days": {"type": ["integer", "null"], "description": "how long"}}}},
                       {"type": "function", "name": "free", "description": "Takes anything", "strict": false,
                        "parameters": {"type": "object", "properties": {"list": {"type": "array", "items": {}}}}}],
                     "input": [
                       {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
                       {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
                       {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look"}]},
                       {"type": "function_call", "call_id": "t1", "name": "shell", "arguments": "{ \\"n\\": 1.10 }"},
                       {"type": "function_call", "call_id": "t2", "name": "shell", "arguments": "broken"},
                       {"type": "function_call_output", "call_id": "t1", "output": "found"},
                       {"type": "function_call_output", "call_id": "t2", "output": "The call failed: no"},
                       {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hint"}]}]}""");
        }
    }

    @Test
    void sendsNoSchemaStrictWhenToldSo() throws Exception {
        ToolDefinition tool = ToolDefinition.builder("t")
                .description("d")
                .input(schema -> schema.optionalString("a", "b"))
                .build();
        Answer call = Answer.json(200, """
                {"output": [{"type": "function_call", "call_id": "c", "name": "t", "arguments": "{\\"a\\":null}"}]}""");
        try (LoopbackApi api = new LoopbackApi(call)) {
            LlmResponse said = Asked.openAi(api.url(), clock)
                    .strictTools(false)
                    .build()
                    .complete(request(List.of(tool), LlmMessage.user("go")));

            JsonNode sent = JSON.readTree(api.received().get(0).body()).at("/tools/0");
            assertThat(sent.path("strict").asBoolean(true)).isFalse();
            assertThat(sent.path("parameters"))
                    .isEqualTo(JSON.valueToTree(tool.input().asMap()));
            assertThat(said.toolUses()).extracting(ToolUse::input).containsExactly("{\"a\":null}");
        }
    }

    @Test
    void removesTheNullsThatStrictModeMakesTheModelWrite() {
        ToolDefinition tool = ToolDefinition.builder("t")
                .description("d")
                .input(schema -> schema.requiredString("path", "p").optionalString("a", "b"))
                .build();
        Answer calls = Answer.json(200, """
                {"output": [
                  {"type": "function_call", "call_id": "1", "name": "t", "arguments": "{\\"path\\":\\"x\\",\\"a\\":null}"},
                  {"type": "function_call", "call_id": "2", "name": "t", "arguments": "{ \\"path\\":null }"},
                  {"type": "function_call", "call_id": "3", "name": "other", "arguments": "{\\"a\\":null}"},
                  {"type": "function_call", "call_id": "4", "name": "t", "arguments": ""}]}""");
        try (LoopbackApi api = new LoopbackApi(calls)) {
            assertThat(client(api)
                            .complete(request(List.of(tool), LlmMessage.user("go")))
                            .toolUses())
                    .containsExactly(
                            new ToolUse("1", "t", "{\"path\":\"x\"}"),
                            new ToolUse("2", "t", "{ \"path\":null }"),
                            new ToolUse("3", "other", "{\"a\":null}"),
                            new ToolUse("4", "t", "{}"));
        }
    }

    /** An answer that was cut ends with reasoning; the service refuses it when nothing follows. */
    @Test
    void leavesOutReasoningThatNothingFollowsOrThatIsNotThere() throws Exception {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, HELLO))) {
            client(api)
                    .complete(request(
                            LlmMessage.user("go"),
                            new LlmMessage(
                                    Role.ASSISTANT,
                                    List.of(
                                            new Reasoning("openai", "{\"type\":\"reasoning\",\"id\":\"rs_0\"}"),
                                            new Reasoning("openai", "broken"),
                                            new Text("done"),
                                            new Reasoning("openai", REASONING))),
                            new LlmMessage(Role.ASSISTANT, List.of(new Reasoning("openai", REASONING))),
                            LlmMessage.user("well?")));

            assertThat(JSON.readTree(api.received().get(0).body()).path("input"))
                    .extracting(item ->
                            item.path("type").asText() + item.path("role").asText())
                    .containsExactly("messageuser", "messageassistant", "messageuser");
        }
    }

    @ParameterizedTest
    @CsvSource({"gpt-5.1, true", "o4-mini, true", "gpt-4o, false", "gpt-4.1-mini, false", "gpt-3.5-turbo, false"})
    void asksModelsForTheirReasoningThatHaveOne(String model, boolean asks) throws Exception {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, HELLO))) {
            OpenAiClient.Builder builder =
                    OpenAiClient.builder(model).apiKey(KEY).baseUrl(api.url());
            builder.build().complete(go());
            builder.reasoning(!asks).build().complete(go());

            assertThat(JSON.readTree(api.received().get(0).body()).has("include"))
                    .isEqualTo(asks);
            assertThat(JSON.readTree(api.received().get(1).body()).has("include"))
                    .isEqualTo(!asks);
        }
    }

    @Test
    void saysWhatToDoAboutAModelThatDoesNotReason() {
        Answer refused = Answer.json(400, """
                {"error": {"message": "Encrypted content is not supported with this model.",
                 "type": "invalid_request_error", "param": "include", "code": null}}""");
        try (LoopbackApi api = new LoopbackApi(refused)) {
            assertThat(catchThrowableOfType(
                            LlmException.class, () -> client(api).complete(go())))
                    .hasMessageContaining("HTTP 400 invalid_request_error: Encrypted content")
                    .hasMessageContaining("call reasoning(false)");
        }
    }

    @Test
    void readsAllKindsOfItemsAndUsage() {
        Answer answer = Answer.json(200, """
                {"id": "resp_1", "model": "gpt-test-2026", "status": "completed", "error": null,
                 "incomplete_details": null,
                 "output": [
                   {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
                   {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
                     {"type": "output_text", "text": "I look", "annotations": []},
                     {"type": "output_text", "text": ""},
                     {"type": "from_the_future"}]},
                   {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "shell",
                    "arguments": "{\\"n\\": 1.10}"},
                   {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "shell",
                    "arguments": {"n": 1.10}},
                   {"type": "from_the_future", "x": 1}],
                 "usage": {"input_tokens": 16, "input_tokens_details": {"cached_tokens": 5},
                           "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3},
                           "total_tokens": 23}}""");
        try (LoopbackApi api = new LoopbackApi(answer)) {
            assertThat(client(api).complete(go()))
                    .isEqualTo(new LlmResponse(
                            "gpt-test-2026",
                            List.of(
                                    new Reasoning("openai", REASONING),
                                    new Text("I look"),
                                    new ToolUse("call_1", "shell", "{\"n\": 1.10}"),
                                    new ToolUse("call_2", "shell", "{\"n\":1.10}")),
                            StopReason.TOOL_USE,
                            new Usage(11, 7, 5, 0)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "\"status\": \"completed\" | END_TURN",
                "\"x\": 1 | END_TURN",
                "\"status\": \"incomplete\", \"incomplete_details\": {\"reason\": \"max_output_tokens\"} | MAX_TOKENS",
                "\"status\": \"incomplete\", \"incomplete_details\": {\"reason\": \"content_filter\"} | REFUSAL",
                "\"status\": \"incomplete\", \"incomplete_details\": {\"reason\": \"something_new\"} | OTHER",
                "\"status\": \"incomplete\" | OTHER",
                "\"status\": \"something_new\" | OTHER"
            })
    void readsWhyItStopped(String fields, StopReason read) {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, "{\"output\": [], " + fields + "}"))) {
            assertThat(client(api).complete(go()).stopReason()).isEqualTo(read);
        }
    }

    @Test
    void readsARefusalAsAWholeAndPieceByPiece() {
        String item = """
                {"type": "message", "content": [{"type": "refusal", "refusal": "I will not"}]}""";
        String stream = "data: {\"type\": \"response.refusal.delta\", \"delta\": \"I will\"}\n\n"
                + "data: {\"type\": \"response.refusal.delta\", \"delta\": \" not\"}\n\n"
                + "data: {\"type\": \"response.output_item.done\", \"output_index\": 0, \"item\": " + item + "}\n\n"
                + "data: {\"type\": \"response.completed\", \"response\": {\"status\": \"completed\"}}\n\n";
        try (LoopbackApi api =
                new LoopbackApi(Answer.json(200, "{\"output\": [" + item + "]}"), Wire.OPENAI_STREAM.ok(stream))) {
            for (int i = 0; i < 2; i++) {
                StringBuilder told = new StringBuilder();
                LlmResponse said = client(api).complete(go(), told::append);

                assertThat(said.stopReason()).isEqualTo(StopReason.REFUSAL);
                assertThat(said.content()).containsExactly(new Text("I will not"));
                assertThat(told).hasToString("I will not");
            }
        }
    }

    /** Some servers send their items one by one only, and not in order. */
    @Test
    void takesTheItemsOfAStreamWhoseEndHasNone() {
        String stream = """
                data: {"type":"response.output_item.done","output_index":1,"item":\
                {"type":"function_call","call_id":"c","name":"shell","arguments":"{}"}}

                data: {"type":"response.output_item.done","output_index":0,"item":\
                {"type":"message","content":[{"type":"output_text","text":"I look"}]}}

                data: {"type":"response.completed","response":{"status":"completed","output":[]}}

                """;
        try (LoopbackApi api = new LoopbackApi(Wire.OPENAI_STREAM.ok(stream))) {
            assertThat(client(api).complete(go()).content())
                    .containsExactly(new Text("I look"), new ToolUse("c", "shell", "{}"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "server_error, true",
        "rate_limit_exceeded, true",
        "slow_down, true",
        "something_new, true",
        "invalid_prompt, false",
        "insufficient_quota, false",
        "model_not_found, false"
    })
    void actsByTheCodeOfAResponseThatFailed(String code, boolean again) {
        String failed = "{\"status\": \"failed\", \"output\": [], \"error\": {\"code\": \"" + code
                + "\", \"message\": \"the reason\"}}";
        String stream = "data: {\"type\": \"response.failed\", \"response\": " + failed + "}\n\n";
        for (Answer answer : List.of(Answer.json(200, failed), Wire.OPENAI_STREAM.ok(stream))) {
            try (LoopbackApi api = new LoopbackApi(answer, Answer.json(200, HELLO))) {
                if (again) {
                    assertThat(client(api).complete(go()).content()).containsExactly(new Text("hello"));
                } else {
                    assertThat(catchThrowableOfType(
                                    LlmException.class, () -> client(api).complete(go())))
                            .hasMessageContaining("the answer broke off with " + code + ": the reason");
                    assertThat(api.received()).hasSize(1);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"try again in 1.898s.", "Please try again in 1898ms"})
    void waitsAsLongAsTheTextOfAnErrorSays(String message) {
        String failed = "data: {\"type\": \"response.failed\", \"response\": {\"error\": {\"code\":"
                + " \"rate_limit_exceeded\", \"message\": \"Rate limit reached, " + message + "\"}}}\n\n";
        try (LoopbackApi api = new LoopbackApi(Wire.OPENAI_STREAM.ok(failed), Answer.json(200, HELLO))) {
            client(api).complete(go());

            assertThat(clock.sleeps()).containsExactly(Duration.ofMillis(1898));
        }
    }

    @Test
    void doesNotWaitForCreditToAppear() {
        Answer spent = Answer.json(429, """
                {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota",
                 "param": null, "code": "insufficient_quota"}}""");
        try (LoopbackApi api =
                new LoopbackApi(spent.with("x-request-id", "req_9").with("retry-after", "1"))) {
            assertThat(catchThrowableOfType(
                            LlmException.class, () -> client(api).complete(go())))
                    .hasMessageContaining(
                            "HTTP 429 insufficient_quota: You exceeded your current quota (request req_9); ")
                    .hasMessageContaining("no credit left");
            assertThat(api.received()).hasSize(1);
        }
    }

    @Test
    void doesNotWaitForARequestToBecomeSmallerThanTheLimitOfAMinute() {
        Answer large = Answer.json(429, """
                {"error": {"message": "Request too large for gpt-test in organization org-x on tokens per min (TPM): Limit \
                30000, Requested 60000.", "type": "tokens", "code": "rate_limit_exceeded"}}""");
        try (LoopbackApi api = new LoopbackApi(large)) {
            assertThat(catchThrowableOfType(
                            LlmContextOverflowException.class, () -> client(api).complete(go())))
                    .hasMessageContaining("Limit 30000, Requested 60000")
                    .hasMessageContaining("shorten it");
            assertThat(api.received()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', /v1/responses",
        "/, /v1/responses",
        "/v1, /v1/responses",
        "/v1/, /v1/responses",
        "/proxy, /proxy/v1/responses",
        "/openai/v1, /openai/v1/responses"
    })
    void takesItsSettingsFromTheEnvironment(String path, String asked) {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, HELLO))) {
            OpenAiClient client = OpenAiClient.builder("gpt-test")
                    .fromEnvironment(Map.of("OPENAI_API_KEY", KEY + "\n", "OPENAI_BASE_URL", api.url() + path))
                    .build();

            client.complete(go());

            assertThat(api.received().get(0).path()).isEqualTo(asked);
            assertThat(api.received().get(0).headers()).containsEntry("authorization", "Bearer " + KEY);
            assertThat(client).hasToString("OpenAiClient gpt-test at " + api.url() + path);
        }
    }

    @Test
    void namesTheVariableThatIsMissingOrWrong() {
        OpenAiClient.Builder builder = OpenAiClient.builder("gpt-test");
        assertThatExceptionOfType(LlmException.class)
                .isThrownBy(() -> builder.fromEnvironment(Map.of()).build())
                .withMessageContaining("set OPENAI_API_KEY");
        assertThatExceptionOfType(LlmException.class).isThrownBy(builder::build).withMessageContaining("no API key");
        assertThatExceptionOfType(LlmException.class)
                .isThrownBy(() -> builder.fromEnvironment(Map.of("OPENAI_API_KEY", "secret\nvalue")))
                .withMessageContaining("OPENAI_API_KEY cannot be used")
                .withMessageNotContaining("secret");
        assertThatExceptionOfType(LlmException.class)
                .isThrownBy(() -> builder.fromEnvironment(
                        Map.of("OPENAI_API_KEY", KEY, "OPENAI_BASE_URL", "https://user:pw@host")))
                .withMessageContaining("OPENAI_BASE_URL")
                .withMessageNotContaining("pw");
        assertThatIllegalArgumentException().isThrownBy(() -> OpenAiClient.builder(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.connection(c -> c.idleTimeLimit(Duration.ZERO)));
        assertThat(builder).hasToString("OpenAiClient.Builder gpt-test");
    }

    @Test
    void followsNoRedirect() {
        try (LoopbackApi target = new LoopbackApi(Answer.json(200, HELLO));
                LoopbackApi api = new LoopbackApi(new Answer(
                        307,
                        Map.of("location", target.url() + "/v1/responses"),
                        "moved".getBytes(StandardCharsets.UTF_8)))) {
            assertThat(catchThrowableOfType(
                            LlmException.class, () -> client(api).complete(go())))
                    .hasMessageContaining("HTTP 307 redirect to " + target.url())
                    .hasMessageContaining("OPENAI_BASE_URL");
            assertThat(target.received()).isEmpty();
        }
    }

    private OpenAiClient client(LoopbackApi api) {
        return Asked.openAi(URI.create(api.url().toString()), clock)
                .connection(c -> c.streaming(false))
                .build();
    }

    private static void assertJson(String actual, String expected) throws Exception {
        assertThat(JSON.readTree(actual)).isEqualTo(JSON.readTree(expected));
    }
}
