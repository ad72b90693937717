package io.maestro.tools.typed;

import io.maestro.tools.InputSchema;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.typed.ArgumentType.BadArgumentException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A tool that is a method.
 *
 * @param definition with the schema of the parameters
 * @param target has the method
 * @param method accessible
 * @param members the parameters that a model gives
 */
record MethodTool(ToolDefinition definition, Object target, Method method, Members members) implements ToolFactory {

    /**
     * Reads what is declared.
     *
     * @param target has the method
     * @param method has {@link ToolMethod}
     */
    static MethodTool of(Object target, Method method) {
        ToolMethod said = method.getAnnotation(ToolMethod.class);
        String where = method.getDeclaringClass().getName() + "." + method.getName();
        ReturnedData.check(method, where);
        List<Member> members = new ArrayList<>();
        for (Parameter parameter : method.getParameters()) {
            if (!isPassedIn(parameter)) {
                members.add(Member.of(
                        parameter,
                        parameter.getAnnotatedType(),
                        parameter.isNamePresent() ? parameter.getName() : null,
                        "parameter '" + parameter.getName() + "' of " + where,
                        Set.of()));
            }
        }
        Members all = new Members(members, where);
        ToolDefinition.Builder definition = ToolDefinition.builder(
                        said.name().isEmpty() ? method.getName() : said.name())
                .description(said.description())
                .input(InputSchema.of(all::addTo))
                .timeLimit(Duration.ofSeconds(said.seconds()));
        if (said.readOnly()) {
            definition.readOnly();
        }
        if (said.audiences().length > 0) {
            definition.offeredTo(said.audiences()[0], said.audiences());
        }
        return new MethodTool(definition.build(), target, Access.open(method), all);
    }

    private static boolean isPassedIn(Parameter parameter) {
        return parameter.getType() == ToolContext.class || parameter.getType() == ToolCall.class;
    }

    @Override
    public Class<?> origin() {
        return target.getClass();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            @Nullable Object[] values;
            try {
                values = values(context, call);
            } catch (BadArgumentException e) {
                return RecordTool.invalid(e);
            }
            Object returned = Access.call(method, () -> method.invoke(target, values));
            return method.getReturnType() == void.class ? ToolResult.ok("done") : ReturnedData.result(returned);
        };
    }

    private @Nullable Object[] values(ToolContext context, ToolCall call) {
        @Nullable Object[] given = members.read("$", call.arguments().asMap());
        Parameter[] parameters = method.getParameters();
        @Nullable Object[] values = new @Nullable Object[parameters.length];
        int next = 0;
        for (int i = 0; i < values.length; i++) {
            if (parameters[i].getType() == ToolContext.class) {
                values[i] = context;
            } else if (parameters[i].getType() == ToolCall.class) {
                values[i] = call;
            } else {
                values[i] = given[next++];
            }
        }
        return values;
    }
}
