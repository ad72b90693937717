package io.maestro.tools.typed;

import io.maestro.tools.Property;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.typed.ArgumentType.BadArgumentException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The Java types that arguments can have. The one place that refuses the others. */
final class ArgumentTypes {
    private static final String ALLOWED =
            "use String, int, long, double, boolean, BigDecimal, an enum, a record, or a List,"
                    + " Set or Map<String, …> of these";

    /** What to use in the place of types that people try first. */
    private static final Map<Class<?>, String> INSTEAD = Map.of(
            float.class, "use double",
            Float.class, "use Double",
            short.class, "use int",
            byte.class, "use int",
            char.class, "use String",
            Object.class, "use a record, or String",
            Collection.class, "use List",
            OptionalInt.class, "use Optional<Integer>",
            OptionalLong.class, "use Optional<Long>",
            OptionalDouble.class, "use Optional<Double>");

    private ArgumentTypes() {}

    /** Schema and reader in one. */
    private record Simple(Function<String, Property> schema, BiFunction<String, Object, Object> reader)
            implements ArgumentType {
        @Override
        public Property property(String description) {
            return schema.apply(description);
        }

        @Override
        public Object read(String path, Object json) {
            return reader.apply(path, json);
        }
    }

    /**
     * The type of an argument.
     *
     * @param type as it is declared
     * @param where it is declared, for errors
     * @param bounds what {@link Argument} says
     * @param around the records that it stands in
     * @throws IllegalArgumentException when no argument can have it
     */
    static ArgumentType of(Type type, String where, Bounds bounds, Set<Class<?>> around) {
        if (type instanceof ParameterizedType generic) {
            return generic(generic, where, bounds, around);
        }
        if (!(type instanceof Class<?> plain)) {
            throw refused(type, where, "a type must be known where it is declared; " + ALLOWED);
        }
        if (plain == String.class) {
            Bounds lengths = bounds.requireSizes(where);
            return new Simple(text -> lengths.lengths(Property.string(text)), (path, json) -> json);
        }
        ArgumentType number = number(plain, bounds.requireOrder(where));
        if (number != null) {
            return number;
        }
        bounds.mustBeUnset(where);
        if (plain == boolean.class || plain == Boolean.class) {
            return new Simple(Property::bool, (path, json) -> json);
        }
        if (plain.isEnum()) {
            return enumeration(plain, where);
        }
        if (plain.isRecord()) {
            return RecordType.of(plain.asSubclass(Record.class), where, around);
        }
        throw refused(plain, where, INSTEAD.getOrDefault(plain, ALLOWED));
    }

    private static @Nullable ArgumentType number(Class<?> type, Bounds bounds) {
        if (type == int.class || type == Integer.class) {
            return new Simple(text -> bounds.values(Property.integer(text)), ArgumentTypes::intOf);
        }
        if (type == long.class || type == Long.class) {
            return new Simple(text -> bounds.values(Property.integer(text)), ArgumentTypes::longOf);
        }
        if (type == double.class || type == Double.class) {
            return new Simple(
                    text -> bounds.values(Property.number(text)), (path, json) -> ((Number) json).doubleValue());
        }
        if (type == BigDecimal.class) {
            return new Simple(
                    text -> bounds.values(Property.number(text)), (path, json) -> new BigDecimal(json.toString()));
        }
        return null;
    }

    private static ArgumentType generic(ParameterizedType type, String where, Bounds bounds, Set<Class<?>> around) {
        Type[] of = type.getActualTypeArguments();
        Class<?> raw = (Class<?>) type.getRawType();
        if (raw == List.class || raw == Set.class) {
            ArgumentType items = of(of[0], "an item of " + where, Bounds.NONE, around);
            Bounds sizes = bounds.requireSizes(where);
            return new Simple(
                    text -> sizes.items(Property.array(text, items.property(""))),
                    (path, json) -> raw == List.class ? list(items, path, json) : set(items, path, json));
        }
        bounds.mustBeUnset(where);
        if (raw == Map.class && of[0] == String.class) {
            ArgumentType values = of(of[1], "a value of " + where, Bounds.NONE, around);
            return new Simple(
                    text -> Property.object(text, none -> {})
                            .with("additionalProperties", values.property("").asMap()),
                    (path, json) -> map(values, path, json));
        }
        throw refused(
                type,
                where,
                raw == Optional.class
                        ? "only a whole parameter or component can be left out; use an empty list, or a record with an Optional"
                        : INSTEAD.getOrDefault(raw, raw == Map.class ? "the keys of a Map are Strings" : ALLOWED));
    }

    private static ArgumentType enumeration(Class<?> type, String where) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Object constant : type.getEnumConstants()) {
            values.put(((Enum<?>) constant).name(), constant);
        }
        if (values.isEmpty()) {
            throw refused(type, where, "an enum needs a constant");
        }
        return new Simple(text -> Property.oneOf(text, values.keySet().toArray(String[]::new)), (path, json) -> {
            Object constant = values.get(json);
            if (constant == null) {
                throw new BadArgumentException(path, "is none of " + values.keySet());
            }
            return constant;
        });
    }

    private static Object intOf(String path, Object json) {
        long value = (long) longOf(path, json);
        if (value != (int) value) {
            throw new BadArgumentException(
                    path, "must be from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE + ", is " + value);
        }
        return (int) value;
    }

    private static Object longOf(String path, Object json) {
        try {
            return ToolArguments.of(Map.of(path, json)).integer(path);
        } catch (IllegalArgumentException e) {
            throw new BadArgumentException(path, "must be a whole number of at most 64 bits, is " + json);
        }
    }

    private static List<Object> list(ArgumentType items, String path, Object json) {
        List<Object> read = new ArrayList<>();
        for (Object item : (List<?>) json) {
            read.add(items.read(path + "[" + read.size() + "]", item));
        }
        return Collections.unmodifiableList(read);
    }

    private static Set<Object> set(ArgumentType items, String path, Object json) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(list(items, path, json)));
    }

    private static Map<String, Object> map(ArgumentType values, String path, Object json) {
        Map<String, Object> read = new LinkedHashMap<>();
        ((Map<?, ?>) json).forEach((key, value) -> read.put((String) key, values.read(path + "." + key, value)));
        return Collections.unmodifiableMap(read);
    }

    static IllegalArgumentException refused(Type type, String where, String instead) {
        return new IllegalArgumentException(
                where + " has the type " + type.getTypeName() + ", which no argument can have: " + instead);
    }

    /** For messages. */
    static String path(Set<Class<?>> around, Class<?> last) {
        return String.join(
                " → ",
                Stream.concat(around.stream(), Stream.of(last))
                        .map(Class::getSimpleName)
                        .toList());
    }
}
