package io.maestro.llm.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads an answer. */
final class Responses {
    private Responses() {}

    static LlmResponse response(String model, ChatResponse response, @Nullable Usage usage) {
        AiMessage message = response.aiMessage();
        List<LlmContent> content = new ArrayList<>();
        Reasonings.of(message).ifPresent(content::add);
        String text = message.text();
        if (text != null && !text.isEmpty()) {
            content.add(new LlmContent.Text(text));
        }
        boolean calls = message.hasToolExecutionRequests();
        if (calls) {
            Set<String> ids = new HashSet<>();
            message.toolExecutionRequests().forEach(request -> content.add(call(request, ids)));
        }
        String name = response.modelName();
        return new LlmResponse(
                name == null || name.isBlank() ? model : name,
                content,
                stopReason(response.finishReason(), calls),
                usage);
    }

    /** Null when a count is missing or negative. */
    static @Nullable Usage usage(ChatResponse response) {
        TokenUsage usage = response.tokenUsage();
        if (usage == null) {
            return null;
        }
        Integer input = usage.inputTokenCount();
        Integer output = usage.outputTokenCount();
        return input == null || output == null || input < 0 || output < 0 ? null : new Usage(input, output, 0, 0);
    }

    /** Some vendors give calls no id: then they get one, as a result must find its call. */
    private static LlmContent.ToolUse call(ToolExecutionRequest request, Set<String> ids) {
        String id = request.id();
        if (id == null || id.isBlank() || !ids.add(id)) {
            id = "call_" + UUID.randomUUID();
        }
        String arguments = request.arguments();
        return new LlmContent.ToolUse(
                id,
                request.name() == null ? "" : request.name(),
                arguments == null || arguments.isBlank() ? "{}" : arguments);
    }

    /** Some vendors say STOP, or nothing, where calls wait for their results. */
    private static StopReason stopReason(@Nullable FinishReason reason, boolean calls) {
        if (reason == FinishReason.LENGTH) {
            return StopReason.MAX_TOKENS;
        }
        if (reason == FinishReason.CONTENT_FILTER) {
            return StopReason.REFUSAL;
        }
        if (calls) {
            return StopReason.TOOL_USE;
        }
        return reason == FinishReason.STOP ? StopReason.END_TURN : StopReason.OTHER;
    }
}
