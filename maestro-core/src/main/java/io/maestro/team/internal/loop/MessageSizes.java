package io.maestro.team.internal.loop;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.tools.ToolDefinition;
import java.util.List;

/** How many characters are sent to a model, about. */
final class MessageSizes {
    /** Names of fields, quotes and braces around each part. */
    private static final int FRAME = 40;

    private MessageSizes() {}

    static long ofTools(List<ToolDefinition> tools) {
        return tools.stream()
                .mapToLong(tool -> FRAME
                        + tool.name().length()
                        + tool.description().length()
                        + tool.input().asMap().toString().length())
                .sum();
    }

    static long of(List<LlmMessage> messages) {
        return messages.stream().mapToLong(MessageSizes::of).sum();
    }

    static long of(LlmMessage message) {
        return FRAME + message.content().stream().mapToLong(MessageSizes::of).sum();
    }

    static long of(LlmContent part) {
        if (part instanceof LlmContent.Text text) {
            return (long) FRAME + text.text().length();
        }
        if (part instanceof LlmContent.ToolUse use) {
            return (long) FRAME
                    + use.id().length()
                    + use.name().length()
                    + use.input().length();
        }
        if (part instanceof LlmContent.ToolReply reply) {
            return (long) FRAME + reply.toolUseId().length() + reply.text().length();
        }
        LlmContent.Reasoning reasoning = (LlmContent.Reasoning) part;
        return (long) FRAME + reasoning.vendor().length() + reasoning.json().length();
    }
}
