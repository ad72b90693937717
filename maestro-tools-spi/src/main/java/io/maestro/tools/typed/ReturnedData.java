package io.maestro.tools.typed;

import io.maestro.tools.ToolResult;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes an answer of what a method returns: text for the model, and data for programs where it is an object or a list. */
final class ReturnedData {
    /** What holds itself ends here. */
    private static final int DEEPEST = 100;

    private ReturnedData() {}

    /** Refuses a method that returns what cannot be told. */
    static void check(Method method, String where) {
        Class<?> type = method.getReturnType();
        boolean known = type.isPrimitive() && type != char.class
                || type.isEnum()
                || type.isRecord()
                || Collection.class.isAssignableFrom(type)
                || Number.class.isAssignableFrom(type)
                || List.of(String.class, ToolResult.class, Boolean.class, Map.class, Optional.class)
                        .contains(type);
        if (!known) {
            throw new IllegalArgumentException(
                    where + " returns " + method.getGenericReturnType().getTypeName()
                            + ", which is no answer: return String, ToolResult, void, a number, a boolean, an enum, a record, a Map or a"
                            + " List");
        }
    }

    /** The answer. */
    static ToolResult result(@Nullable Object returned) {
        if (returned instanceof ToolResult result) {
            return result;
        }
        if (returned instanceof String text) {
            return ToolResult.ok(text);
        }
        Object data = json(returned, 1);
        ToolResult.Builder result = ToolResult.builder(JsonText.of(data));
        if (data instanceof Map<?, ?> object) {
            object.forEach((name, value) -> {
                if (value != null) {
                    result.data((String) name, value);
                }
            });
        } else if (data instanceof List<?>) {
            result.data("items", data);
        }
        return result.build();
    }

    /** A tree of JSON types. */
    private static @Nullable Object json(@Nullable Object value, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalStateException("what the tool returned is nested more than " + DEEPEST + " levels deep");
        }
        if (value == null || value instanceof String || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Number number) {
            boolean finite =
                    !(number instanceof Double || number instanceof Float) || Double.isFinite(number.doubleValue());
            return finite ? number : number.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value instanceof Optional<?> optional) {
            return json(optional.orElse(null), depth);
        }
        if (value instanceof Collection<?> collection) {
            List<@Nullable Object> list = new ArrayList<>();
            collection.forEach(item -> list.add(json(item, depth + 1)));
            return list;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            map.forEach((key, item) -> object.put(
                    key instanceof Enum<?> constant ? constant.name() : String.valueOf(key), json(item, depth + 1)));
            return object;
        }
        if (value instanceof Record made) {
            return object(made, depth);
        }
        if (value.getClass().getName().startsWith("java.")) {
            return value.toString(); // such as a date, a duration, a path or a URI
        }
        throw new IllegalStateException("the tool returned an object of "
                + value.getClass().getName() + ", which is no data: use a record, a Map or a List");
    }

    private static Map<String, @Nullable Object> object(Record made, int depth) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (RecordComponent component : made.getClass().getRecordComponents()) {
            Method accessor = Access.open(component.getAccessor());
            try {
                object.put(component.getName(), json(Access.call(accessor, () -> accessor.invoke(made)), depth + 1));
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(accessor + " failed", e);
            }
        }
        return object;
    }
}
