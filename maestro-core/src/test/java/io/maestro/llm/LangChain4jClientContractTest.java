package io.maestro.llm;

import static io.maestro.testing.AssertThat.assertThat;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import io.maestro.llm.langchain4j.LangChain4jClient;
import io.maestro.testkit.contract.LlmClientContract;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LangChain4jClientContractTest extends LlmClientContract {
    /** As a vendor's own usage, which knows of caches. */
    private static final class CachingUsage extends TokenUsage {
        private final Usage usage;

        CachingUsage(Usage usage) {
            super((int) usage.inputTokens(), (int) usage.outputTokens());
            this.usage = usage;
        }
    }

    @Override
    protected LlmClient answering(LlmResponse... answers) {
        Queue<LlmResponse> left = new ArrayDeque<>(List.of(answers));
        ChatModel model = new ChatModel() {
            @Override
            public ChatResponse doChat(ChatRequest request) {
                return written(left.remove());
            }
        };
        return LangChain4jClient.builder(model)
                .model("m")
                .usage(response -> ((CachingUsage) response.tokenUsage()).usage)
                .build();
    }

    private static ChatResponse written(LlmResponse answer) {
        AiMessage.Builder message = AiMessage.builder();
        for (LlmContent part : answer.content()) {
            if (part instanceof LlmContent.Text text) {
                message.text(text.text());
            }
        }
        message.toolExecutionRequests(answer.toolUses().stream()
                .map(use -> ToolExecutionRequest.builder()
                        .id(use.id())
                        .name(use.name())
                        .arguments(use.input())
                        .build())
                .toList());
        return ChatResponse.builder()
                .aiMessage(message.build())
                .modelName(answer.model())
                .finishReason(
                        switch (answer.stopReason()) {
                            case END_TURN -> FinishReason.STOP;
                            case TOOL_USE -> FinishReason.TOOL_EXECUTION;
                            case MAX_TOKENS -> FinishReason.LENGTH;
                            case REFUSAL -> FinishReason.CONTENT_FILTER;
                            case OTHER -> FinishReason.OTHER;
                        })
                .tokenUsage(new CachingUsage(answer.usage()))
                .build();
    }

    /** Its messages have one text, and calls behind it. */
    @Test
    @Override
    protected void tellsAListenerWhatItSays() {
        List<LlmContent> content =
                List.of(new LlmContent.Text("I look ä😀"), new LlmContent.ToolUse("t1", "shell", "{}"));
        LlmClient client = answering(new LlmResponse("m", content, LlmResponse.StopReason.TOOL_USE, Usage.NONE));
        List<String> told = new ArrayList<>();

        LlmResponse said = client.complete(Asked.go(), told::add);

        assertThat(told).containsExactly("I look ä😀");
        assertThat(said.content()).isEqualTo(content);
    }

    @Override
    protected LlmClient hanging(CountDownLatch asked) {
        ChatModel model = new ChatModel() {
            @Override
            public ChatResponse doChat(ChatRequest request) {
                asked.countDown();
                try {
                    new CountDownLatch(1).await();
                    throw new AssertionError("nobody counts down");
                } catch (InterruptedException e) {
                    // As LangChain4j's own HTTP client does.
                    throw new RuntimeException(e);
                }
            }
        };
        return LangChain4jClient.builder(model).model("m").build();
    }
}
