package io.maestro.schema.internal;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.networknt.schema.Error;
import com.networknt.schema.path.NodePath;
import io.maestro.internal.Names;
import io.maestro.internal.Texts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Words for what a validator found, for a model to correct itself by: where, what is expected, what is there. What was
 * expected is looked up in the schema, and what is there in the arguments; the validator's own texts are the last resort.
 */
final class FaultMessages {
    private static final int MOST_FAULTS = 20;
    private static final int LONGEST_VALUE = 80;
    private static final int LONGEST_LIST = 400;

    private final Map<String, Object> schema;
    private final Map<String, Object> arguments;
    private final UnaryOperator<String> redactor;

    /**
     * @param redactor takes out secrets before something is cut: half a secret is no longer recognised
     */
    FaultMessages(Map<String, Object> schema, Map<String, Object> arguments, UnaryOperator<String> redactor) {
        this.schema = schema;
        this.arguments = arguments;
        this.redactor = redactor;
    }

    List<String> describe(List<Error> errors) {
        Set<String> all = new LinkedHashSet<>();
        errors.forEach(error -> all.add(describe(error)));
        List<String> shown = new ArrayList<>(all.stream().limit(MOST_FAULTS).toList());
        if (all.size() > MOST_FAULTS) {
            shown.add("… and " + (all.size() - MOST_FAULTS) + " more");
        }
        return shown;
    }

    private String describe(Error error) {
        NodePath location = error.getInstanceLocation();
        String property = error.getProperty();
        String path = switch (error.getKeyword()) {
            case "required", "additionalProperties", "unevaluatedProperties" ->
                property == null
                        ? location.toString()
                        : location.append(property).toString();
            default -> location.toString();
        };
        return Texts.clip(redactor.apply(path), 200) + ": " + alternative(error) + what(error);
    }

    private String what(Error error) {
        Object expected = at(schema, error.getSchemaLocation().getFragment());
        Object found = at(arguments, error.getInstanceLocation());
        String is = ", is " + shown(found);
        return switch (error.getKeyword()) {
            case "type" -> "must be " + types(expected) + ", is " + shownWithType(found);
            case "required" -> "is missing but required";
            case "additionalProperties", "unevaluatedProperties" -> unknownProperty(error);
            case "enum" -> "must be one of " + list(expected) + "; is " + shown(found);
            case "const" -> "must be " + shown(expected) + is;
            case "minLength" ->
                "".equals(found) ? "must not be empty" : "must have at least " + expected + characters(found);
            case "maxLength" -> "must have at most " + expected + characters(found);
            case "minItems" -> "must have at least " + expected + " items, has " + size(found);
            case "maxItems" -> "must have at most " + expected + " items, has " + size(found);
            case "uniqueItems" -> "must not hold the same item twice";
            case "minimum" -> "must be at least " + expected + is;
            case "maximum" -> "must be at most " + expected + is;
            case "exclusiveMinimum" -> "must be more than " + expected + is;
            case "exclusiveMaximum" -> "must be less than " + expected + is;
            case "multipleOf" -> "must be a multiple of " + expected + is;
            case "pattern" -> "must match the pattern " + Texts.clip(String.valueOf(expected), 200) + is;
            case "minProperties" -> "must have at least " + expected + " properties, has " + size(found);
            case "maxProperties" -> "must have at most " + expected + " properties, has " + size(found);
            default -> Texts.clip(redactor.apply(String.valueOf(error.getMessage())), 200);
        };
    }

    /** Faults below {@code anyOf} and {@code oneOf} contradict each other unless they say which branch they belong to. */
    private static String alternative(Error error) {
        NodePath path = error.getEvaluationPath();
        for (int i = 0; i + 1 < path.getNameCount(); i++) {
            boolean branches = "anyOf".equals(path.getElement(i)) || "oneOf".equals(path.getElement(i));
            if (branches && path.getElement(i + 1) instanceof Integer index) {
                return "(alternative " + (index + 1) + ") ";
            }
        }
        return "";
    }

    private String unknownProperty(Error error) {
        NodePath parent = error.getSchemaLocation().getFragment().getParent();
        Object known = parent == null ? null : at(schema, parent.append("properties"));
        if (!(known instanceof Map<?, ?> properties) || properties.isEmpty()) {
            return "unknown property; none are allowed here";
        }
        List<String> names = properties.keySet().stream().map(String::valueOf).toList();
        return Names.nearest(String.valueOf(error.getProperty()), names)
                .map(near -> "unknown property; did you mean " + shown(near) + "?")
                .orElseGet(() -> "unknown property; known are " + list(names));
    }

    /** A value as JSON, or what it is when it is long; at most about 80 characters. */
    private String shown(@Nullable Object value) {
        if (value instanceof String text) {
            String cut = Texts.clip(redactor.apply(text), LONGEST_VALUE);
            return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(cut)) + '"';
        }
        if (value instanceof Map<?, ?> map) {
            return "an object with " + map.size() + (map.size() == 1 ? " property" : " properties");
        }
        if (value instanceof List<?> items) {
            return "an array of " + items.size() + (items.size() == 1 ? " item" : " items");
        }
        return Texts.clip(String.valueOf(value), LONGEST_VALUE);
    }

    /** A value with its type where the value alone does not show it. */
    private String shownWithType(@Nullable Object value) {
        String type = value instanceof String
                ? " (string)"
                : value instanceof Number ? " (number)" : value instanceof Boolean ? " (boolean)" : "";
        return shown(value) + type;
    }

    private static String types(@Nullable Object expected) {
        Collection<?> several = expected instanceof List<?> list ? list : List.of(String.valueOf(expected));
        return several.stream().map(FaultMessages::type).collect(Collectors.joining(" or "));
    }

    private static String type(@Nullable Object name) {
        String text = String.valueOf(name);
        return switch (text) {
            case "null" -> text;
            case "integer", "array", "object" -> "an " + text;
            default -> "a " + text;
        };
    }

    private static String characters(@Nullable Object found) {
        String text = String.valueOf(found);
        return " characters, has " + text.codePointCount(0, text.length());
    }

    private static String size(@Nullable Object found) {
        int size = found instanceof List<?> list ? list.size() : found instanceof Map<?, ?> map ? map.size() : 0;
        return String.valueOf(size);
    }

    private static String list(@Nullable Object values) {
        Collection<?> several = values instanceof Collection<?> collection ? collection : List.of();
        return Texts.clip(several.stream().map(String::valueOf).collect(Collectors.joining(", ")), LONGEST_LIST);
    }

    /** What a path leads to, or null. */
    private static @Nullable Object at(Object root, @Nullable NodePath path) {
        Object node = root;
        for (int i = 0; path != null && i < path.getNameCount(); i++) {
            Object step = path.getElement(i);
            if (node instanceof Map<?, ?> map) {
                node = map.get(String.valueOf(step));
            } else if (node instanceof List<?> list && step instanceof Integer index && index < list.size()) {
                node = list.get(index);
            } else {
                return null;
            }
        }
        return node;
    }
}
