package io.maestro.tools.typed;

import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A record, which is an object in the schema.
 *
 * @param <T> the record
 */
final class RecordType<T extends Record> implements ArgumentType {
    private final Constructor<T> constructor;
    private final Members members;

    private RecordType(Constructor<T> constructor, Members members) {
        this.constructor = constructor;
        this.members = members;
    }

    /** The arguments of a tool. */
    static <T extends Record> RecordType<T> of(Class<T> type) {
        return of(type, type.getName(), Set.of());
    }

    /**
     * A record where it is declared.
     *
     * @param type the record
     * @param where it is declared, for errors
     * @param around the records that it stands in
     */
    static <T extends Record> RecordType<T> of(Class<T> type, String where, Set<Class<?>> around) {
        if (around.contains(type)) {
            throw ArgumentTypes.refused(
                    type,
                    where,
                    "it holds itself (" + ArgumentTypes.path(around, type)
                            + "), so its schema would have no end; use a flat list whose items name each other");
        }
        Set<Class<?>> inside = new LinkedHashSet<>(around);
        inside.add(type);
        List<Member> members = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            members.add(Member.of(
                    component,
                    component.getAnnotatedType(),
                    component.getName(),
                    "component '" + component.getName() + "' of " + type.getName(),
                    inside));
        }
        return new RecordType<>(Access.open(canonical(type)), new Members(members, type.getName()));
    }

    private static <T extends Record> Constructor<T> canonical(Class<T> type) {
        try {
            return type.getDeclaredConstructor(Stream.of(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(type + " has no canonical constructor", e);
        }
    }

    InputSchema input() {
        return InputSchema.of(members::addTo);
    }

    @Override
    public Property property(String description) {
        return Property.object(description, members::addTo);
    }

    @Override
    public T read(String path, Object json) {
        @Nullable Object[] values = members.read(path, (Map<?, ?>) json);
        try {
            return constructor
                    .getDeclaringClass()
                    .cast(Access.call(constructor, () -> constructor.newInstance(values)));
        } catch (BadArgumentException e) {
            throw e;
        } catch (Exception e) {
            // Its own check, as of two components that do not go together.
            throw new BadArgumentException(path, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }
}
