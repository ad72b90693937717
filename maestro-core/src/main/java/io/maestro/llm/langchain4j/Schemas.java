package io.maestro.llm.langchain4j;

import dev.langchain4j.model.chat.request.json.JsonAnyOfSchema;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonBooleanSchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonIntegerSchema;
import dev.langchain4j.model.chat.request.json.JsonNullSchema;
import dev.langchain4j.model.chat.request.json.JsonNumberSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonReferenceSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns the JSON Schema of a tool's input into LangChain4j's own. Constraints, which that does not have, go into the
 * description; a part that cannot be expressed otherwise stays JSON Schema.
 */
final class Schemas {
    /** Says nothing to a model. */
    private static final Set<String> IGNORED = Set.of("$schema", "$id", "$comment", "title");

    private static final Set<String> CONSTRAINTS = Set.of(
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minProperties",
            "maxProperties",
            "default",
            "examples");

    /** What a definition is referred to by, and LangChain4j by its name alone: it has them all in one place. */
    private static final String NEW = "#/$defs/";

    /** The same in older drafts. */
    private static final String OLD = "#/definitions/";

    private Schemas() {}

    /** The whole of it, which must be an object: what has no counterpart goes into the description, too. */
    static JsonObjectSchema parameters(Map<String, Object> input) {
        Map<String, Object> defined = map(input.get("$defs"));
        Map<String, Object> schema = map(moved(input, defined.keySet()));
        JsonObjectSchema.Builder builder = object(schema, descriptionOfAll(schema));
        Map<String, JsonSchemaElement> definitions = new LinkedHashMap<>();
        map(schema.get("$defs")).forEach((name, definition) -> definitions.put(name, element(definition)));
        map(schema.get("definitions"))
                .forEach((name, definition) -> definitions.put(free(name, defined.keySet()), element(definition)));
        if (!definitions.isEmpty()) {
            builder.definitions(definitions);
        }
        return builder.build();
    }

    /** With references to where a definition will be. */
    private static Object moved(Object part, Set<String> taken) {
        if (part instanceof List<?> list) {
            return list.stream().map(one -> moved(one, taken)).toList();
        }
        if (!(part instanceof Map)) {
            return part;
        }
        Map<String, Object> copy = map(part);
        copy.replaceAll((keyword, value) -> {
            if (!keyword.equals("$ref") || !(value instanceof String reference) || !reference.startsWith(OLD)) {
                return moved(value, taken);
            }
            String[] steps = reference.substring(OLD.length()).split("/", 2);
            return NEW + free(steps[0], taken) + (steps.length > 1 ? "/" + steps[1] : "");
        });
        return copy;
    }

    /** A definition of both kinds may have the same name. */
    private static String free(String name, Set<String> taken) {
        String free = name;
        while (taken.contains(free)) {
            free += "_";
        }
        return free;
    }

    private static JsonSchemaElement element(@Nullable Object part) {
        if (!(part instanceof Map)) {
            // True: anything.
            return raw(Map.of());
        }
        Map<String, Object> schema = map(part);
        String description = description(schema);
        if (schema.get("$ref") instanceof String reference && hasOnly(schema, "$ref")) {
            return reference(reference, schema);
        }
        if (schema.get("enum") instanceof List<?> values && hasOnly(schema, "type", "enum")) {
            return enumeration(values, description, schema);
        }
        if (schema.get("const") instanceof String value && hasOnly(schema, "type", "const")) {
            return enumeration(List.of(value), description, schema);
        }
        if (schema.get("anyOf") instanceof List<?> parts && hasOnly(schema, "anyOf")) {
            return anyOf(parts, description);
        }
        if (schema.get("oneOf") instanceof List<?> parts && hasOnly(schema, "oneOf")) {
            return anyOf(parts, description);
        }
        if (schema.get("type") instanceof List<?> types) {
            return anyOf(types.stream().map(type -> withType(schema, type)).toList(), description);
        }
        return typed(schema, description);
    }

    private static JsonSchemaElement typed(Map<String, Object> schema, @Nullable String description) {
        String type = schema.get("type") instanceof String name ? name : "";
        boolean scalar = hasOnly(schema, "type");
        if (type.equals("string") && scalar) {
            return JsonStringSchema.builder().description(description).build();
        }
        if (type.equals("integer") && scalar) {
            return JsonIntegerSchema.builder().description(description).build();
        }
        if (type.equals("number") && scalar) {
            return JsonNumberSchema.builder().description(description).build();
        }
        if (type.equals("boolean") && scalar) {
            return JsonBooleanSchema.builder().description(description).build();
        }
        if (type.equals("null") && scalar) {
            return new JsonNullSchema();
        }
        if (type.equals("array") && schema.get("items") instanceof Map && hasOnly(schema, "type", "items")) {
            return JsonArraySchema.builder()
                    .description(description)
                    .items(element(schema.get("items")))
                    .build();
        }
        boolean closed = schema.getOrDefault("additionalProperties", true) instanceof Boolean;
        if (type.equals("object")
                && closed
                && hasOnly(schema, "type", "properties", "required", "additionalProperties")) {
            return object(schema, description).build();
        }
        return raw(schema);
    }

    private static JsonObjectSchema.Builder object(Map<String, Object> schema, @Nullable String description) {
        JsonObjectSchema.Builder builder = JsonObjectSchema.builder().description(description);
        map(schema.get("properties")).forEach((name, property) -> builder.addProperty(name, element(property)));
        if (schema.get("required") instanceof List<?> required) {
            builder.required(required.stream().map(String::valueOf).toList());
        }
        if (schema.get("additionalProperties") instanceof Boolean additional && !hasPatterns(schema)) {
            builder.additionalProperties(additional);
        }
        return builder;
    }

    /** Closed, it would refuse what its patterns take, which LangChain4j does not have. */
    private static boolean hasPatterns(Map<String, Object> schema) {
        return schema.containsKey("patternProperties");
    }

    private static JsonSchemaElement enumeration(
            List<?> values, @Nullable String description, Map<String, Object> schema) {
        if (values.isEmpty() || !values.stream().allMatch(String.class::isInstance)) {
            return raw(schema);
        }
        return JsonEnumSchema.builder()
                .description(description)
                .enumValues(values.stream().map(String.class::cast).toList())
                .build();
    }

    private static JsonSchemaElement anyOf(List<?> parts, @Nullable String description) {
        List<JsonSchemaElement> elements = new ArrayList<>();
        parts.forEach(part -> elements.add(element(part)));
        return JsonAnyOfSchema.builder()
                .description(description)
                .anyOf(elements)
                .build();
    }

    private static JsonSchemaElement reference(String reference, Map<String, Object> schema) {
        return reference.startsWith(NEW) && reference.indexOf('/', NEW.length()) < 0
                ? JsonReferenceSchema.builder()
                        .reference(reference.substring(NEW.length()))
                        .build()
                : raw(schema);
    }

    private static JsonSchemaElement raw(Object schema) {
        return JsonRawSchema.from(ChatModelJson.text(schema));
    }

    /** The same for one of several types, without the description, which stands on the outside. */
    private static Map<String, Object> withType(Map<String, Object> schema, Object type) {
        Map<String, Object> copy = new LinkedHashMap<>(schema);
        copy.put("type", type);
        copy.remove("description");
        CONSTRAINTS.forEach(copy::remove);
        if (!type.equals("array")) {
            copy.remove("items");
        }
        if (!type.equals("object")) {
            List.of("properties", "required", "additionalProperties").forEach(copy::remove);
        }
        return copy;
    }

    private static boolean hasOnly(Map<String, Object> schema, String... keywords) {
        Set<String> allowed = Set.of(keywords);
        return schema.keySet().stream()
                .allMatch(key -> allowed.contains(key)
                        || key.equals("description")
                        || IGNORED.contains(key)
                        || CONSTRAINTS.contains(key));
    }

    private static @Nullable String description(Map<String, Object> schema) {
        return described(schema, CONSTRAINTS);
    }

    private static @Nullable String descriptionOfAll(Map<String, Object> schema) {
        Set<String> known =
                Set.of("type", "properties", "required", "additionalProperties", "description", "$defs", "definitions");
        return described(
                schema,
                schema.keySet().stream()
                        .filter(key -> !IGNORED.contains(key))
                        .filter(key -> !known.contains(key)
                                || key.equals("additionalProperties")
                                        && (!(schema.get(key) instanceof Boolean) || hasPatterns(schema)))
                        .collect(Collectors.toSet()));
    }

    private static @Nullable String described(Map<String, Object> schema, Set<String> keywords) {
        String description = schema.get("description") instanceof String text ? text.strip() : "";
        String constraints = schema.entrySet().stream()
                .filter(entry -> keywords.contains(entry.getKey()))
                .map(entry -> entry.getKey() + ": " + ChatModelJson.text(entry.getValue()))
                .collect(Collectors.joining(", "));
        if (constraints.isEmpty()) {
            return description.isEmpty() ? null : description;
        }
        return (description + " (" + constraints + ")").strip();
    }

    private static Map<String, Object> map(@Nullable Object value) {
        Map<String, Object> copy = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, part) -> copy.put(String.valueOf(key), part));
        }
        return copy;
    }
}
