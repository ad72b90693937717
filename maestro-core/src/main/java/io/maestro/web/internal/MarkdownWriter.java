package io.maestro.web.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Writes Markdown. Breaks, spaces and marks are written when text follows them, so that none stand at an end or around nothing. For
 * one thread.
 */
final class MarkdownWriter {
    /** What is longer is cut. */
    static final int MOST = 4_000_000;

    /** Deeper levels are written as if they were this deep: otherwise the text could be a thousand times as long as the page. */
    private static final int DEEPEST = 12;

    private static final int LONGEST_FENCE = 20;

    private final StringBuilder out = new StringBuilder();
    private final List<Prefix> prefixes = new ArrayList<>();
    private final Deque<PendingMark> marks = new ArrayDeque<>();
    private int breaks;
    private boolean space;
    private boolean inCell;
    private int waiting;

    /** What lines begin with. */
    private static final class Prefix {
        private final String first;
        private final String others;
        private boolean used;

        Prefix(String first, String others) {
            this.first = first;
            this.others = others;
        }
    }

    /** A mark before a text; written when the text comes. */
    private static final class PendingMark {
        private final String text;
        private boolean written;

        PendingMark(String text) {
            this.text = text;
        }
    }

    boolean isFull() {
        return out.length() >= MOST;
    }

    /** Text in which any white space is one space. */
    void text(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isWhitespace(c) || c == '\u00a0') {
                space = true;
            } else {
                begin();
                if (inCell && c == '|') {
                    out.append('\\');
                }
                out.append(c);
            }
        }
    }

    /** A paragraph ends, or begins. */
    void block() {
        due(2);
    }

    /** A line ends, or begins. */
    void line() {
        due(1);
    }

    private void due(int count) {
        if (inCell) {
            space = true;
        } else {
            breaks = Math.max(breaks, count);
        }
    }

    /** From the next text on lines begin with this. */
    void indent(String first, String others) {
        prefixes.add(prefixes.size() < DEEPEST ? new Prefix(first, others) : new Prefix("", ""));
    }

    void outdent() {
        prefixes.remove(prefixes.size() - 1);
    }

    /** Marks the text that follows. */
    void open(String mark) {
        marks.push(new PendingMark(mark));
        waiting++;
    }

    /** Ends the text that was marked last; one without text leaves nothing. */
    void close(String mark) {
        if (marks.pop().written) {
            out.append(mark);
        } else {
            waiting--;
        }
    }

    /** Lines of code, as they are. */
    void code(String code, String language) {
        String fence = "`".repeat(Math.max(3, Math.min(longestRun(code) + 1, LONGEST_FENCE)));
        block();
        text(fence + language);
        for (String line : code.stripTrailing().split("\n", -1)) {
            if (isFull()) {
                return;
            }
            newLine();
            out.append(line);
        }
        newLine();
        out.append(fence);
        block();
    }

    private static int longestRun(String code) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < code.length(); i++) {
            run = code.charAt(i) == '`' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    void beginRow() {
        line();
        text("|");
    }

    void beginCell() {
        inCell = true;
        space = true;
    }

    void endCell() {
        inCell = false;
        out.append(" |");
        space = false;
    }

    /** The line below the first row. */
    void headOf(int cells) {
        line();
        text("|" + "---|".repeat(cells));
    }

    private void begin() {
        if (breaks > 0 || out.length() == 0) {
            if (out.length() > 0) {
                for (int i = 1; i < breaks; i++) {
                    out.append('\n');
                    quotes();
                }
                newLine();
            } else {
                prefixes.forEach(this::write);
            }
            breaks = 0;
        } else if (space) {
            out.append(' ');
        }
        space = false;
        if (waiting > 0) {
            marks.descendingIterator().forEachRemaining(mark -> {
                if (!mark.written) {
                    out.append(mark.text);
                    mark.written = true;
                }
            });
            waiting = 0;
        }
    }

    private void newLine() {
        out.append('\n');
        prefixes.forEach(this::write);
    }

    /** What an empty line in a quotation has. */
    private void quotes() {
        StringBuilder line = new StringBuilder();
        prefixes.stream().filter(prefix -> prefix.used).forEach(prefix -> line.append(prefix.others));
        out.append(line.toString().stripTrailing());
    }

    private void write(Prefix prefix) {
        out.append(prefix.used ? prefix.others : prefix.first);
        prefix.used = true;
    }

    /** What was written. */
    String result() {
        return out.length() <= MOST ? out.toString() : out.substring(0, MOST);
    }
}
