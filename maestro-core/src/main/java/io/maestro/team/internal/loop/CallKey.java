package io.maestro.team.internal.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.llm.LlmContent;
import java.util.Map;
import java.util.TreeMap;

/**
 * What makes two calls the same: the tool, and arguments that are equal as JSON. The order of keys, blanks and the way in
 * which a number is written make no difference.
 *
 * @param tool the tool's name
 * @param arguments in one form for all that are equal; what is no JSON as it came
 */
public record CallKey(String tool, String arguments) {
    private static final int SHOWN_CHARACTERS = 160;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public static CallKey of(LlmContent.ToolUse use) {
        if (use.input().isBlank()) {
            return new CallKey(use.name(), "{}");
        }
        try {
            StringBuilder text = new StringBuilder(use.input().length());
            append(JSON.readTree(use.input()), text);
            return new CallKey(use.name(), text.toString());
        } catch (JsonProcessingException e) {
            return new CallKey(use.name(), use.input());
        }
    }

    private static void append(JsonNode node, StringBuilder text) {
        if (node.isObject()) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            node.properties().forEach(property -> sorted.put(property.getKey(), property.getValue()));
            String separator = "{";
            for (Map.Entry<String, JsonNode> property : sorted.entrySet()) {
                text.append(separator)
                        .append(JSON.getNodeFactory().textNode(property.getKey()))
                        .append(':');
                append(property.getValue(), text);
                separator = ",";
            }
            text.append(sorted.isEmpty() ? "{}" : "}");
        } else if (node.isArray()) {
            text.append('[');
            for (int i = 0; i < node.size(); i++) {
                text.append(i == 0 ? "" : ",");
                append(node.get(i), text);
            }
            text.append(']');
        } else if (node.isNumber()) {
            text.append(node.decimalValue().stripTrailingZeros());
        } else {
            text.append(node);
        }
    }

    /** The call in one short line. */
    @Override
    public String toString() {
        return line(tool + ' ' + arguments, SHOWN_CHARACTERS);
    }

    /** A text as one line of so many characters at most. */
    static String line(String text, int most) {
        // Cut first: a text may be very long, and little of it is shown.
        String begin = text.length() <= 4 * most ? text : text.substring(0, 4 * most);
        String flat = begin.replaceAll("\\s+", " ").strip();
        if (flat.length() <= most && begin.length() == text.length()) {
            return flat;
        }
        int end = Math.min(most - 1, flat.length());
        return flat.substring(0, end > 0 && Character.isHighSurrogate(flat.charAt(end - 1)) ? end - 1 : end) + '…';
    }
}
