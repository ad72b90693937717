package io.maestro.tools.typed;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A component of a record, or a parameter of a method.
 *
 * @param name in the schema
 * @param description may be blank
 * @param type what it takes
 * @param presence whether it may be left out
 */
record Member(String name, String description, ArgumentType type, Presence presence) {
    /** What vendors of models accept as the name of a property. */
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");

    /** Whether a member may be left out, and what it is then. */
    enum Presence {
        REQUIRED,
        OPTIONAL,
        NULLABLE
    }

    /**
     * Reads what is declared.
     *
     * @param declared the component or parameter
     * @param typed its type with the annotations on that
     * @param sourceName its name in the source; null when the class file has none
     * @param where for errors
     * @param around the records that it stands in
     */
    static Member of(
            AnnotatedElement declared,
            AnnotatedType typed,
            @Nullable String sourceName,
            String where,
            Set<Class<?>> around) {
        Argument said = declared.getAnnotation(Argument.class);
        String name = said != null && !said.name().isEmpty() ? said.name() : sourceName;
        if (name == null) {
            throw new IllegalArgumentException(
                    "the name of " + where + " is not in its class file: compile with -parameters"
                            + " (maven.compiler.parameters=true in Maven, options.compilerArgs.add(\"-parameters\") in Gradle), or give"
                            + " it by @Argument(name = …)");
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name + "', the name of " + where
                    + ", is none that models accept: give another of 1 to 64 letters of ASCII, digits, '_', '.' and '-' by"
                    + " @Argument(name = …)");
        }
        Bounds bounds = said == null ? Bounds.NONE : new Bounds(said.min(), said.max());
        Type type = typed.getType();
        Presence presence = isNullable(declared, typed) ? Presence.NULLABLE : Presence.REQUIRED;
        if (type instanceof ParameterizedType generic && generic.getRawType() == Optional.class) {
            presence = Presence.OPTIONAL;
            type = generic.getActualTypeArguments()[0];
        } else if (presence == Presence.NULLABLE && type instanceof Class<?> plain && plain.isPrimitive()) {
            throw ArgumentTypes.refused(type, where, "it is @Nullable, so use its class, as Integer for int");
        }
        if (presence == Presence.REQUIRED && type == String.class && bounds.min() == Long.MIN_VALUE) {
            bounds = new Bounds(1, bounds.max()); // as InputSchema.Builder.requiredString has it
        }
        return new Member(
                name, said == null ? "" : said.value(), ArgumentTypes.of(type, where, bounds, around), presence);
    }

    /** By its name, so that no library of annotations is needed. */
    private static boolean isNullable(AnnotatedElement declared, AnnotatedType typed) {
        return Stream.of(declared.getAnnotations(), typed.getAnnotations())
                .flatMap(Stream::of)
                .anyMatch(annotation ->
                        annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    /** The value of this member. */
    @Nullable
    Object read(String path, @Nullable Object json) {
        if (json != null) {
            Object value = type.read(path + "." + name, json);
            return presence == Presence.OPTIONAL ? Optional.of(value) : value;
        }
        if (presence == Presence.REQUIRED) {
            throw new ArgumentType.BadArgumentException(path + "." + name, "is missing but required");
        }
        return presence == Presence.OPTIONAL ? Optional.empty() : null;
    }
}
