package io.maestro.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Random JSON Schemas of tools' inputs, of which {@link RandomValues} makes values. For use by one thread. */
public final class RandomSchemas {
    /** Objects and arrays, one in the other. */
    private static final int DEEPEST = 6;

    /** Some are words of JSON Schema itself. */
    private static final List<String> NAMES = List.of(
            "path",
            "limit",
            "type",
            "properties",
            "items",
            "required",
            "enum",
            "anyOf",
            "größe",
            "a b",
            "$ref",
            "x/y~z");

    /** Each with a text that matches it. A plain one is taken by strict mode, the last two are not. */
    static final Map<String, String> PATTERNS = Map.of(
            "^[a-z]+$", "abc",
            "^v\\d+\\.\\d+$", "v1.22",
            "(x|yz)+", "xyz",
            "^(?=ab)a", "abc",
            "^(a)\\1$", "aa");

    private final Random random;

    /** Begins with the next number of a source. */
    public RandomSchemas(Random random) {
        this.random = random;
    }

    /** The schema of a tool's input; {@code $defs} in it are referred to. */
    public Map<String, Object> schema() {
        Map<String, Object> root = object(random.nextInt(DEEPEST) + 1, true);
        Map<String, Object> label = Map.of("type", "string", "enum", List.of("low", "high"));
        Map<String, Object> node = new LinkedHashMap<>(Map.of("type", "object", "additionalProperties", false));
        node.put("properties", Map.of("label", ref("label"), "value", integer(), "next", ref("node")));
        node.put("required", random.nextBoolean() ? List.of() : List.of("label"));
        root.put("$defs", Map.of("label", label, "node", node));
        return root;
    }

    private Map<String, Object> object(int levels, boolean isRoot) {
        Map<String, Object> schema = typed("object", !isRoot);
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (int left = random.nextInt(4) + (isRoot ? 1 : 0); left > 0; left--) {
            String name = pick(NAMES);
            if (properties.put(name, any(levels - 1)) == null && random.nextBoolean()) {
                required.add(name);
            }
        }
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        int open = random.nextInt(20);
        if (open > 1) {
            schema.put("additionalProperties", open > 3 ? (Object) false : open == 3 ? (Object) true : integer());
        }
        return schema;
    }

    private Map<String, Object> any(int levels) {
        Map<String, Object> schema = switch (random.nextInt(levels > 0 ? 16 : 9)) {
            case 0, 1 -> text();
            case 2 -> integer();
            case 3 -> number();
            case 4 -> typed("boolean", true);
            case 5 -> choice();
            case 6 -> ref("label");
            case 7 -> ref("node");
            case 8 -> new LinkedHashMap<>(Map.of("type", List.of("string", "integer", "boolean")));
            case 9 -> alternatives(levels);
            case 10, 11, 12 -> array(levels);
            default -> object(levels, false);
        };
        if (random.nextInt(4) == 0) {
            schema.put("description", "what \"it\" is for");
        }
        if (random.nextInt(12) == 0) {
            schema.put("default", Map.of("type", "array"));
        }
        return schema;
    }

    private Map<String, Object> text() {
        Map<String, Object> schema = typed("string", true);
        if (random.nextInt(4) == 0) {
            schema.put("pattern", pick(PATTERNS.keySet().stream().sorted().toList()));
        } else if (random.nextBoolean()) {
            schema.put("minLength", 1 + random.nextInt(2));
            schema.put("maxLength", 2 + random.nextInt(3));
        }
        return schema;
    }

    private Map<String, Object> integer() {
        Map<String, Object> schema = typed("integer", true);
        switch (random.nextInt(4)) {
            case 0 -> {
                schema.put("minimum", -3 - random.nextInt(3));
                schema.put("maximum", random.nextInt(100));
            }
            case 1 -> {
                schema.put("exclusiveMinimum", (1L << 53) - 2);
                schema.put("maximum", Long.MAX_VALUE);
            }
            case 2 -> schema.put("multipleOf", 3);
            default -> {}
        }
        return schema;
    }

    private Map<String, Object> number() {
        Map<String, Object> schema = typed("number", true);
        if (random.nextBoolean()) {
            schema.put("minimum", 0.5);
            schema.put("exclusiveMaximum", 2.5);
        }
        return schema;
    }

    private Map<String, Object> choice() {
        if (random.nextInt(3) == 0) {
            return new LinkedHashMap<>(Map.of("const", pick(List.of("fixed", 7, true, Map.of("type", "array")))));
        }
        List<Object> values = new ArrayList<>(random.nextBoolean() ? List.of("a", "b", "c") : List.of(1, 2, 30));
        Map<String, Object> schema = typed(values.get(0) instanceof String ? "string" : "integer", true);
        if (schema.get("type") instanceof List) {
            values.add(null);
        }
        schema.put("enum", values);
        if (values.size() == 3 && random.nextBoolean()) {
            schema.remove("type");
        }
        return schema;
    }

    private Map<String, Object> array(int levels) {
        Map<String, Object> schema = typed("array", true);
        if (random.nextInt(30) == 0) {
            return schema; // of anything
        }
        boolean unique = random.nextInt(5) == 0;
        schema.put("items", unique ? new LinkedHashMap<>(Map.of("type", "integer")) : any(levels - 1));
        if (unique) {
            schema.put("uniqueItems", true);
        }
        if (random.nextInt(3) == 0) {
            schema.put("minItems", 1);
            schema.put("maxItems", 1 + random.nextInt(3));
        }
        return schema;
    }

    /** Objects that are told apart by their kind, and perhaps a text or null. */
    private Map<String, Object> alternatives(int levels) {
        List<Object> all = new ArrayList<>();
        for (String kind : List.of("first", "second")) {
            Map<String, Object> object = object(levels - 1, true);
            Map<String, Object> properties = new LinkedHashMap<>(Map.of("kind", Map.of("const", kind)));
            ((Map<?, ?>) Objects.requireNonNull(object.get("properties")))
                    .forEach((name, schema) -> properties.put((String) name, schema));
            object.put("properties", properties);
            List<Object> required = new ArrayList<>(List.of("kind"));
            required.addAll((List<?>) object.getOrDefault("required", List.of()));
            object.put("required", required);
            all.add(object);
        }
        if (random.nextBoolean()) {
            all.add(Map.of("type", random.nextBoolean() ? "string" : "null"));
        }
        return new LinkedHashMap<>(Map.of(random.nextBoolean() ? "anyOf" : "oneOf", all));
    }

    private static Map<String, Object> ref(String name) {
        return new LinkedHashMap<>(Map.of("$ref", "#/$defs/" + name));
    }

    private Map<String, Object> typed(String type, boolean mayBeNull) {
        boolean nullable = mayBeNull && random.nextInt(6) == 0;
        return new LinkedHashMap<>(Map.of("type", nullable ? List.of(type, "null") : type));
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
