package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes the nulls that stand for properties left out: in strict mode a model has to write each property. A null that the
 * tool's own schema takes stays.
 */
final class OptionalNulls {
    private final JsonNode root;
    private boolean changed;

    private OptionalNulls(JsonNode root) {
        this.root = root;
    }

    /**
     * The arguments without them.
     *
     * @param arguments as the model wrote them; what is no JSON object, and what has no such null, is returned as it is
     * @param schema the tool's schema, before it was made strict
     */
    static String removedFrom(String arguments, JsonNode schema) {
        Optional<ObjectNode> object = VendorJson.parseObject(arguments);
        if (object.isEmpty()) {
            return arguments;
        }
        OptionalNulls nulls = new OptionalNulls(schema);
        nulls.remove(object.get(), schema);
        return nulls.changed ? object.get().toString() : arguments;
    }

    private void remove(JsonNode value, JsonNode schema) {
        JsonNode resolved = alternative(value, SchemaTypes.resolve(schema, root));
        if (value.isArray()) {
            value.forEach(item -> remove(item, resolved.path("items")));
        }
        if (value instanceof ObjectNode object) {
            List<String> nulls = new ArrayList<>();
            for (Map.Entry<String, JsonNode> property : object.properties()) {
                JsonNode declared = resolved.path("properties").path(property.getKey());
                if (property.getValue().isNull()
                        && declared.isObject()
                        && !isRequired(resolved, property.getKey())
                        && !SchemaTypes.acceptsNull(declared, root)) {
                    nulls.add(property.getKey());
                } else {
                    remove(property.getValue(), declared);
                }
            }
            object.remove(nulls);
            changed |= !nulls.isEmpty();
        }
    }

    private static boolean isRequired(JsonNode schema, String property) {
        for (JsonNode name : schema.path("required")) {
            if (name.asText().equals(property)) {
                return true;
            }
        }
        return false;
    }

    /** Of several schemas the one that the value was written for: in strict mode it has exactly its properties. */
    private JsonNode alternative(JsonNode value, JsonNode schema) {
        Set<JsonNode> seen = Collections.newSetFromMap(new IdentityHashMap<>()); // they may refer to themselves
        JsonNode chosen = schema;
        for (JsonNode next = schema; next != null && seen.add(next); next = fitting(value, next)) {
            chosen = next;
        }
        return chosen;
    }

    private @Nullable JsonNode fitting(JsonNode value, JsonNode schema) {
        for (String name : List.of("anyOf", "oneOf")) {
            for (JsonNode alternative : schema.path(name)) {
                JsonNode resolved = SchemaTypes.resolve(alternative, root);
                if (fits(value, resolved)) {
                    return resolved;
                }
            }
        }
        return null;
    }

    private static boolean fits(JsonNode value, JsonNode schema) {
        if (!value.isObject()) {
            return value.isArray() && schema.has("items");
        }
        JsonNode properties = schema.path("properties");
        if (properties.size() != value.size()) {
            return false;
        }
        for (Map.Entry<String, JsonNode> property : value.properties()) {
            JsonNode declared = properties.path(property.getKey());
            boolean leftOut = property.getValue().isNull() && !isRequired(schema, property.getKey());
            boolean same = !declared.has("const") || declared.path("const").equals(property.getValue());
            if (!declared.isObject() || !leftOut && !(same && isChosen(property.getValue(), declared.path("enum")))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isChosen(JsonNode value, JsonNode values) {
        if (!values.isArray() || value.isNull()) {
            return true;
        }
        for (JsonNode one : values) {
            if (one.equals(value)) {
                return true;
            }
        }
        return false;
    }
}
