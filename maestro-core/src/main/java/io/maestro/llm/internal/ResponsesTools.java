package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.tools.ToolDefinition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The tools of one request to the Responses API. Those whose schema can be made strict are strict. */
public final class ResponsesTools {
    /** Keywords whose value is no schema, whatever it looks like. */
    private static final Set<String> VALUES = Set.of("const", "enum", "default", "examples", "example");

    /** Keywords whose value has schemas by names that may be any. */
    private static final Set<String> NAMED =
            Set.of("properties", "patternProperties", "dependentSchemas", "$defs", "definitions");

    private final ArrayNode written = VendorJson.array();
    private final Map<String, JsonNode> strict = new HashMap<>();

    /**
     * Converts the tools.
     *
     * @param tools all of the request
     * @param makeStrict whether those that can be are made strict
     */
    public ResponsesTools(List<ToolDefinition> tools, boolean makeStrict) {
        for (ToolDefinition tool : tools) {
            JsonNode schema = VendorJson.tree(PlainSchema.of(tool.input()));
            Optional<ObjectNode> strictSchema = makeStrict ? StrictSchema.of(schema) : Optional.empty();
            ObjectNode function = written.addObject()
                    .put("type", "function")
                    .put("name", tool.name())
                    .put("description", tool.description())
                    .put("strict", strictSchema.isPresent());
            function.set("parameters", strictSchema.orElseGet(() -> complete(schema)));
            if (strictSchema.isPresent()) {
                strict.put(tool.name(), schema);
            }
        }
    }

    /** As the request has them. */
    public ArrayNode written() {
        return written;
    }

    /** The arguments as the tool's own schema wants them. */
    public String arguments(String tool, String written) {
        JsonNode schema = strict.get(tool);
        return schema == null ? written : OptionalNulls.removedFrom(written, schema);
    }

    /** Strict or not, an array without {@code items} and a root without {@code properties} are refused. */
    private static ObjectNode complete(JsonNode schema) {
        ObjectNode whole = schema.deepCopy();
        if (!whole.has("properties")) {
            whole.putObject("properties");
        }
        addItems(whole);
        return whole;
    }

    private static void addItems(JsonNode schema) {
        if (schema instanceof ObjectNode object && isArray(object.path("type")) && !object.has("items")) {
            object.putObject("items");
        }
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            if (NAMED.contains(keyword.getKey())) {
                keyword.getValue().forEach(ResponsesTools::addItems);
            } else if (!VALUES.contains(keyword.getKey())) {
                addItems(keyword.getValue());
            }
        }
        if (schema.isArray()) {
            schema.forEach(ResponsesTools::addItems);
        }
    }

    private static boolean isArray(JsonNode type) {
        boolean array = type.asText().equals("array");
        for (JsonNode one : type) {
            array |= one.asText().equals("array");
        }
        return array;
    }
}
