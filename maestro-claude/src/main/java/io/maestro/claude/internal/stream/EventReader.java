package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import io.maestro.wire.internal.JsonLimits;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes events out of a line. The type is looked at first: many lines need no parser, and none needs a tree. Not safe
 * for use by several threads.
 */
public final class EventReader {
    /** What a line is that is no JSON object, or is cut off. */
    public static final ClaudeEvent UNREADABLE = new ClaudeEvent.Other("unreadable line");

    /** How the type of a line begins that was skipped. */
    public static final String OVERLONG = "overlong line";

    private static final int LONGEST_NAME = 100;

    private final JsonFactory factory;

    /**
     * @param longestLine in bytes; no string can be longer
     */
    public EventReader(int longestLine) {
        factory = JsonLimits.factory(JsonLimits.MOST_TOKENS, longestLine);
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
        String subtype = head.subtype();
        switch (head.type()) {
            case "stream_event":
                try (JsonParser parser = parser(buffer, from, end)) {
                    return List.of(new PartialReader(parser).read());
                }
            case "assistant", "user":
                try (JsonParser parser = parser(buffer, from, end)) {
                    return new MessageReader(parser, buffer, from, head.type()).read();
                }
            case "control_request", "control_response":
                try (JsonParser parser = parser(buffer, from, end)) {
                    return ControlReader.read(parser, buffer, from, head.type());
                }
            case "result":
                try (JsonParser parser = parser(buffer, from, end)) {
                    return List.of(ResultReader.read(parser));
                }
            case "system":
                if (subtype == null) {
                    try (JsonParser parser = parser(buffer, from, end)) {
                        subtype = SystemReader.subtype(parser);
                    }
                }
                return List.of(system(subtype, buffer, from, end));
            default:
                return List.of(other(head.type(), subtype));
        }
    }

    private ClaudeEvent system(String subtype, byte[] buffer, int from, int end) throws IOException {
        switch (subtype) {
            case "init":
                try (JsonParser parser = parser(buffer, from, end)) {
                    return SystemReader.init(parser);
                }
            case "api_retry":
                try (JsonParser parser = parser(buffer, from, end)) {
                    return SystemReader.retry(parser);
                }
            case "status":
                try (JsonParser parser = parser(buffer, from, end)) {
                    // While it shortens the conversation nothing more is said; whoever watches for silence must know.
                    return other("system", SystemReader.isCompacting(parser) ? "status/compacting" : subtype);
                }
            default:
                return other("system", subtype.isEmpty() ? null : subtype);
        }
    }

    private JsonParser parser(byte[] buffer, int from, int end) throws IOException {
        return factory.createParser(buffer, from, end - from);
    }

    /** For an object whose first key is another one. */
    private LineType.Head parsedHead(byte[] buffer, int from, int end) throws IOException {
        String type = null;
        String subtype = null;
        try (JsonParser parser = parser(buffer, from, end)) {
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
