package io.maestro.agent.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.maestro.error.MaestroException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Something that a coder has to do. */
public record Todo(String text, TodoStatus status) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** How far it is; the mark is what models know from lists in Markdown. */
    public enum TodoStatus {
        PENDING(" "),
        IN_PROGRESS(">"),
        DONE("x"),
        DROPPED("-");

        private final String mark;

        TodoStatus(String mark) {
            this.mark = mark;
        }

        /** As it is written in arguments and in the record. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** One of {@link #id}. */
        public static TodoStatus of(String id) {
            return valueOf(id.toUpperCase(Locale.ROOT));
        }
    }

    /** A line for each, numbered from 1; empty when there is none. */
    static String text(List<Todo> todos) {
        StringJoiner lines = new StringJoiner("\n");
        int number = 1;
        for (Todo todo : todos) {
            lines.add(number++ + ". [" + todo.status.mark + "] " + todo.text);
        }
        return lines.toString();
    }

    /** As it is kept: an array of objects with text and status. */
    static String json(List<Todo> todos) {
        ArrayNode array = JSON.createArrayNode();
        todos.forEach(todo -> array.addObject().put("text", todo.text).put("status", todo.status.id()));
        return array.toString();
    }

    /** Reads what {@link #json} has written, into a list that can be changed. */
    static List<Todo> list(String json) {
        try {
            List<Todo> todos = new ArrayList<>();
            for (JsonNode item : JSON.readTree(json)) {
                // Only text is left of a list that the record could not scan for secrets.
                todos.add(
                        item.isTextual()
                                ? new Todo(item.textValue(), TodoStatus.PENDING)
                                : new Todo(
                                        item.path("text").asText(),
                                        TodoStatus.of(item.path("status").asText())));
            }
            return todos;
        } catch (JsonProcessingException | IllegalArgumentException e) {
            // Not the cause's message: it may quote the text.
            throw new MaestroException("the record holds todos that cannot be read ("
                    + e.getClass().getSimpleName() + "); it may come from a newer Maestro");
        }
    }
}
