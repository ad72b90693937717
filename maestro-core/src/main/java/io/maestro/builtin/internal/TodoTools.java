package io.maestro.builtin.internal;

import io.maestro.agent.internal.Todo;
import io.maestro.agent.internal.Todos;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.Arrays;

/**
 * The tools with which a coder keeps its list of todos. They are offered while planning, too, as the list is not in the
 * workspace. Each answers with the whole list.
 */
final class TodoTools {
    private TodoTools() {}

    static ToolFactory add() {
        return tool(
                ToolDefinition.builder("todos_add")
                        .description("Adds todos to your list for this story, which stays when older messages are left"
                                + " out of your conversation; answers with the whole list")
                        .input(schema -> schema.required(
                                "todos",
                                Property.array(
                                                "What is to be done, a step each, in order; 1 to 20",
                                                Property.string("Up to " + Todos.MOST_CHARACTERS + " characters")
                                                        .minLength(1))
                                        .minItems(1)
                                        .maxItems(20))),
                (todos, storyId, arguments) -> todos.add(storyId, arguments.strings("todos")));
    }

    static ToolFactory complete() {
        return tool(
                ToolDefinition.builder("todo_complete")
                        .description("Marks a todo as done; answers with the whole list")
                        .input(schema -> schema.required("number", number())),
                (todos, storyId, arguments) ->
                        todos.update(storyId, arguments.integer("number"), null, Todo.TodoStatus.DONE));
    }

    static ToolFactory update() {
        return tool(
                ToolDefinition.builder("todo_update")
                        .description("Changes the text or the status of a todo; answers with the whole list")
                        .input(schema -> schema.required("number", number())
                                .optional(
                                        "text",
                                        Property.string("The new text, up to " + Todos.MOST_CHARACTERS + " characters")
                                                .minLength(1))
                                .optional(
                                        "status",
                                        Property.oneOf(
                                                "How far it is; dropped: it need not be done any more",
                                                Arrays.stream(Todo.TodoStatus.values())
                                                        .map(Todo.TodoStatus::id)
                                                        .toArray(String[]::new)))),
                (todos, storyId, arguments) -> {
                    String text = arguments.optionalString("text").orElse(null);
                    Todo.TodoStatus status = arguments
                            .optionalString("status")
                            .map(Todo.TodoStatus::of)
                            .orElse(null);
                    if (text == null && status == null) {
                        throw new ToolException("give a text, a status, or both; nothing was changed", null);
                    }
                    return todos.update(storyId, arguments.integer("number"), text, status);
                });
    }

    private static Property number() {
        return Property.integer("The todo's number in the list, from 1").between(1, Todos.MOST);
    }

    /** What a tool does with the list of a story; answers with the list. */
    @FunctionalInterface
    private interface TodoChange {
        String make(Todos todos, String storyId, ToolArguments arguments);
    }

    private static ToolFactory tool(ToolDefinition.Builder builder, TodoChange change) {
        ToolDefinition definition = builder.offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                .build();
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return definition;
            }

            @Override
            public Tool create(ToolContext context) {
                Todos todos = context.service(Todos.class)
                        .orElseThrow(() -> new ToolException("there is no list of todos here", null));
                String storyId = context.storyId()
                        .orElseThrow(() -> new ToolException("todos belong to a story, and you work on none", null));
                return call -> ToolResult.ok(change.make(todos, storyId, call.arguments()));
            }
        };
    }
}
