package io.maestro.llm.langchain4j;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.ToolMemoryId;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.agent.tool.ToolSpecifications;
import dev.langchain4j.internal.Json;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A method with LangChain4j's annotation as a tool.
 *
 * @param definition with the schema that LangChain4j makes
 * @param target has the method
 * @param method accessible
 */
record LangChain4jTool(ToolDefinition definition, Object target, Method method) implements ToolFactory {

    /** Reads what is declared. */
    static LangChain4jTool of(Object target, Method method) {
        ToolSpecification said = ToolSpecifications.toolSpecificationFrom(method);
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", Map.of());
        if (ChatModelJson.map(said.toJson()).get("parameters") instanceof Map<?, ?> parameters) {
            parameters.forEach((keyword, value) -> schema.put(String.valueOf(keyword), value));
        }
        schema.putIfAbsent("additionalProperties", false); // a misspelt name is told to the model
        Set<?> names = schema.get("properties") instanceof Map<?, ?> properties ? properties.keySet() : Set.of();
        Set<?> required = schema.get("required") instanceof List<?> list ? Set.copyOf(list) : Set.of();
        for (Parameter parameter : method.getParameters()) {
            check(parameter, names, required, method);
        }
        if (!method.trySetAccessible()) {
            Class<?> owner = method.getDeclaringClass();
            throw new IllegalArgumentException(method + " cannot be called: add 'opens " + owner.getPackageName()
                    + " to io.maestro.core;' to the module descriptor of "
                    + owner.getModule().getName()
                    + ", or make it, its class and its package public");
        }
        String description = said.description();
        return new LangChain4jTool(
                ToolDefinition.builder(said.name())
                        .description(description == null || description.isBlank() ? said.name() : description)
                        .input(InputSchema.ofMap(schema))
                        .build(),
                target,
                method);
    }

    /** Refuses now what would fail at each call. */
    private static void check(Parameter parameter, Set<?> names, Set<?> required, Method method) {
        Class<?> type = parameter.getType();
        if (parameter.isAnnotationPresent(ToolMemoryId.class)) {
            if (type != String.class && type != Object.class) {
                throw new IllegalArgumentException(
                        method + " takes a @ToolMemoryId that is no String; an agent's id is one");
            }
        } else if (!names.contains(name(parameter))) {
            throw new IllegalArgumentException(
                    method + " takes a " + type.getName() + ", which only an AI service of LangChain4j can give");
        } else if (type.isPrimitive() && !required.contains(name(parameter)) && fallback(parameter) == null) {
            throw new IllegalArgumentException(method + ": '" + name(parameter)
                    + "' may be left out, which a primitive cannot: use its class, or @P(defaultValue = …)");
        }
    }

    private static String name(Parameter parameter) {
        P said = parameter.getAnnotation(P.class);
        return said == null || said.name().isBlank() ? parameter.getName() : said.name();
    }

    private static @Nullable String fallback(Parameter parameter) {
        P said = parameter.getAnnotation(P.class);
        return said == null || said.defaultValue().equals(P.NO_DEFAULT) ? null : said.defaultValue();
    }

    @Override
    public Class<?> origin() {
        return target.getClass();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            Parameter[] parameters = method.getParameters();
            @Nullable Object[] values = new @Nullable Object[parameters.length];
            for (int i = 0; i < values.length; i++) {
                try {
                    values[i] = parameters[i].isAnnotationPresent(ToolMemoryId.class)
                            ? context.agentId()
                            : value(parameters[i], call.arguments().asMap());
                } catch (RuntimeException e) {
                    return ToolResult.error("The arguments are not valid, nothing was run. Correct them and call it"
                            + " again:\n- $." + name(parameters[i]) + ": " + e.getMessage());
                }
            }
            return answer(invoke(values));
        };
    }

    private static @Nullable Object value(Parameter parameter, Map<String, Object> arguments) {
        Type type = parameter.getParameterizedType();
        boolean optional = parameter.getType() == Optional.class;
        if (optional && type instanceof ParameterizedType generic) {
            type = generic.getActualTypeArguments()[0];
        }
        Object given = arguments.get(name(parameter));
        String json = given == null ? fallback(parameter) : ChatModelJson.text(given);
        Object value = json == null || given == null && type == String.class ? json : Json.fromJson(json, type);
        return optional ? Optional.ofNullable(value) : value;
    }

    private @Nullable Object invoke(@Nullable Object[] values) throws Exception {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception exception) {
                throw exception;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    private ToolResult answer(@Nullable Object returned) {
        if (method.getReturnType() == void.class) {
            return ToolResult.ok("Success"); // as LangChain4j says it
        }
        return ToolResult.ok(returned instanceof String text ? text : String.valueOf(Json.toJson(returned)));
    }
}
