package io.maestro.llm.internal;

import io.maestro.tools.InputSchema;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What vendors take as the schema of a tool's input: at its root a plain object. For one tool with alternatives there they refuse
 * the whole request, and so all that an agent asks. What fits the tool's own schema fits the plain one, whose description says the
 * rest; calls are checked against the tool's own.
 */
public final class PlainSchema {
    /** OpenAI refuses the first five, Anthropic the first three; with the others the root would say nothing by itself. */
    private static final Set<String> REFUSED =
            Set.of("anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef");

    /** Anthropic's names of properties at the root. */
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");

    /** What else may be another at the root of the plain one. */
    private static final Set<String> CHANGED = Set.of("properties", "additionalProperties", "unevaluatedProperties");

    /** Names by which a part can be referred to from elsewhere. */
    private static final Set<String> ANCHORS = Set.of("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor");

    /** Keywords whose value is no schema, whatever it looks like. */
    private static final Set<String> VALUES = Set.of("const", "enum", "default", "examples", "dependentRequired");

    /** Keywords whose value has schemas by names that may be any. */
    private static final Set<String> NAMED =
            Set.of("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions");

    private static final String NEWEST = "https://json-schema.org/draft/2020-12/schema";

    /** What schemas of older drafts name in their {@code $schema}, and the number of each. */
    private static final Map<String, Integer> DRAFTS =
            Map.of("draft-03", 3, "draft-04", 4, "draft-06", 6, "draft-07", 7, "2019-09", 8);

    /** Which draft has brought a keyword: one before it does not know it. */
    private static final Map<String, Integer> SINCE = Map.ofEntries(
            Map.entry("const", 6),
            Map.entry("contains", 6),
            Map.entry("propertyNames", 6),
            Map.entry("if", 7),
            Map.entry("dependentRequired", 8),
            Map.entry("dependentSchemas", 8),
            Map.entry("maxContains", 8),
            Map.entry("minContains", 8),
            Map.entry("unevaluatedItems", 8),
            Map.entry("unevaluatedProperties", 8),
            Map.entry("prefixItems", 9));

    /** What counts beside a reference in drafts up to the seventh: what others refer to, and what is no rule. */
    private static final Set<String> BESIDE_REFERENCE =
            Set.of("$ref", "$defs", "definitions", "description", "default", "examples");

    private static final int DEEPEST = 16;

    private final Map<String, Object> root;

    /** How many more parts are looked at: references to references may be without end. */
    private int left = 1_000;

    private PlainSchema(Map<String, Object> root) {
        this.root = root;
    }

    /**
     * The objects that fit a schema, or more.
     *
     * @param closed whether there are no properties but these
     */
    private record Shape(Map<String, Object> properties, Set<String> required, boolean closed) {
        static final Shape ANY = new Shape(Map.of(), Set.of(), false);

        boolean allows(String name) {
            return !closed || properties.containsKey(name);
        }
    }

    /**
     * The plain schema of a tool's input.
     *
     * @param input the tool's own
     * @return JSON types only; the tool's own where that is plain
     */
    public static Map<String, Object> of(InputSchema input) {
        return of(input, name -> true);
    }

    /**
     * The plain schema of a tool's input for Anthropic's API, which wants plain names, too.
     *
     * @param input the tool's own
     * @return JSON types only; the tool's own where that is plain
     */
    public static Map<String, Object> withPlainNames(InputSchema input) {
        return of(input, name -> NAME.matcher(name).matches());
    }

    private static Map<String, Object> of(InputSchema input, Predicate<String> taken) {
        Map<String, Object> own = input.asMap();
        String draft = String.valueOf(own.getOrDefault("$schema", NEWEST));
        Map<String, Object> schema = own;
        if (!draft.startsWith(NEWEST)) {
            schema = map(newer(own, number(draft)));
            schema.put("type", "object");
        }
        Map<String, Object> told = new LinkedHashMap<>();
        Map<String, Object> plain = new PlainSchema(schema).withoutAlternatives(told);
        if (!map(plain.get("properties")).keySet().stream().allMatch(taken)) {
            plain = withNames(plain, taken, told);
        }
        if (new PlainSchema(plain).leadsNowhere()) {
            plain = anything(own, told);
        }
        return told.isEmpty() ? plain : described(plain, told);
    }

    private Map<String, Object> withoutAlternatives(Map<String, Object> told) {
        if (root.keySet().stream().noneMatch(REFUSED::contains)) {
            return root;
        }
        Map<String, Object> plain = new LinkedHashMap<>(root);
        for (String keyword : root.keySet()) {
            if (REFUSED.contains(keyword)) {
                told.put(keyword, plain.remove(keyword));
            }
        }
        if (isReferredTo(root, told.keySet())) {
            return anything(root, told);
        }
        Shape shape = Objects.requireNonNullElse(shape(root, 0), Shape.ANY);
        plain.put("properties", shape.properties());
        plain.put("required", List.copyOf(shape.required()));
        if (shape.required().isEmpty()) {
            plain.remove("required");
        }
        if (shape.closed()) {
            plain.put("additionalProperties", false);
        }
        // It knows the properties of alternatives, of which none is left.
        Object unevaluated = plain.remove("unevaluatedProperties");
        if (unevaluated != null) {
            told.put("unevaluatedProperties", unevaluated);
        }
        return plain;
    }

    /** Whether it refers to what is not in it, by itself or because an older draft does not look at that. */
    private boolean leadsNowhere() {
        boolean[] found = {false};
        visit(
                root,
                (name, value) -> found[0] |= name.equals("$ref")
                        && value instanceof String reference
                        && reference.startsWith("#/")
                        && referred(reference).equals(true));
        return found[0];
    }

    /** Whether a part that is changed is referred to, or could be by a name. */
    private static boolean isReferredTo(Map<String, Object> schema, Set<String> removed) {
        boolean[] found = {false};
        for (String keyword : removed) {
            visit(schema.get(keyword), (name, value) -> found[0] |= ANCHORS.contains(name));
        }
        visit(schema, (name, value) -> {
            String reference = name.equals("$ref") && value instanceof String text ? text : "";
            String[] steps =
                    decoded(reference.substring(reference.indexOf('#') + 1)).split("/", 3);
            found[0] |= steps.length > 1 && (CHANGED.contains(steps[1]) || removed.contains(steps[1]));
        });
        return found[0];
    }

    private static Map<String, Object> anything(Map<String, Object> schema, Map<String, Object> told) {
        told.putAll(schema);
        told.keySet().removeAll(Set.of("type", "description", "$schema"));
        Map<String, Object> plain = new LinkedHashMap<>(Map.of("type", "object", "properties", Map.of()));
        if (schema.get("description") instanceof String text) {
            plain.put("description", text);
        }
        return plain;
    }

    private interface SchemaVisitor {
        void visit(String keyword, Object value);
    }

    private static void visit(@Nullable Object part, SchemaVisitor visitor) {
        if (part instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                visitor.visit(String.valueOf(key), value);
                visit(value, visitor);
            });
        } else if (part instanceof List<?> list) {
            list.forEach(one -> visit(one, visitor));
        }
    }

    /** Null when no object fits. */
    private @Nullable Shape shape(@Nullable Object part, int depth) {
        if (!(part instanceof Map) || depth > DEEPEST || left-- <= 0) {
            return Boolean.FALSE.equals(part) ? null : Shape.ANY;
        }
        Map<String, Object> schema = map(part);
        Object type = Objects.requireNonNullElse(schema.get("type"), "object");
        if (!type.equals("object") && !(type instanceof List<?> several && several.contains("object"))) {
            return null;
        }
        boolean closed = Boolean.FALSE.equals(schema.get("additionalProperties"))
                && map(schema.get("patternProperties")).isEmpty();
        Shape all = new Shape(map(schema.get("properties")), names(schema.get("required")), closed);
        List<Object> conditions = new ArrayList<>();
        if (schema.get("allOf") instanceof List<?> parts) {
            conditions.addAll(parts);
        }
        if (schema.get("$ref") instanceof String reference) {
            conditions.add(referred(reference));
        }
        for (Object condition : conditions) {
            all = both(all, Objects.requireNonNullElse(shape(condition, depth + 1), Shape.ANY));
        }
        for (String keyword : List.of("anyOf", "oneOf")) {
            if (schema.get(keyword) instanceof List<?> parts) {
                all = both(all, either(parts, depth));
            }
        }
        return all;
    }

    /** What a reference within the document leads to; true, which is anything, when it leads elsewhere. */
    private Object referred(String reference) {
        if (!reference.startsWith("#/")) {
            return reference.equals("#") ? root : true;
        }
        Object part = root;
        for (String step : reference.substring(2).split("/", -1)) {
            part = part instanceof Map<?, ?> map ? map.get(decoded(step)) : null;
        }
        return part == null ? true : part;
    }

    private static String decoded(String step) {
        String name;
        try {
            name = URLDecoder.decode(step.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            name = step; // It is meant as it stands.
        }
        return name.replace("~1", "/").replace("~0", "~");
    }

    private static Shape both(Shape one, Shape other) {
        Map<String, Object> properties = new LinkedHashMap<>();
        one.properties().forEach((name, schema) -> {
            if (other.allows(name)) {
                properties.put(name, narrowed(schema, other.properties().get(name)));
            }
        });
        other.properties().forEach((name, schema) -> {
            if (one.allows(name)) {
                properties.putIfAbsent(name, schema);
            }
        });
        Set<String> required = new LinkedHashSet<>(one.required());
        required.addAll(other.required());
        return new Shape(properties, required, one.closed() || other.closed());
    }

    /** One of both is enough: the description has the other, and hundreds of them in each other are too deep for a reader. */
    private static Object narrowed(Object schema, @Nullable Object other) {
        return other != null && isAnything(schema) ? other : schema;
    }

    private static boolean isAnything(Object schema) {
        return schema.equals(true)
                || schema instanceof Map<?, ?> map && Set.of("description").containsAll(map.keySet());
    }

    private Shape either(List<?> parts, int depth) {
        List<Shape> shapes = new ArrayList<>();
        for (Object part : parts) {
            Shape shape = shape(part, depth + 1);
            if (shape != null) {
                shapes.add(shape);
            }
        }
        if (shapes.isEmpty()) {
            return Shape.ANY;
        }
        Set<String> names = new LinkedHashSet<>();
        Set<String> required = new LinkedHashSet<>(shapes.get(0).required());
        for (Shape shape : shapes) {
            names.addAll(shape.properties().keySet());
            required.retainAll(shape.required());
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        names.forEach(name -> properties.put(name, either(name, shapes)));
        return new Shape(properties, required, shapes.stream().allMatch(Shape::closed));
    }

    /** An alternative that leaves a property open takes anything there: then its schema is only told. */
    private static Object either(String name, List<Shape> shapes) {
        Set<Object> schemas = new LinkedHashSet<>();
        boolean open = false;
        for (Shape shape : shapes) {
            Object schema = shape.properties().get(name);
            if (schema != null) {
                schemas.add(schema);
            }
            open |= schema == null && !shape.closed();
        }
        for (Object schema : schemas) {
            if (isAnything(schema)) {
                return schema;
            }
        }
        Object any = schemas.size() == 1 ? schemas.iterator().next() : Map.of("anyOf", List.copyOf(schemas));
        return open ? Map.of("description", "As in this JSON Schema: " + json(any)) : any;
    }

    /** Without properties of other names, which therefore must not be refused as additional ones. */
    private static Map<String, Object> withNames(
            Map<String, Object> schema, Predicate<String> taken, Map<String, Object> told) {
        if (isReferredTo(schema, Set.of())) {
            return anything(schema, told);
        }
        Map<String, Object> plain = new LinkedHashMap<>(schema);
        Map<String, Object> properties = map(schema.get("properties"));
        Map<String, Object> others = new LinkedHashMap<>(properties);
        others.keySet().removeIf(taken);
        properties.keySet().removeIf(name -> !taken.test(name));
        plain.put("properties", properties);
        told.put("properties", others);
        for (String keyword : List.of("additionalProperties", "unevaluatedProperties")) {
            Object closed = plain.remove(keyword);
            if (closed != null) {
                told.put(keyword, closed);
            }
        }
        return plain;
    }

    private static Map<String, Object> described(Map<String, Object> schema, Map<String, Object> told) {
        Map<String, Object> plain = new LinkedHashMap<>(schema);
        String description = plain.get("description") instanceof String text ? text.strip() + "\n" : "";
        plain.put("description", description + "The input must also fit this JSON Schema: " + json(told));
        return plain;
    }

    private static int number(String draft) {
        return DRAFTS.entrySet().stream()
                .filter(known -> draft.contains(known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(Integer.MAX_VALUE);
    }

    /**
     * What older drafts say in another way, in the words of the newest one, which Anthropic asks for. Words that the draft does
     * not know, or does not look at, say nothing.
     */
    private static Object newer(Object part, int draft) {
        if (part instanceof List<?> list) {
            return list.stream().map(one -> newer(one, draft)).toList();
        }
        if (!(part instanceof Map)) {
            return part;
        }
        Map<String, Object> source = map(part);
        source.keySet().removeIf(keyword -> SINCE.getOrDefault(keyword, 0) > draft);
        if (draft < 8 && source.containsKey("$ref")) {
            source.keySet().retainAll(BESIDE_REFERENCE);
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        source.forEach((keyword, value) -> {
            if (NAMED.contains(keyword)) {
                Map<String, Object> named = map(value);
                named.replaceAll((name, one) -> newer(one, draft));
                schema.put(keyword, named);
            } else {
                schema.put(keyword, VALUES.contains(keyword) ? value : newer(value, draft));
            }
        });
        schema.remove("$schema");
        exclusive(schema, "exclusiveMinimum", "minimum");
        exclusive(schema, "exclusiveMaximum", "maximum");
        if (schema.get("items") instanceof List<?> items) {
            schema.remove("items");
            Object more = schema.remove("additionalItems");
            if (!items.isEmpty()) {
                schema.put("prefixItems", items);
            }
            if (more != null) {
                schema.put("items", more);
            }
        }
        return schema;
    }

    private static void exclusive(Map<String, Object> schema, String keyword, String limit) {
        if (schema.get(keyword) instanceof Boolean exclusive) {
            schema.remove(keyword);
            Object value = schema.get(limit);
            if (exclusive && value != null) {
                schema.remove(limit);
                schema.put(keyword, value);
            }
        }
    }

    private static Set<String> names(@Nullable Object list) {
        Set<String> names = new LinkedHashSet<>();
        if (list instanceof List<?> several) {
            several.forEach(name -> names.add(String.valueOf(name)));
        }
        return names;
    }

    private static Map<String, Object> map(@Nullable Object value) {
        Map<String, Object> copy = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, part) -> copy.put(String.valueOf(key), part));
        }
        return copy;
    }

    private static String json(Object value) {
        return VendorJson.tree(value).toString();
    }
}
