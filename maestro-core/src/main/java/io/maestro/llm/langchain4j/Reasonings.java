package io.maestro.llm.langchain4j;

import dev.langchain4j.data.message.AiMessage;
import io.maestro.llm.LlmContent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a model thought, and what its vendor signed: LangChain4j keeps it beside the text, and a vendor that wants it back finds
 * it there again.
 */
final class Reasonings {
    private static final String VENDOR = "langchain4j";
    private static final String THINKING = "thinking";
    private static final String ATTRIBUTES = "attributes";

    private Reasonings() {}

    static Optional<LlmContent.Reasoning> of(AiMessage message) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (message.thinking() != null) {
            json.put(THINKING, message.thinking());
        }
        Map<String, Object> attributes = new LinkedHashMap<>();
        message.attributes().forEach((name, value) -> {
            if (isPlain(value)) {
                attributes.put(name, value);
            }
        });
        if (!attributes.isEmpty()) {
            json.put(ATTRIBUTES, attributes);
        }
        return json.isEmpty()
                ? Optional.empty()
                : Optional.of(new LlmContent.Reasoning(VENDOR, ChatModelJson.text(json)));
    }

    static void addTo(AiMessage.Builder message, LlmContent.Reasoning reasoning) {
        if (!reasoning.vendor().equals(VENDOR)) {
            return;
        }
        Map<String, Object> json = ChatModelJson.map(reasoning.json());
        if (json.get(THINKING) instanceof String thinking) {
            message.thinking(thinking);
        }
        if (json.get(ATTRIBUTES) instanceof Map<?, ?> attributes) {
            Map<String, Object> copy = new LinkedHashMap<>();
            attributes.forEach((name, value) -> copy.put(String.valueOf(name), value));
            message.attributes(copy);
        }
    }

    /** Whether a value comes back from JSON as what it was; an image, for example, does not. */
    private static boolean isPlain(Object value) {
        return value instanceof String
                || value instanceof Boolean
                || value instanceof Integer
                || value instanceof List<?> list && list.stream().allMatch(String.class::isInstance);
    }
}
