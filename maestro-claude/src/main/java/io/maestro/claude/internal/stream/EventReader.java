package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.claude.ClaudeEvent;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes events out of a line. The type is looked at first: most lines need no parser, and those with long texts no tree. Not safe
 * for use by several threads.
 */
public final class EventReader {
    /** What a line is that is no JSON object, or is cut off. */
    public static final ClaudeEvent UNREADABLE = new ClaudeEvent.Other("unreadable line");

    private static final int LONGEST_NAME = 100;

    private static final List<ClaudeEvent> STREAM_EVENT = List.of(new ClaudeEvent.Other("stream_event"));

    private final JsonFactory factory;
    private final ObjectMapper mapper;

    /**
     * @param longestLine in bytes; no string can be longer
     */
    public EventReader(int longestLine) {
        factory = JsonFactory.builder()
                // Names come from the model, too: not for ever into the memory of the JVM.
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(JsonFactory.Feature.CHARSET_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(longestLine)
                        .build())
                .build();
        mapper = JsonMapper.builder(factory)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /** The events of a line; none for a blank one. Never fails. */
    public List<ClaudeEvent> read(byte[] buffer, int from, int to) {
        int end = to;
        while (end > from && buffer[end - 1] <= ' ' && buffer[end - 1] >= 0) {
            end--;
        }
        if (end == from) {
            return List.of();
        }
        if (buffer[end - 1] != '}') {
            return List.of(UNREADABLE);
        }
        try {
            LineType.Head head = LineType.read(buffer, from, end);
            if (head == null) {
                head = parsedHead(buffer, from, end);
            }
            return events(head, buffer, from, end);
        } catch (IOException | RuntimeException e) {
            // The content is not logged: it may hold anything.
            return List.of(UNREADABLE);
        }
    }

    private List<ClaudeEvent> events(LineType.Head head, byte[] buffer, int from, int end) throws IOException {
        switch (head.type()) {
            case "stream_event":
                return STREAM_EVENT;
            case "assistant", "user":
                try (JsonParser parser = factory.createParser(buffer, from, end - from)) {
                    return new MessageReader(parser, buffer, from, head.type()).read();
                }
            case "control_request", "control_response":
                try (JsonParser parser = factory.createParser(buffer, from, end - from)) {
                    return ControlReader.read(parser, buffer, from, head.type());
                }
            case "result":
                return List.of(Trees.result(tree(buffer, from, end)));
            case "system":
                return List.of(system(head.subtype(), buffer, from, end));
            default:
                return List.of(other(head.type(), head.subtype()));
        }
    }

    private ClaudeEvent system(@Nullable String subtype, byte[] buffer, int from, int end) throws IOException {
        if (subtype == null) {
            String later = tree(buffer, from, end).path("subtype").asText();
            return later.isEmpty() ? other("system", null) : system(later, buffer, from, end);
        }
        return switch (subtype) {
            case "init" -> Trees.init(tree(buffer, from, end));
            case "api_retry" -> Trees.retry(tree(buffer, from, end));
            case "status" ->
                // While it shortens the conversation nothing more is said; whoever watches for silence must know.
                tree(buffer, from, end).path("status").asText().equals("compacting")
                        ? other("system", "status/compacting")
                        : other("system", subtype);
            default -> other("system", subtype);
        };
    }

    private JsonNode tree(byte[] buffer, int from, int end) throws IOException {
        return mapper.readTree(buffer, from, end - from);
    }

    /** For an object whose first key is another one. */
    private LineType.Head parsedHead(byte[] buffer, int from, int end) throws IOException {
        String type = null;
        String subtype = null;
        try (JsonParser parser = factory.createParser(buffer, from, end - from)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("no object");
            }
            for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_STRING && name.equals("type")) {
                    type = parser.getText();
                } else if (value == JsonToken.VALUE_STRING && name.equals("subtype")) {
                    subtype = parser.getText();
                } else {
                    parser.skipChildren();
                }
            }
        }
        return new LineType.Head(type == null ? "object without a type" : type, subtype);
    }

    private static ClaudeEvent other(String type, @Nullable String subtype) {
        String name = subtype == null ? type : type + "/" + subtype;
        return new ClaudeEvent.Other(name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "…");
    }
}
