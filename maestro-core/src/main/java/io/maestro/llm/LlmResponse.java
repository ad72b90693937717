package io.maestro.llm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model answered.
 *
 * @param model the model that answered, as the vendor reports it
 * @param content its parts in order; empty when the model said nothing
 * @param stopReason why it stopped
 * @param usage what it cost in tokens; null when the service has not said it, or nothing that can be true. Then the request counts
 *     with the most that it may have used
 */
public record LlmResponse(
        String model,
        List<LlmContent> content,
        StopReason stopReason,
        @Nullable Usage usage) {
    /** Why a model stopped. */
    public enum StopReason {
        /** It said all it had to say. */
        END_TURN,
        /** It waits for the results of tools. */
        TOOL_USE,
        /** It reached {@code maxTokens}, or the end of its context window: the answer is cut. */
        MAX_TOKENS,
        /** It declined to answer. */
        REFUSAL,
        /** Something this version does not know. */
        OTHER
    }

    /**
     * Copies the parts.
     *
     * @param model the model that answered
     * @param content its parts
     * @param stopReason why it stopped
     * @param usage what it cost; null when that is not known
     */
    public LlmResponse {
        content = List.copyOf(content);
    }

    /**
     * The calls of tools in the answer, in order.
     *
     * @return empty when the model called none
     */
    public List<LlmContent.ToolUse> toolUses() {
        return content.stream()
                .filter(LlmContent.ToolUse.class::isInstance)
                .map(LlmContent.ToolUse.class::cast)
                .toList();
    }
}
