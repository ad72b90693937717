package io.maestro.llm;

import io.maestro.llm.LoopbackApi.Answer;
import io.maestro.tools.ToolDefinition;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;

/** What the tests of this package ask, and get. */
final class Asked {
    static final String KEY = "sk-ant-test-0123456789abcdef";
    static final String HELLO = "{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],\"stop_reason\":\"end_turn\"}";

    private Asked() {}

    static Answer hello() {
        return Answer.json(200, HELLO);
    }

    static AnthropicClient.Builder client(URI url, FakeClock clock) {
        return AnthropicClient.builder("claude-test")
                .apiKey(KEY)
                .baseUrl(url)
                .connection(c -> c.requestTimeLimit(Duration.ofSeconds(20)).clock(clock));
    }

    static OpenAiClient.Builder openAi(URI url, FakeClock clock) {
        return OpenAiClient.builder("gpt-test")
                .apiKey(KEY)
                .baseUrl(url)
                .connection(c -> c.requestTimeLimit(Duration.ofSeconds(20)).clock(clock));
    }

    static LlmRequest request(LlmMessage... messages) {
        return request(List.of(), messages);
    }

    static LlmRequest request(List<ToolDefinition> tools, LlmMessage... messages) {
        return new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "",
                List.of(messages),
                tools,
                1000,
                OptionalDouble.empty());
    }

    static LlmRequest go() {
        return request(LlmMessage.user("go"));
    }
}
