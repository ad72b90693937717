package io.maestro.tools.typed;

import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes tools whose schemas come from Java types.
 *
 * <p>An argument is a String, an int, long, double, boolean or the class of one, a BigDecimal, an enum (by the names of its
 * constants), a record of these, a List or Set of these, or a {@code Map<String, …>} to one of them. What is an {@code Optional} of
 * one, or annotated as {@code @Nullable} (of JSpecify or any other annotation of that name that is kept at run time), may be left out.
 * {@link Argument} describes and bounds it. Any other type is refused when the factory is made, and so is a record that holds itself.
 *
 * <p>Types and methods that are not public may be used. A module that does not export them with all its members must open their
 * package to {@code io.maestro.tools.spi}.
 */
public final class TypedTools {
    private TypedTools() {}

    /**
     * A tool that takes a record.
     *
     * @param <T> the record
     * @param definition name, description and the like; its input is set here
     * @param arguments the record; what its constructor throws is told to the model, as a fault of the arguments
     * @param tool what is done with it
     * @return a factory
     * @throws IllegalArgumentException when a component has a type that no argument can have, or the record cannot be made by
     *     reflection; the message names the place and says what to do
     */
    public static <T extends Record> ToolFactory ofRecord(
            ToolDefinition.Builder definition, Class<T> arguments, TypedTool<? super T> tool) {
        Objects.requireNonNull(tool, "tool");
        RecordType<T> type = RecordType.of(arguments);
        return new RecordTool<>(definition.input(type.input()).build(), arguments, type, tool);
    }

    /**
     * A tool for each method with {@link ToolMethod} of an object's class and the classes that it extends. All agents share the object, so
     * its methods are called by several threads.
     *
     * @param object has the methods
     * @return factories, ordered by the tools' names
     * @throws IllegalArgumentException when there is no such method, two have the same name, one has a parameter or returns what no
     *     tool can, or cannot be called by reflection; the message names the place and says what to do
     */
    public static List<ToolFactory> ofMethods(Object object) {
        TreeMap<String, MethodTool> tools = new TreeMap<>();
        for (Method method : annotated(object.getClass())) {
            MethodTool tool = MethodTool.of(object, method);
            MethodTool other = tools.put(tool.definition().name(), tool);
            if (other != null) {
                throw new IllegalArgumentException(
                        "the tool name '" + tool.definition().name() + "' is taken twice, by " + other.method()
                                + " and by " + method + ": give one of them another by @ToolMethod(name = …)");
            }
        }
        if (tools.isEmpty()) {
            throw new IllegalArgumentException(object.getClass().getName() + " has no method with @ToolMethod");
        }
        return List.copyOf(tools.values());
    }

    /** A method that another overrides counts by what the other one says. */
    private static List<Method> annotated(Class<?> type) {
        List<Method> found = new ArrayList<>();
        Set<List<Object>> seen = new HashSet<>();
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                List<Object> signature = List.of(method.getName(), List.of(method.getParameterTypes()));
                if (!method.isSynthetic() && seen.add(signature) && method.isAnnotationPresent(ToolMethod.class)) {
                    found.add(method);
                }
            }
        }
        found.sort(Comparator.comparing(Method::getName)
                .thenComparing(method -> Arrays.toString(method.getParameterTypes())));
        return found;
    }
}
