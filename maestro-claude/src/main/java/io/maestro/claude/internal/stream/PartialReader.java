package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.util.Optional;

/** Reads a line of type {@code stream_event}: an event of the Messages API's stream, while the model writes an answer. */
final class PartialReader {
    /** What is not text, for example the arguments of a call. */
    static final ClaudeEvent OTHER = new ClaudeEvent.Other("stream_event");

    private final JsonParser parser;
    private String type = "";
    private String messageId = "";
    private String model = "";
    private Usage usage = Usage.NONE;
    private String delta = "";
    private String text = "";

    PartialReader(JsonParser parser) {
        this.parser = parser;
    }

    ClaudeEvent read() throws IOException {
        Optional<String> parent = Optional.empty();
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("event") && value == JsonToken.START_OBJECT) {
                event();
            } else if (name.equals("parent_tool_use_id")) {
                parent = Optional.of(Raw.word(parser)).filter(id -> !id.isEmpty());
            } else {
                parser.skipChildren();
            }
        }
        return switch (type) {
            case "message_start" -> new ClaudeEvent.MessageStart(messageId, model, usage, parent);
            case "message_stop" -> new ClaudeEvent.MessageStop(parent);
            case "content_block_delta" ->
                delta.equals("text_delta") && !text.isEmpty() ? new ClaudeEvent.TextDelta(text, parent) : OTHER;
            default -> OTHER;
        };
    }

    private void event() throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("type")) {
                type = Raw.word(parser);
            } else if (name.equals("message") && value == JsonToken.START_OBJECT) {
                message();
            } else if (name.equals("delta") && value == JsonToken.START_OBJECT) {
                delta();
            } else {
                parser.skipChildren();
            }
        }
    }

    private void message() throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            switch (name) {
                case "id" -> messageId = Raw.word(parser);
                case "model" -> model = Raw.word(parser);
                case "usage" -> usage = read(ResultReader.usage(parser, value));
                default -> parser.skipChildren();
            }
        }
    }

    /** What will be written is only guessed at the beginning. */
    private static Usage read(Usage counts) {
        return new Usage(
                counts.inputTokens(),
                0,
                counts.cacheReadTokens(),
                counts.cacheWriteTokens(),
                counts.cacheWriteHourTokens());
    }

    private void delta() throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            switch (name) {
                case "type" -> delta = Raw.word(parser);
                case "text" -> text = Raw.text(parser);
                default -> parser.skipChildren();
            }
        }
    }
}
