package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes of a JSON Schema what OpenAI takes with {@code "strict": true}: see developers.openai.com, "Structured outputs",
 * "Supported schemas". Every object is closed and every property required; one that may be left out takes null instead, which
 * {@link OptionalNulls} removes from the answer. A keyword that is only a hint or that our own validation checks later goes
 * into the description. A schema with anything else cannot be made strict. One converter for each schema.
 */
final class StrictSchema {
    private static final Set<String> KEPT = Set.of(
            "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems");
    private static final Set<String> DROPPED =
            Set.of("$schema", "$id", "$comment", "$anchor", "title", "deprecated", "readOnly", "writeOnly");
    private static final Set<String> TOLD = Set.of(
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "uniqueItems",
            "minProperties",
            "maxProperties",
            "default",
            "examples",
            "example",
            "contentEncoding",
            "contentMediaType");
    private static final List<String> OF_OBJECTS = List.of("properties", "required", "additionalProperties");

    /** What says nothing about which values fit. */
    private static final List<String> ANNOTATIONS = List.of("description", "default", "examples");

    private static final Set<String> FORMATS =
            Set.of("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid");

    /** Look-around, references back and the like are refused; these are what a plain expression is made of. */
    private static final Pattern PLAIN_EXPRESSION = Pattern.compile("(?:[^\\\\(]|\\\\[^0-9bBkpP]|\\((?!\\?))*+");

    /** Others may lead into what the strict form has in another place, or not at all. */
    private static final Pattern REFERENCE = Pattern.compile("#(?:/(?:\\$defs|definitions)/[^/]+)?");

    private static final int MAX_PROPERTIES = 5_000;
    private static final int MAX_LEVELS = 10;
    private static final int MAX_ENUM_VALUES = 1_000;
    private static final int LONG_ENUM_VALUES = 250;
    private static final int MAX_LONG_ENUM_CHARACTERS = 15_000;
    private static final int MAX_CHARACTERS = 120_000;

    private final JsonNode root;
    private final Set<String> expanding = new HashSet<>();
    private int properties;
    private int enumValues;
    private int characters;

    private StrictSchema(JsonNode root) {
        this.root = root;
    }

    /** Part of a schema cannot be said in strict mode. */
    private static final class NotStrictException extends Exception {
        private static final long serialVersionUID = 1L;

        NotStrictException(String why) {
            super(why, null, false, false);
        }
    }

    /** The strict form; empty when there is none. */
    static Optional<ObjectNode> of(JsonNode schema) {
        StrictSchema converter = new StrictSchema(schema);
        try {
            return Optional.of(converter.root());
        } catch (NotStrictException e) {
            return Optional.empty();
        }
    }

    private ObjectNode root() throws NotStrictException {
        if (!root.path("type").asText().equals("object")
                || !root.path("properties").isObject()) {
            throw new NotStrictException("the root is no object with properties");
        }
        ObjectNode strict = convert(root, 1, true);
        for (String container : List.of("$defs", "definitions")) {
            if (root.has(container)) {
                ObjectNode definitions = strict.putObject(container);
                for (Map.Entry<String, JsonNode> definition :
                        root.path(container).properties()) {
                    count(definition.getKey());
                    definitions.set(definition.getKey(), convert(definition.getValue(), 2, false));
                }
            }
        }
        return strict;
    }

    private ObjectNode convert(JsonNode schema, int level, boolean isRoot) throws NotStrictException {
        if (!schema.isObject() || level > MAX_LEVELS) {
            throw new NotStrictException("anything goes, or more than " + MAX_LEVELS + " levels");
        }
        if (schema.has("$ref") || schema.path("allOf").size() == 1) {
            return referred(schema, level);
        }
        ObjectNode strict = VendorJson.object();
        List<String> told = new ArrayList<>();
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            convert(keyword.getKey(), keyword.getValue(), schema, level, isRoot, strict, told);
        }
        if (!strict.has("type") && !strict.has("anyOf")) {
            strict.put("type", guessedType(schema));
        }
        if (types(strict).contains("object")) {
            closeObject(schema, strict, level);
        }
        if (types(strict).contains("array") && !strict.has("items")) {
            throw new NotStrictException("an array of anything");
        }
        if (strict.has("anyOf") && (strict.size() > 1 || OF_OBJECTS.stream().anyMatch(schema::has))) {
            throw new NotStrictException("alternatives beside other keywords");
        }
        describe(strict, schema.path("description").asText(), told);
        return strict;
    }

    private void convert(
            String name,
            JsonNode value,
            JsonNode schema,
            int level,
            boolean isRoot,
            ObjectNode strict,
            List<String> told)
            throws NotStrictException {
        switch (name) {
            case "description", "properties", "required", "additionalProperties" -> {}
            case "type" -> strict.set("type", value.deepCopy());
            case "items" -> strict.set("items", convert(value, level, false));
            case "const" -> strict.set("enum", counted(VendorJson.array().add(value)));
            case "enum" -> strict.set("enum", counted(value));
            case "anyOf", "oneOf" -> {
                if (strict.has("anyOf") || !value.isArray() || value.isEmpty()) {
                    throw new NotStrictException("two kinds of alternatives");
                }
                ArrayNode alternatives = strict.putArray("anyOf");
                for (JsonNode alternative : value) {
                    alternatives.add(convert(alternative, level, false));
                }
            }
            case "$defs", "definitions" -> {
                if (!isRoot) {
                    throw new NotStrictException("definitions inside");
                }
            }
            default -> {
                if (KEPT.contains(name) && value.isNumber() || isTaken(name, value)) {
                    strict.set(name, value);
                } else if (TOLD.contains(name) || KEPT.contains(name)) {
                    told.add(name + ": " + (value.isTextual() ? value.asText() : value.toString()));
                } else if (!DROPPED.contains(name) && !name.startsWith("x-")) {
                    throw new NotStrictException("keyword " + name + " of " + schema.path("type"));
                }
            }
        }
    }

    private static boolean isTaken(String name, JsonNode value) {
        return switch (name) {
            case "format" -> FORMATS.contains(value.asText());
            case "pattern" -> PLAIN_EXPRESSION.matcher(value.asText()).matches();
            default -> false;
        };
    }

    /** An object that neither declares properties nor is closed takes anything, and nothing would be left of it. */
    private void closeObject(JsonNode schema, ObjectNode strict, int level) throws NotStrictException {
        JsonNode additional = schema.path("additionalProperties");
        boolean closed = additional.isBoolean() && !additional.asBoolean();
        boolean open = !closed && !additional.isMissingNode();
        JsonNode declared = schema.path("properties");
        if (open || (declared.isEmpty() && !closed)) {
            throw new NotStrictException("an object that takes any property");
        }
        Set<String> required = texts(schema.path("required"));
        ObjectNode converted = strict.putObject("properties");
        ArrayNode all = strict.putArray("required");
        for (Map.Entry<String, JsonNode> property : declared.properties()) {
            count(property.getKey());
            properties++;
            ObjectNode child = convert(property.getValue(), level + 1, false);
            converted.set(property.getKey(), required.remove(property.getKey()) ? child : nullable(child));
            all.add(property.getKey());
        }
        if (!required.isEmpty() || properties > MAX_PROPERTIES) {
            throw new NotStrictException("more than " + MAX_PROPERTIES + " properties, or required ones undeclared");
        }
        strict.put("additionalProperties", false);
    }

    private static ObjectNode nullable(ObjectNode schema) {
        if (SchemaTypes.acceptsNull(schema, schema)) {
            return schema;
        }
        ObjectNode noType = VendorJson.object().put("type", "null");
        if (schema.has("anyOf")) {
            ((ArrayNode) schema.path("anyOf")).add(noType);
            return schema;
        }
        if (schema.has("$ref") || schema.has("enum") || schema.has("properties") || schema.has("items")) {
            ObjectNode either = VendorJson.object();
            JsonNode description = schema.remove("description");
            if (description != null) {
                either.set("description", description);
            }
            either.putArray("anyOf").add(schema).add(noType);
            return either;
        }
        Set<String> types = types(schema);
        types.add("null");
        ArrayNode both = schema.putArray("type");
        types.forEach(both::add);
        return schema;
    }

    /** A reference stands alone; what describes it beside it is kept by writing out what it refers to. */
    private ObjectNode referred(JsonNode schema, int level) throws NotStrictException {
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            String name = keyword.getKey();
            boolean known = ANNOTATIONS.contains(name) || DROPPED.contains(name) || name.equals("$ref");
            if (!known && (!name.equals("allOf") || schema.has("$ref"))) {
                throw new NotStrictException("a reference beside " + name);
            }
        }
        boolean described = ANNOTATIONS.stream().anyMatch(schema::has);
        if (!schema.has("$ref")) {
            return convert(annotated(schema.path("allOf").path(0), schema), level, false);
        }
        String reference = schema.path("$ref").asText();
        JsonNode resolved = SchemaTypes.resolve(schema, root);
        if (resolved.isMissingNode() || !REFERENCE.matcher(reference).matches()) {
            throw new NotStrictException("a reference that cannot be followed");
        }
        if (!described || !expanding.add(reference)) {
            return VendorJson.object().put("$ref", reference);
        }
        try {
            return convert(annotated(resolved, schema), level, false);
        } finally {
            expanding.remove(reference);
        }
    }

    private static JsonNode annotated(JsonNode schema, JsonNode by) {
        if (!(schema.deepCopy() instanceof ObjectNode annotated)) {
            return schema;
        }
        for (String name : ANNOTATIONS) {
            if (by.has(name)) {
                annotated.set(name, by.path(name));
            }
        }
        return annotated;
    }

    private static void describe(ObjectNode strict, String description, List<String> told) {
        String all = told.isEmpty() ? description : (description + " (" + String.join(", ", told) + ")").strip();
        if (!all.isEmpty()) {
            strict.put("description", all);
        }
    }

    private String guessedType(JsonNode schema) throws NotStrictException {
        if (schema.has("properties")) {
            return "object";
        }
        if (schema.has("items")) {
            return "array";
        }
        JsonNode values = schema.has("const") ? VendorJson.array().add(schema.path("const")) : schema.path("enum");
        Set<String> types = new HashSet<>();
        values.forEach(value -> types.add(SchemaTypes.of(value)));
        if (types.size() != 1) {
            throw new NotStrictException("no type");
        }
        return types.iterator().next();
    }

    private JsonNode counted(JsonNode values) throws NotStrictException {
        enumValues += values.size();
        if (enumValues > MAX_ENUM_VALUES) {
            throw new NotStrictException("more than " + MAX_ENUM_VALUES + " values to choose from");
        }
        int before = characters;
        for (JsonNode value : values) {
            count(value.asText());
        }
        if (values.size() > LONG_ENUM_VALUES && characters - before > MAX_LONG_ENUM_CHARACTERS) {
            throw new NotStrictException(
                    "more than " + MAX_LONG_ENUM_CHARACTERS + " characters of values to choose from");
        }
        return values;
    }

    private void count(String name) throws NotStrictException {
        characters += name.length();
        if (characters > MAX_CHARACTERS) {
            throw new NotStrictException("more than " + MAX_CHARACTERS + " characters of names and values");
        }
    }

    private static Set<String> types(JsonNode schema) {
        return texts(schema.path("type"));
    }

    private static Set<String> texts(JsonNode textOrTexts) {
        Set<String> texts = new LinkedHashSet<>();
        if (textOrTexts.isTextual()) {
            texts.add(textOrTexts.asText());
        }
        if (textOrTexts.isArray()) {
            textOrTexts.forEach(text -> texts.add(text.asText()));
        }
        return texts;
    }
}
