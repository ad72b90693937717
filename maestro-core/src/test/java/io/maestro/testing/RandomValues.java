package io.maestro.testing;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random values of a schema that {@link RandomSchemas} has made, and such with one fault. For use by one thread. */
public final class RandomValues {
    private static final int DEEPEST = 10;

    private final Random random;
    private final Map<String, Object> root;

    /**
     * For one schema.
     *
     * @param random where the numbers come from
     * @param root the schema of a tool's input
     */
    public RandomValues(Random random, Map<String, Object> root) {
        this.random = random;
        this.root = root;
    }

    /**
     * A value that breaks one rule.
     *
     * @param rule its keyword
     * @param value the whole input
     */
    public record Broken(String rule, Map<String, Object> value) {
        @Override
        public String toString() {
            return rule + " broken in " + value;
        }
    }

    /** What a reference leads to; other schemas are what they are. */
    public Map<String, Object> resolved(Object schema) {
        Map<String, Object> map = map(schema);
        return map.get("$ref") instanceof String reference
                ? map(map(root.get("$defs")).get(reference.substring(reference.lastIndexOf('/') + 1)))
                : map;
    }

    /** The alternative that a value was made for; a schema without alternatives itself. */
    public Map<String, Object> chosen(Object schema, @Nullable Object value) {
        Map<String, Object> resolved = resolved(schema);
        for (Object alternative : alternatives(resolved)) {
            Object kind =
                    map(map(alternative).getOrDefault("properties", Map.of())).get("kind");
            boolean same = value instanceof Map<?, ?> object
                    ? kind != null && Objects.equals(map(kind).get("const"), object.get("kind"))
                    : types(map(alternative)).contains(value == null ? "null" : "string");
            if (same) {
                return map(alternative);
            }
        }
        return resolved;
    }

    private static List<?> alternatives(Map<String, Object> schema) {
        return (List<?>) schema.getOrDefault("anyOf", schema.getOrDefault("oneOf", List.of()));
    }

    /** Whether null fits. */
    public boolean takesNull(Object schema) {
        Map<String, Object> resolved = resolved(schema);
        return resolved.get("enum") instanceof List<?> values
                ? values.stream().anyMatch(Objects::isNull)
                : types(resolved).contains("null")
                        || alternatives(resolved).stream().anyMatch(this::takesNull);
    }

    /** An input that fits. */
    public Map<String, Object> fitting() {
        return map(fitting(root, 0));
    }

    private @Nullable Object fitting(Object any, int depth) {
        Map<String, Object> schema = resolved(any);
        List<?> alternatives = alternatives(schema);
        if (!alternatives.isEmpty()) {
            return fitting(pick(alternatives), depth);
        }
        if (schema.get("enum") instanceof List<?> values) {
            return pick(values);
        }
        if (schema.containsKey("const")) {
            return schema.get("const");
        }
        return switch (pick(types(schema))) {
            case "null" -> null;
            case "boolean" -> random.nextBoolean();
            case "integer" -> integer(schema);
            case "number" -> pick(List.of(new BigDecimal("0.5"), new BigDecimal("1.10"), 1, 2L));
            case "array" -> array(schema, depth);
            case "object" -> object(schema, depth);
            default -> text(schema);
        };
    }

    private Number integer(Map<String, Object> schema) {
        if (schema.containsKey("multipleOf")) {
            return 3 * (random.nextInt(9) - 4);
        }
        return schema.containsKey("exclusiveMinimum") ? (1L << 53) + random.nextInt(9) : random.nextInt(4) - 3;
    }

    private String text(Map<String, Object> schema) {
        String example = RandomSchemas.PATTERNS.get(String.valueOf(schema.get("pattern")));
        return example != null ? example : pick(List.of("ab", "é\"", "\uD83D\uDE00\n"));
    }

    private List<Object> array(Map<String, Object> schema, int depth) {
        int least = (int) schema.getOrDefault("minItems", 0);
        int most = Math.min(2, (int) schema.getOrDefault("maxItems", 2));
        List<Object> array = new ArrayList<>();
        for (int left = least + random.nextInt(most - least + 1); left > 0; left--) {
            Object item = schema.containsKey("items") ? fitting(schema.get("items"), depth + 1) : "anything";
            // Such items are integers.
            array.add(schema.containsKey("uniqueItems") ? (Object) (10 * left) : item);
        }
        return array;
    }

    private Map<String, Object> object(Map<String, Object> schema, int depth) {
        Map<String, Object> object = new LinkedHashMap<>();
        map(schema.get("properties")).forEach((name, property) -> {
            if (required(schema).contains(name) || depth < DEEPEST && random.nextBoolean()) {
                object.put(name, fitting(property, depth + 1));
            }
        });
        // An object that says nothing about others is closed in strict mode.
        Object more = schema.getOrDefault("additionalProperties", false);
        if (!Boolean.FALSE.equals(more) && random.nextBoolean()) {
            object.put("undeclared", more instanceof Map ? fitting(more, depth + 1) : Map.of("type", "array"));
        }
        return object;
    }

    /** Each value that differs from one that fits in one place and does not fit. */
    public List<Broken> broken(Map<String, Object> fitting) {
        List<Broken> all = new ArrayList<>();
        breakInside(root, fitting, (rule, value) -> all.add(new Broken(rule, map(value))));
        return all;
    }

    private interface Found {
        void add(String rule, @Nullable Object value);
    }

    /** The value in all ways in which it does not fit. */
    private void breakAll(Object any, @Nullable Object value, boolean orNull, Found found) {
        Map<String, Object> schema = chosen(any, value);
        boolean oneOfSome = schema != resolved(any);
        List<Object> others = new ArrayList<>(
                oneOfSome ? List.of(List.of(List.of()), 7) : List.of("other", 1.5, true, List.of(), Map.of("no", 1)));
        if (orNull && !takesNull(any)) {
            others.add(null);
        }
        others.removeIf(other -> !oneOfSome && isOfType(schema, other));
        found.add(schema.containsKey("const") ? "const" : schema.containsKey("type") ? "type" : "enum", pick(others));
        if (schema.get("enum") instanceof List<?> values) {
            found.add("enum", values.contains("a") ? "A" : values.contains("low") ? "LOW" : 5);
        }
        if (value instanceof Number && schema.containsKey("minimum") && !schema.containsKey("enum")) {
            found.add("minimum", types(schema).contains("number") ? 0.25 : -7);
        }
        if (value instanceof Number && schema.containsKey("exclusiveMaximum")) {
            found.add("exclusiveMaximum", new BigDecimal("2.5"));
        }
        if (value instanceof Number && schema.containsKey("exclusiveMinimum")) {
            found.add("exclusiveMinimum", (1L << 53) - 2);
        }
        if (value instanceof Number && schema.containsKey("multipleOf")) {
            found.add("multipleOf", 4);
        }
        if (value instanceof String && schema.containsKey("pattern")) {
            found.add("pattern", "QQ");
        }
        if (value instanceof String && schema.containsKey("minLength")) {
            found.add("minLength", "");
            found.add("maxLength", "12345");
        }
        breakInside(schema, value, found);
    }

    private void breakInside(Map<String, Object> schema, @Nullable Object value, Found found) {
        if (value instanceof Map<?, ?> object) {
            breakObject(schema, map(object), found);
        }
        if (value instanceof List<?> list) {
            if (schema.containsKey("minItems")) {
                found.add("minItems", List.of());
            }
            if (schema.containsKey("uniqueItems") && !schema.containsKey("maxItems")) {
                found.add("uniqueItems", List.of(1, 2, 1));
            }
            for (int i = 0; schema.containsKey("items") && i < list.size(); i++) {
                int at = i;
                breakAll(schema.get("items"), list.get(i), true, (rule, broken) -> {
                    List<Object> changed = new ArrayList<>(list);
                    changed.set(at, broken);
                    found.add(rule, changed);
                });
            }
        }
    }

    private void breakObject(Map<String, Object> schema, Map<String, Object> object, Found found) {
        Map<String, Object> properties = map(schema.getOrDefault("properties", Map.of()));
        if (Boolean.FALSE.equals(schema.get("additionalProperties"))) {
            Map<String, Object> more = new LinkedHashMap<>(object);
            more.put("undeclared", 1);
            found.add("additionalProperties", more);
        }
        object.forEach((name, value) -> {
            Object property = properties.getOrDefault(name, schema.get("additionalProperties"));
            if (!(property instanceof Map)) {
                return;
            }
            if (required(schema).contains(name)) {
                Map<String, Object> less = new LinkedHashMap<>(object);
                less.remove(name);
                found.add("required", less);
            }
            // A null may stand for a property that is left out.
            breakAll(property, value, required(schema).contains(name), (rule, broken) -> {
                Map<String, Object> changed = new LinkedHashMap<>(object);
                changed.put(name, broken);
                found.add(rule, changed);
            });
        });
    }

    private static boolean isOfType(Map<String, Object> schema, @Nullable Object value) {
        List<String> types = types(schema);
        if (types.isEmpty()) {
            return value instanceof Boolean && Boolean.TRUE.equals(schema.get("const"));
        }
        String type = value instanceof String
                ? "string"
                : value instanceof Boolean
                        ? "boolean"
                        : value instanceof Number
                                ? "number"
                                : value instanceof List ? "array" : value == null ? "null" : "object";
        return types.contains(type);
    }

    /** The names of the properties that an object must have. */
    public static List<?> required(Map<String, Object> schema) {
        return (List<?>) schema.getOrDefault("required", List.of());
    }

    private static List<String> types(Map<String, Object> schema) {
        Object type = schema.getOrDefault("type", List.of());
        return type instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(String.valueOf(type));
    }

    private <T> T pick(List<? extends T> of) {
        return of.get(random.nextInt(of.size()));
    }

    @SuppressWarnings("unchecked") // of JSON
    private static Map<String, Object> map(@Nullable Object value) {
        return (Map<String, Object>) Objects.requireNonNull(value);
    }
}
