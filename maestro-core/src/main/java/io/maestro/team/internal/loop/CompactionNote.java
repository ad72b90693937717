package io.maestro.team.internal.loop;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What stands in a conversation, behind its first message, in the place of turns that were left out. The next compaction
 * reads it, and goes on with it.
 *
 * @param turns how many turns were left out
 * @param lines what was done and said in the last of them, one line each, oldest first
 * @param todos what is left to do; may be empty
 */
record CompactionNote(int turns, List<String> lines, String todos) {
    static final CompactionNote NONE = new CompactionNote(0, List.of(), "");

    private static final Pattern HEAD = Pattern.compile(
            "\\[Maestro has shortened this conversation: " + "(\\d{1,9}) older turns are left out\\. [^]\\n]*]");
    private static final String TODOS = "\n[Left to do]\n";

    CompactionNote {
        lines = List.copyOf(lines);
    }

    /** The note in a conversation's first message; it is a part of its own, and never the first one. */
    static Optional<CompactionNote> in(LlmMessage first) {
        return first.content().stream()
                .skip(1)
                .flatMap(part -> read(part).stream())
                .findFirst();
    }

    /** The message without its note. */
    static List<LlmContent> without(LlmMessage first) {
        List<LlmContent> content = new ArrayList<>();
        for (LlmContent part : first.content()) {
            if (content.isEmpty() || read(part).isEmpty()) {
                content.add(part);
            }
        }
        return content;
    }

    private static Optional<CompactionNote> read(LlmContent part) {
        if (!(part instanceof LlmContent.Text text)) {
            return Optional.empty();
        }
        Matcher head = HEAD.matcher(text.text());
        if (!head.lookingAt()) {
            return Optional.empty();
        }
        String rest = text.text().substring(head.end());
        int todos = rest.indexOf(TODOS);
        List<String> lines = (todos < 0 ? rest : rest.substring(0, todos))
                .lines()
                .filter(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toList();
        return Optional.of(new CompactionNote(
                Integer.parseInt(head.group(1)), lines, todos < 0 ? "" : rest.substring(todos + TODOS.length())));
    }

    boolean isEmpty() {
        return turns == 0 && lines.isEmpty() && todos.isEmpty();
    }

    /** This note with what was left out after it. */
    CompactionNote plus(int moreTurns, List<String> moreLines) {
        List<String> all = new ArrayList<>(lines);
        all.addAll(moreLines);
        return new CompactionNote(turns + moreTurns, all, todos);
    }

    CompactionNote todos(String text) {
        return new CompactionNote(turns, lines, text);
    }

    /** This note with the last lines, of so many characters in all. */
    CompactionNote last(long characters) {
        long left = characters;
        int from = lines.size();
        while (from > 0 && left >= lines.get(from - 1).length() + 3) {
            left -= lines.get(--from).length() + 3;
        }
        return new CompactionNote(turns, lines.subList(from, lines.size()), todos);
    }

    String text() {
        StringBuilder text = new StringBuilder("[Maestro has shortened this conversation: ")
                .append(turns)
                .append(" older turns are left out. Look again at what you need again.]");
        lines.forEach(line -> text.append("\n- ").append(line));
        return todos.isEmpty()
                ? text.toString()
                : text.append(TODOS).append(todos).toString();
    }
}
