package io.maestro.project.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The simple commands of a line for {@code sh}, as far as they can be read without running it: quotes, comments, redirections
 * and operators are known, and nothing is expanded. What follows a here-document is not read.
 */
final class ShellLine {
    /**
     * A word.
     *
     * @param text without quotes
     * @param plain false where the shell expands something in it
     */
    record Word(String text, boolean plain) {
        /** Whether a program may stand behind it. */
        boolean isBefore() {
            return isAssignment() || BEFORE.contains(text);
        }

        private boolean isAssignment() {
            return text.matches("(?s)[A-Za-z_][A-Za-z0-9_]*+=.*");
        }
    }

    /** Separate commands when several of them stand together, too. */
    private static final String OPERATORS = ";&|\n()";

    /** What has programs that only running the line tells: conditions, other places to find programs, and functions. */
    private static final Set<String> DECIDES = Set.of(
            ".",
            "[",
            "[[",
            "alias",
            "case",
            "command",
            "eval",
            "for",
            "function",
            "hash",
            "if",
            "source",
            "test",
            "type",
            "until",
            "which",
            "while");

    /** Stand before a program. */
    private static final Set<String> BEFORE = Set.of("!", "{", "exec");

    private final String line;
    private final List<List<Word>> commands = new ArrayList<>();
    private List<Word> command = new ArrayList<>();
    private @Nullable StringBuilder word;
    private boolean wordIsPlain = true;
    private boolean wordIsTarget;
    private boolean alternatives;
    private boolean functions;
    private int at;

    ShellLine(String line) {
        this.line = line.replace("\\\n", "");
        read();
    }

    /** In their order; one that is empty is left out. */
    List<List<Word>> commands() {
        return commands;
    }

    /** Whether the line has nothing that the shell would run: it is blank, a comment, or sets variables alone. */
    boolean isEmpty() {
        return commands.stream().allMatch(one -> one.stream().allMatch(Word::isAssignment));
    }

    /** Whether one command runs only where another has failed. */
    boolean hasAlternatives() {
        return alternatives;
    }

    /** Whether each of its programs is run and is looked for where it was before: no condition, path or function changes that. */
    boolean isStraight() {
        return !functions
                && commands.stream()
                        .noneMatch(
                                one -> one.stream().anyMatch(word -> word.text().startsWith("PATH="))
                                        || one.stream()
                                                .dropWhile(Word::isBefore)
                                                .limit(1)
                                                .anyMatch(word -> DECIDES.contains(word.text())));
    }

    private void read() {
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c == '\\') {
                begin().append(at < line.length() ? line.charAt(at++) : c);
            } else if (c == '\'') {
                int end = end("'");
                begin().append(line, at, end);
                at = Math.min(line.length(), end + 1);
            } else if (c == '"') {
                quoted();
            } else if (c == '$' || c == '`') {
                expansion(c);
            } else if (c == '#' && word == null) {
                at = end("\n");
            } else if (c == '<' || c == '>') {
                if (line.startsWith("<", at) && c == '<') {
                    break;
                }
                redirection();
            } else if (OPERATORS.indexOf(c) >= 0) {
                operator(c);
            } else if (Character.isWhitespace(c)) {
                endWord();
            } else {
                wordIsPlain &= "*?[~".indexOf(c) < 0 || c == '[' && word == null;
                begin().append(c);
            }
        }
        endCommand();
    }

    private int end(String mark) {
        int end = line.indexOf(mark, at);
        return end < 0 ? line.length() : end;
    }

    private StringBuilder begin() {
        if (word == null) {
            word = new StringBuilder();
        }
        return word;
    }

    private void quoted() {
        StringBuilder text = begin();
        while (at < line.length() && line.charAt(at) != '"') {
            char c = line.charAt(at++);
            if (c == '\\' && at < line.length() && "\"\\$`".indexOf(line.charAt(at)) >= 0) {
                text.append(line.charAt(at++));
            } else if (c == '$' || c == '`') {
                expansion(c);
            } else {
                text.append(c);
            }
        }
        at++;
    }

    /** Is kept as it is. */
    private void expansion(char mark) {
        int from = at - 1;
        wordIsPlain = false;
        if (mark == '`') {
            at = Math.min(line.length(), end("`") + 1);
        } else if (line.startsWith("(", at) || line.startsWith("{", at)) {
            char open = line.charAt(at);
            char close = open == '(' ? ')' : '}';
            int depth = 0;
            do {
                char c = line.charAt(at++);
                depth += c == open ? 1 : c == close ? -1 : 0;
            } while (depth > 0 && at < line.length());
        }
        begin().append(line, from, at);
    }

    /** The file, or the number of another stream, is no word of the command. */
    private void redirection() {
        if (word != null && word.toString().matches("\\d+")) {
            word = null;
        }
        endWord();
        while (at < line.length() && ">&|".indexOf(line.charAt(at)) >= 0) {
            at++;
        }
        wordIsTarget = true;
    }

    private void operator(char c) {
        if (c == '&' && line.startsWith(">", at)) {
            endWord();
            return;
        }
        if (c == '|' && line.startsWith("|", at)) {
            alternatives = true;
        }
        functions |= c == '(' && (word != null || !command.isEmpty());
        endCommand();
    }

    private void endWord() {
        if (word != null) {
            if (!wordIsTarget) {
                command.add(new Word(word.toString(), wordIsPlain));
            }
            wordIsTarget = false;
            word = null;
            wordIsPlain = true;
        }
    }

    private void endCommand() {
        endWord();
        wordIsTarget = false;
        if (!command.isEmpty()) {
            commands.add(command);
            command = new ArrayList<>();
        }
    }
}
