package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import java.io.IOException;
import java.util.List;

/**
 * Reads {@code {"type":"control_request","request_id":"…","request":{"subtype":"…",…}}} and {@code
 * {"type":"control_response","response":{"subtype":"…","request_id":"…",…}}}. The inner objects stay as they are: they hold what
 * tools are called with.
 */
final class ControlReader {
    private ControlReader() {}

    static List<ClaudeEvent> read(JsonParser parser, byte[] buffer, int from, String type) throws IOException {
        String inner = type.equals("control_request") ? "request" : "response";
        String requestId = "";
        String subtype = "";
        String text = "{}";
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("request_id")) {
                requestId = Raw.word(parser);
            } else if (name.equals(inner) && value == JsonToken.START_OBJECT) {
                int start = Raw.start(parser, from);
                for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
                    boolean string = parser.nextToken() == JsonToken.VALUE_STRING;
                    if (string && key.equals("subtype")) {
                        subtype = Raw.word(parser);
                    } else if (string && key.equals("request_id")) {
                        requestId = Raw.word(parser);
                    } else {
                        parser.skipChildren();
                    }
                }
                text = Raw.slice(parser, buffer, from, start);
            } else {
                parser.skipChildren();
            }
        }
        return List.of(
                inner.equals("request")
                        ? new ClaudeEvent.ControlRequest(requestId, subtype, text)
                        : new ClaudeEvent.ControlResponse(requestId, subtype.equals("success"), text));
    }
}
