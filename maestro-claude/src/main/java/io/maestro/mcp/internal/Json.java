package io.maestro.mcp.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.wire.internal.JsonLimits;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** JSON in and out; always UTF-8, whatever the platform's charset. */
final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonLimits.factory())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private Json() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Any tree of maps, lists and values. */
    static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    static JsonNode read(String text) throws BadMessage {
        JsonNode node;
        try {
            node = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new BadMessage("not JSON: " + e.getOriginalMessage());
        }
        if (node == null || node.isMissingNode()) {
            throw new BadMessage("not JSON: it is empty");
        }
        return node;
    }

    /** The text of a message, without the mark of its byte order; malformed UTF-8 is an error, and never replaced. */
    static String text(byte[] bytes, int length) throws BadMessage {
        int from = length >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF ? 3 : 0;
        String text = new String(bytes, from, length - from, StandardCharsets.UTF_8);
        // The sign that stands for malformed input may also have been sent; then it takes the slow way.
        if (text.indexOf('\uFFFD') >= 0) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, from, length - from))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new BadMessage("not UTF-8");
            }
        }
        return text;
    }

    /** One line; a lone surrogate, which UTF-8 cannot carry, becomes a question mark. */
    static byte[] bytes(JsonNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Says why a message could not be read, without its content. */
    static final class BadMessage extends Exception {
        private static final long serialVersionUID = 1L;

        BadMessage(String message) {
            super(message);
        }
    }
}
