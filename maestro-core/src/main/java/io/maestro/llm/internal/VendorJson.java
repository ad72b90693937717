package io.maestro.llm.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** JSON as the service wants it. */
final class VendorJson {
    /** Exact: a number goes back as it came, and text behind the value is an error. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private VendorJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static JsonNode tree(Object mapsAndLists) {
        return MAPPER.valueToTree(mapsAndLists);
    }

    /** The value that a text is; empty when it is no JSON. */
    static Optional<JsonNode> parse(String text) {
        try {
            return Optional.of(MAPPER.readTree(text));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** The object that a text is; empty when it is something else. */
    static Optional<ObjectNode> parseObject(String text) {
        return parse(text).filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }

    /** The object that a body is; empty when it is something else. */
    static Optional<ObjectNode> parseObject(byte[] body) {
        try {
            return MAPPER.readTree(body) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** By way of a string, because Jackson's UTF-8 writer fails at half a surrogate pair, which cut tool output may have. */
    static byte[] bytes(ObjectNode object) {
        return object.toString().getBytes(StandardCharsets.UTF_8);
    }
}
