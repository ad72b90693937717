package io.maestro.team.internal.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes less of the parts of a conversation; what is short already stays as it is. */
final class Shortening {
    /** A result up to this length stays. */
    static final int RESULT = 200;

    /** An argument or a text of the model's up to this length stays. */
    static final int SAID = 300;

    /** A text of the user's side up to this length stays: an answer, feedback, a reminder. */
    static final int TOLD = 2_000;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private Shortening() {}

    /** What stays of an older message. */
    static LlmMessage older(LlmMessage message, Map<String, String> toolNames) {
        List<LlmContent> content = new ArrayList<>();
        for (LlmContent part : message.content()) {
            if (part instanceof LlmContent.ToolReply reply) {
                content.add(reply.text().length() <= RESULT ? reply : leftOut(reply, toolNames));
            } else if (part instanceof LlmContent.ToolUse use) {
                content.add(arguments(use));
            } else if (part instanceof LlmContent.Text text) {
                content.add(
                        new LlmContent.Text(middle(text.text(), message.role() == LlmMessage.Role.USER ? TOLD : SAID)));
            }
            // What the model thought is needed for its newest turns only.
        }
        if (content.isEmpty()) {
            content.add(new LlmContent.Text("(left out)"));
        }
        return new LlmMessage(message.role(), content);
    }

    private static LlmContent leftOut(LlmContent.ToolReply reply, Map<String, String> toolNames) {
        String tool = CallKey.line(toolNames.getOrDefault(reply.toolUseId(), "a tool"), 64);
        return new LlmContent.ToolReply(
                reply.toolUseId(),
                "(left out: " + (reply.error() ? "the error" : "the result") + " of " + tool + ", "
                        + reply.text().length() + " characters)",
                reply.error());
    }

    /** A call with long arguments left out; still a JSON object, as services insist on. */
    static LlmContent.ToolUse arguments(LlmContent.ToolUse use) {
        if (use.input().length() <= SAID) {
            return use;
        }
        return new LlmContent.ToolUse(use.id(), use.name(), shortObject(use.input()));
    }

    private static String shortObject(String input) {
        try {
            if (JSON.readTree(input) instanceof ObjectNode object) {
                List<String> names = new ArrayList<>();
                object.fieldNames().forEachRemaining(names::add);
                for (String name : names) {
                    JsonNode value = object.get(name);
                    String text = value.isTextual() ? value.textValue() : value.toString();
                    if (text.length() > RESULT) {
                        object.put(name, middle(text, RESULT));
                    }
                }
                String shorter = object.toString();
                if (shorter.length() <= 20 * SAID) {
                    return shorter;
                }
            }
        } catch (JsonProcessingException e) {
            // What is no JSON is left out whole.
        }
        return JSON.createObjectNode()
                .put("left_out", input.length() + " characters")
                .toString();
    }

    /** A text of at most so many characters, of which the beginning and the end are kept. */
    static String middle(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        String note = "\n… (" + text.length() + " characters, the middle is left out) …\n";
        if (most <= note.length()) {
            return "…".substring(0, Math.min(1, Math.max(0, most)));
        }
        int kept = most - note.length();
        int head = (kept + 1) / 2;
        int tail = text.length() - kept / 2;
        // Half a character of two is no character.
        if (head > 0 && Character.isHighSurrogate(text.charAt(head - 1))) {
            head--;
        }
        if (tail < text.length() && Character.isLowSurrogate(text.charAt(tail))) {
            tail++;
        }
        return text.substring(0, head) + note + text.substring(tail);
    }
}
