package io.maestro.budget.internal;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.internal.PlainSchema;
import io.maestro.tools.ToolDefinition;

/**
 * How many tokens a request has at most: one for two bytes of UTF-8. Texts and code have one for three or four, Chinese about one
 * for three.
 */
final class RequestSize {
    private static final int BYTES_PER_TOKEN = 2;

    /** Names of fields and braces around each part. */
    private static final int FRAME = 40;

    /** What a service itself says to a model of tools. */
    private static final int SERVICE_TOKENS = 1_000;

    private RequestSize() {}

    static long tokens(LlmRequest request) {
        long bytes = bytes(request.system());
        for (LlmMessage message : request.messages()) {
            for (LlmContent part : message.content()) {
                bytes += FRAME + bytes(part);
            }
        }
        for (ToolDefinition tool : request.tools()) {
            bytes += FRAME
                    + bytes(tool.name())
                    + bytes(tool.description())
                    + bytes(PlainSchema.withPlainNames(tool.input()).toString());
        }
        return SERVICE_TOKENS + bytes / BYTES_PER_TOKEN;
    }

    private static long bytes(LlmContent part) {
        if (part instanceof LlmContent.Text text) {
            return bytes(text.text());
        }
        if (part instanceof LlmContent.ToolUse use) {
            return bytes(use.id()) + bytes(use.name()) + bytes(use.input());
        }
        if (part instanceof LlmContent.ToolReply reply) {
            return bytes(reply.toolUseId()) + bytes(reply.text());
        }
        return bytes(((LlmContent.Reasoning) part).json());
    }

    /** Of UTF-8; half of a surrogate pair counts two. */
    private static long bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
