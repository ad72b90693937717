package io.maestro.testkit.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.tools.InputSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Arguments that a schema refuses, each made of valid ones by one change. */
final class WrongArguments {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> OF_TYPE = Map.of(
            "string", "\"x\"", "integer", "7", "number", "7.5", "boolean", "true", "array", "[]", "object", "{}");

    private WrongArguments() {}

    /** Each by the name of what is wrong. */
    static Map<String, String> of(InputSchema input, String valid) {
        JsonNode schema = JSON.valueToTree(input.asMap());
        Map<String, String> wrong = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            String value = wrongValue(property.getValue());
            if (value != null) {
                wrong.put(
                        property.getKey(),
                        read(valid)
                                .set(property.getKey(), read(value, JsonNode.class))
                                .toString());
            }
        }
        if (!schema.path("additionalProperties").asBoolean(true)) {
            wrong.put("no_such_property", read(valid).put("no_such_property", 1).toString());
        }
        return wrong;
    }

    /** A text in the place of each string, and in places where no text may be. */
    static List<String> with(InputSchema input, String valid, String text) {
        List<String> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> property :
                JSON.<JsonNode>valueToTree(input.asMap()).path("properties").properties()) {
            all.add(read(valid).put(property.getKey(), text).toString());
            all.add(read(valid)
                    .set(property.getKey(), JSON.createArrayNode().add(text))
                    .toString());
        }
        all.add(read(valid).put(text, 1).toString());
        all.add("{\"" + text);
        return all;
    }

    private static @Nullable String wrongValue(JsonNode property) {
        Set<String> allowed = new HashSet<>();
        JsonNode type = property.path("type");
        if (type.getNodeType() == JsonNodeType.ARRAY) {
            type.forEach(one -> allowed.add(one.asText()));
        } else if (type.isTextual()) {
            allowed.add(type.asText());
        } else {
            return null; // alternatives and references: whatever fits them
        }
        if (allowed.contains("number")) {
            allowed.add("integer");
        }
        return OF_TYPE.entrySet().stream()
                .filter(kind -> !allowed.contains(kind.getKey()))
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    private static ObjectNode read(String json) {
        return read(json, ObjectNode.class);
    }

    private static <T extends JsonNode> T read(String json, Class<T> type) {
        try {
            return type.cast(JSON.readTree(json));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the valid arguments are no JSON: " + json, e);
        }
    }
}
