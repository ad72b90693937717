package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Questions to JSON Schemas. */
final class SchemaTypes {
    private static final int MAX_REFERENCES = 32;

    private SchemaTypes() {}

    /** The type of a value, as a schema calls it. */
    static String of(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> "string";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case BOOLEAN -> "boolean";
            case ARRAY -> "array";
            case OBJECT -> "object";
            default -> "null";
        };
    }

    /** What a schema refers to within the same document, or the schema itself; missing when that cannot be found. */
    static JsonNode resolve(JsonNode schema, JsonNode root) {
        JsonNode resolved = schema;
        for (int i = 0; i < MAX_REFERENCES; i++) {
            if (!resolved.has("$ref") && resolved.path("allOf").size() != 1) {
                return resolved;
            }
            resolved = resolved.has("$ref")
                    ? at(root, resolved.path("$ref").asText())
                    : resolved.path("allOf").path(0);
        }
        return MissingNode.getInstance();
    }

    private static JsonNode at(JsonNode root, String reference) {
        if (reference.equals("#")) {
            return root;
        }
        try {
            return reference.startsWith("#/")
                    ? root.at(URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8))
                    : MissingNode.getInstance();
        } catch (IllegalArgumentException e) {
            return MissingNode.getInstance();
        }
    }

    /** Whether null is a value of a schema. */
    static boolean acceptsNull(JsonNode schema, JsonNode root) {
        return acceptsNull(schema, root, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /** @param seen what has been looked at: alternatives may refer to themselves */
    private static boolean acceptsNull(JsonNode schema, JsonNode root, Set<JsonNode> seen) {
        JsonNode resolved = resolve(schema, root);
        if (!resolved.isObject() || !seen.add(resolved)) {
            return false;
        }
        for (String alternatives : new String[] {"anyOf", "oneOf"}) {
            for (JsonNode alternative : resolved.path(alternatives)) {
                if (acceptsNull(alternative, root, seen)) {
                    return true;
                }
            }
        }
        if (resolved.has("const")) {
            return resolved.path("const").isNull();
        }
        boolean chosen = !resolved.has("enum") || has(resolved.path("enum"), null);
        JsonNode type = resolved.path("type");
        boolean typed =
                type.isMissingNode() ? resolved.has("enum") : type.asText().equals("null") || has(type, "null");
        return chosen && typed;
    }

    private static boolean has(JsonNode list, @Nullable String text) {
        for (JsonNode value : list) {
            if (text == null ? value.isNull() : value.asText().equals(text)) {
                return true;
            }
        }
        return false;
    }
}
