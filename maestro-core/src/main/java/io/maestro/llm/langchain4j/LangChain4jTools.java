package io.maestro.llm.langchain4j;

import dev.langchain4j.agent.tool.Tool;
import io.maestro.tools.ToolFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes tools of objects whose methods have LangChain4j's annotation {@link Tool}.
 *
 * <p>Names, descriptions and schemas are those that LangChain4j makes of the methods, and arguments and answers are read and written
 * by its JSON codec, as its AI services do. A parameter with {@code @ToolMemoryId} gets the agent's id. What belongs to an AI service,
 * such as {@code InvocationParameters}, {@code returnBehavior} and {@code searchBehavior}, has no counterpart: a parameter of such a
 * type is refused, the others are without effect.
 */
public final class LangChain4jTools {
    private LangChain4jTools() {}

    /**
     * A tool for each annotated method of an object's class and the classes that it extends. All agents share the object, so its
     * methods are called by several threads.
     *
     * @param object has the methods
     * @return factories, ordered by the tools' names; such a tool is offered to coders while coding
     * @throws IllegalArgumentException when there is no such method, two have the same name, or one has a parameter that no call can
     *     give or cannot be called by reflection; the message names it
     */
    public static List<ToolFactory> of(Object object) {
        LangChain4jClient.readLangChain4j();
        TreeMap<String, LangChain4jTool> tools = new TreeMap<>();
        for (Method method : annotated(object.getClass())) {
            LangChain4jTool tool = LangChain4jTool.of(object, method);
            LangChain4jTool other = tools.put(tool.definition().name(), tool);
            if (other != null) {
                throw new IllegalArgumentException(
                        "the tool name '" + tool.definition().name() + "' is taken twice, by " + other.method()
                                + " and by " + method + ": give one of them another by @Tool(name = …)");
            }
        }
        if (tools.isEmpty()) {
            throw new IllegalArgumentException(
                    object.getClass().getName() + " has no method with @" + Tool.class.getName());
        }
        return List.copyOf(tools.values());
    }

    private static List<Method> annotated(Class<?> type) {
        List<Method> found = new ArrayList<>();
        Set<List<Object>> seen = new HashSet<>();
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                List<Object> signature = List.of(method.getName(), Arrays.asList(method.getParameterTypes()));
                if (!method.isSynthetic() && seen.add(signature) && method.isAnnotationPresent(Tool.class)) {
                    found.add(method);
                }
            }
        }
        return found;
    }
}
