package io.maestro.testkit.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.internal.ResponsesTools;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What those who carry a tool to a model want of its name and schema: the Anthropic Messages API, the OpenAI Responses API and MCP.
 * The rules are written down here once more, from the vendors' documents, so that the conversion is tested as well.
 */
final class WireFormats {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern PROPERTY = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");
    private static final Set<String> ALTERNATIVES = Set.of("oneOf", "anyOf", "allOf");
    private static final int MOST_DESCRIPTION = 10_000;

    /** "Supported schemas" of OpenAI's guide to structured outputs. */
    private static final Set<String> STRICT = Set.of(
            "type",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "const",
            "anyOf",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
            "$ref",
            "$defs",
            "definitions");

    private final ToolDefinition tool;
    private final JsonNode schema;
    private final List<String> faults = new ArrayList<>();

    private WireFormats(ToolDefinition tool) {
        this.tool = tool;
        this.schema = JSON.valueToTree(tool.input().asMap());
    }

    /**
     * What is wrong with a tool.
     *
     * @param strict whether OpenAI's strict form must be possible
     * @param arguments valid ones, as JSON
     */
    static List<String> faults(ToolDefinition tool, boolean strict, String arguments) {
        WireFormats formats = new WireFormats(tool);
        formats.everywhere();
        formats.openAi(strict, arguments);
        return formats.faults;
    }

    /** Anthropic and MCP take the schema as it is. */
    private void everywhere() {
        if (!schema.path("type").asText().equals("object")) {
            faults.add("the schema's type is not object");
        }
        if (!tool.name().matches("[a-zA-Z0-9_-]{1,64}")) {
            faults.add("the name is not of 1 to 64 letters, digits, _ and -");
        }
        if (tool.description().length() > MOST_DESCRIPTION) {
            faults.add("the description has more than " + MOST_DESCRIPTION + " characters");
        }
        ALTERNATIVES.stream().filter(schema::has).forEach(name -> faults.add(name + " at the top of the schema"));
        schema.path("properties").fieldNames().forEachRemaining(name -> {
            if (!PROPERTY.matcher(name).matches()) {
                faults.add("the property '" + name + "' is not of 1 to 64 letters, digits, _, . and -");
            }
        });
    }

    private void openAi(boolean strict, String arguments) {
        ResponsesTools tools = new ResponsesTools(List.of(tool), true);
        JsonNode function = tools.written().path(0);
        boolean isStrict = function.path("strict").asBoolean();
        if (!isStrict && strict) {
            faults.add(
                    "the schema has no strict form; see OpenAI's guide to structured outputs, or say that it needs none");
        }
        JsonNode parameters = function.path("parameters");
        if (isStrict) {
            strict(parameters, "$");
            back(tools, parameters, arguments);
        } else if (!parameters.path("properties").isObject()) {
            faults.add("the root has no properties");
        }
    }

    private void strict(JsonNode part, String path) {
        part.fieldNames().forEachRemaining(name -> {
            if (!STRICT.contains(name)) {
                faults.add(path + " has the keyword " + name + " in its strict form");
            }
        });
        if (part.has("properties")) {
            Set<String> names = new TreeSet<>();
            part.path("properties").fieldNames().forEachRemaining(names::add);
            Set<String> required = new TreeSet<>();
            part.path("required").forEach(name -> required.add(name.asText()));
            if (!names.equals(required) || part.path("additionalProperties").asBoolean(true)) {
                faults.add(path + " is not closed in its strict form");
            }
        }
        for (Map.Entry<String, JsonNode> property : part.path("properties").properties()) {
            strict(property.getValue(), path + "." + property.getKey());
        }
        for (String definitions : List.of("$defs", "definitions")) {
            part.path(definitions).forEach(definition -> strict(definition, path + "." + definitions));
        }
        if (part.has("items")) {
            strict(part.path("items"), path + "[]");
        }
        part.path("anyOf").forEach(alternative -> strict(alternative, path));
    }

    /** A model in strict mode gives null for what it leaves out; the tool gets what another model would have given. */
    private void back(ResponsesTools tools, JsonNode parameters, String arguments) {
        try {
            JsonNode given = JSON.readTree(arguments);
            ObjectNode filled = given.deepCopy();
            parameters.path("properties").fieldNames().forEachRemaining(name -> {
                if (!filled.has(name)) {
                    filled.putNull(name);
                }
            });
            JsonNode got = JSON.readTree(tools.arguments(tool.name(), filled.toString()));
            if (!got.equals(given)) {
                faults.add("of " + filled + " in strict form the tool gets " + got);
            }
        } catch (JsonProcessingException | ClassCastException e) {
            faults.add("the valid arguments are no JSON object: " + e.getMessage());
        }
    }
}
