package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a line with a message of the model or of the user's side, and stops when it has what it needs: what follows the message is
 * the same once more in another form, and can be long.
 */
final class MessageReader {
    /** The model of what the CLI says in the place of an answer; why there is none stands behind it. */
    private static final String SYNTHETIC = "<synthetic>";

    private final JsonParser parser;
    private final byte[] buffer;
    private final int from;
    private final String type;
    private final List<Block> blocks = new ArrayList<>(2);
    private String messageId = "";
    private String model = "";
    private String error = "";
    private Optional<String> parent = Optional.empty();

    MessageReader(JsonParser parser, byte[] buffer, int from, String type) {
        this.parser = parser;
        this.buffer = buffer;
        this.from = from;
        this.type = type;
    }

    /** A block of a message; each field has the value that it has in blocks without it. */
    private static final class Block {
        private String type = "";
        private String id = "";
        private String name = "";
        private String input = "{}";
        private String toolUseId = "";
        private String text = "";
        private boolean isError;
        private String raw = "";
    }

    List<ClaudeEvent> read() throws IOException {
        boolean message = false;
        boolean parentSeen = false;
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("message") && value == JsonToken.START_OBJECT) {
                message();
                message = true;
            } else if (name.equals("parent_tool_use_id")) {
                parent = Optional.of(Raw.word(parser)).filter(id -> !id.isEmpty());
                parentSeen = true;
            } else if (name.equals("error")) {
                error = Raw.word(parser);
            } else {
                parser.skipChildren();
            }
            if (message && parentSeen && !model.equals(SYNTHETIC)) {
                break;
            }
        }
        return events();
    }

    private void message() throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("id")) {
                messageId = Raw.word(parser);
            } else if (name.equals("model")) {
                model = Raw.word(parser);
            } else if (name.equals("content") && value == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    block();
                }
            } else {
                parser.skipChildren();
            }
        }
    }

    private void block() throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            requireValue(parser.currentToken());
            parser.skipChildren();
            return;
        }
        Block block = new Block();
        int start = Raw.start(parser, from);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            switch (name) {
                case "type" -> block.type = Raw.word(parser);
                case "id" -> block.id = Raw.word(parser);
                case "name" -> block.name = Raw.word(parser);
                case "tool_use_id" -> block.toolUseId = Raw.word(parser);
                case "is_error" -> block.isError = value == JsonToken.VALUE_TRUE;
                case "input" -> {
                    if (value == JsonToken.START_OBJECT) {
                        int inputStart = Raw.start(parser, from);
                        parser.skipChildren();
                        block.input = Raw.slice(parser, buffer, from, inputStart);
                    } else {
                        parser.skipChildren();
                    }
                }
                case "content" -> block.text = content(value);
                default -> parser.skipChildren();
            }
        }
        if (type.equals("assistant")) {
            block.raw = Raw.slice(parser, buffer, from, start);
        }
        blocks.add(block);
    }

    /** The answer of a tool: a string, or texts and other things. */
    private String content(JsonToken value) throws IOException {
        if (value != JsonToken.START_ARRAY) {
            return Raw.text(parser);
        }
        List<String> texts = new ArrayList<>(1);
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            requireValue(token);
            if (token == JsonToken.START_OBJECT) {
                texts.add(part());
            } else {
                texts.add(Raw.text(parser));
            }
        }
        return String.join("\n", texts);
    }

    private String part() throws IOException {
        String kind = "";
        String text = null;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("type")) {
                kind = Raw.word(parser);
            } else if (name.equals("text") && value == JsonToken.VALUE_STRING) {
                text = parser.getText();
            } else {
                parser.skipChildren();
            }
        }
        return text == null ? "[" + kind + "]" : text;
    }

    /** The end of the input is a token of its own kind, which never becomes the end of an array. */
    private static void requireValue(@Nullable JsonToken token) throws IOException {
        if (token == null) {
            throw new IOException("cut off");
        }
    }

    private List<ClaudeEvent> events() {
        List<ClaudeEvent> events = new ArrayList<>(2);
        for (Block block : blocks) {
            if (type.equals("assistant")) {
                events.add(new ClaudeEvent.Said(messageId, model, block.raw, parent));
                if (block.type.equals("tool_use")) {
                    events.add(new ClaudeEvent.ToolUse(block.id, block.name, block.input, parent));
                }
            } else if (block.type.equals("tool_result")) {
                events.add(new ClaudeEvent.ToolResult(block.toolUseId, block.text, block.isError, parent));
            }
        }
        if (model.equals(SYNTHETIC) && !error.isEmpty()) {
            events.add(new ClaudeEvent.ApiError(error, parent));
        }
        return events.isEmpty() ? List.of(new ClaudeEvent.Other(type)) : events;
    }
}
