package io.maestro.agent.internal;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.Scanned;
import io.maestro.tools.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What coders have noted that they must do: a list for each attempt at a story, kept in the record and nowhere else. A
 * change is in the record before it is answered. Safe for use by several threads.
 */
public final class Todos {
    public static final int MOST = 50;
    public static final int MOST_CHARACTERS = 500;

    /** A line that begins within a text could be taken for another item. */
    private static final Pattern LINE_END = Pattern.compile("\\R\\s*");

    private final Store store;
    private final Redactor redactor;
    private final ReentrantLock changing = new ReentrantLock();

    /**
     * Creates the service.
     *
     * @param store where the lists are kept
     * @param redactor takes secrets out
     */
    public Todos(Store store, Redactor redactor) {
        this.store = store;
        this.redactor = redactor;
    }

    /**
     * A list as models read it.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @return a numbered line for each item, in Markdown; empty when there is none
     * @throws io.maestro.record.StoreException when the record cannot be read
     */
    public String asText(String storyId, int attempt) {
        return Todo.text(read(storyId, attempt));
    }

    /** Adds items at the end and answers with the list. Throws a {@link ToolException} for the model when one won't do. */
    public String add(String storyId, List<String> texts) {
        List<Todo> added = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            added.add(new Todo(
                    checked(texts.get(i), texts.size() == 1 ? "the todo" : "todo " + (i + 1) + " of these"),
                    Todo.TodoStatus.PENDING));
        }
        return change(storyId, list -> {
            if (list.size() + added.size() > MOST) {
                throw fault(
                        "there are " + list.size() + " todos already, and " + MOST + " are the most; nothing was added."
                                + " Put several into one, or use todo_update to reuse one that is done or dropped",
                        list);
            }
            list.addAll(added);
        });
    }

    /** Changes what is given of an item and answers with the list. Throws like {@link #add}. */
    public String update(String storyId, long number, @Nullable String text, Todo.@Nullable TodoStatus status) {
        String clean = text == null ? null : checked(text, "the text");
        return change(storyId, list -> {
            if (number < 1 || number > list.size()) {
                throw list.isEmpty()
                        ? new ToolException("there are no todos yet; make some by todos_add", null)
                        : fault("there is no todo " + number + ", they go from 1 to " + list.size(), list);
            }
            Todo before = list.get((int) number - 1);
            list.set(
                    (int) number - 1,
                    new Todo(clean == null ? before.text() : clean, status == null ? before.status() : status));
        });
    }

    private String change(String storyId, Consumer<List<Todo>> edit) {
        changing.lock();
        try {
            int attempt = attempt(storyId);
            List<Todo> list = read(storyId, attempt);
            edit.accept(list);
            store.saveTodos(storyId, attempt, Todo.json(list));
            return Todo.text(list);
        } finally {
            changing.unlock();
        }
    }

    /** A tool's context names the story only; of its attempts, the one that is worked on is the last that was begun. */
    private int attempt(String storyId) {
        return store.story(storyId)
                .map(AuditLog.StoryRecord::attempt)
                .orElseThrow(() -> new ToolException("there is no story " + storyId + " to keep todos for", null));
    }

    private List<Todo> read(String storyId, int attempt) {
        return store.todos(storyId, attempt).map(Todo::list).orElseGet(ArrayList::new);
    }

    private String checked(String text, String name) {
        // Without this a text that cannot be scanned would take the whole list with it.
        String scanned = Scanned.text(redactor, text)
                .orElseThrow(() -> new ToolException(
                        name + " could not be scanned for secrets and nothing was noted; write it in other words",
                        null));
        String clean = LINE_END.matcher(scanned.strip()).replaceAll(" ");
        if (clean.isEmpty()) {
            throw new ToolException(name + " is blank and nothing was noted; say what is to be done", null);
        }
        if (clean.length() > MOST_CHARACTERS) {
            throw new ToolException(
                    name + " has " + clean.length() + " characters and nothing was noted; " + MOST_CHARACTERS
                            + " are allowed: say it shorter, or make several of it",
                    null);
        }
        return clean;
    }

    private static ToolException fault(String what, List<Todo> list) {
        return new ToolException(what + ":\n" + Todo.text(list), null);
    }
}
