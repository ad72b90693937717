package io.maestro.secrets.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Finds all keywords of all rules in one pass (Aho-Corasick, as a full table). ASCII letters are alike in both cases, and
 * all characters beyond ASCII are alike: rules look closer. Immutable.
 */
final class KeywordAutomaton {
    private static final int ASCII = 128;

    /** The column of a character; 0 is for those in no keyword, and the last one is for those beyond ASCII. */
    private final int[] columns = new int[ASCII];

    private final int width;

    /** By state and column: the next state's row, negative when keywords end there. */
    private final int[] next;

    /** By state: what ends there. */
    private final KeywordEnd[][] endings;

    private record KeywordEnd(int length, Rule rule) {}

    /** Told of every keyword in a text. */
    interface KeywordListener {
        void found(Rule rule, int start, int end);
    }

    KeywordAutomaton(Collection<Rule> rules) {
        int columnCount = 1;
        for (Rule rule : rules) {
            for (String keyword : rule.keywords()) {
                for (char c : keyword.toCharArray()) {
                    if (c < ASCII && columns[fold(c)] == 0) {
                        columns[fold(c)] = columnCount++;
                    }
                }
            }
        }
        for (char c = 'A'; c <= 'Z'; c++) {
            columns[c] = columns[fold(c)];
        }
        this.width = columnCount + 1;
        Builder builder = new Builder();
        for (Rule rule : rules) {
            rule.keywords().forEach(keyword -> builder.add(keyword, rule));
        }
        builder.link();
        this.next = builder.table();
        this.endings = builder.endings.stream()
                .map(list -> list.toArray(KeywordEnd[]::new))
                .toArray(KeywordEnd[][]::new);
    }

    private static int fold(char c) {
        return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    }

    private int column(char c) {
        return c < ASCII ? columns[c] : width - 1;
    }

    void scan(String text, KeywordListener listener) {
        int row = 0;
        for (int i = 0; i < text.length(); i++) {
            int target = next[row + column(text.charAt(i))];
            if (target < 0) {
                target = ~target;
                for (KeywordEnd ending : endings[target / width]) {
                    listener.found(ending.rule, i + 1 - ending.length, i + 1);
                }
            }
            row = target;
        }
    }

    /** The trie of all keywords, and from it the table. */
    private final class Builder {
        private final List<int[]> children = new ArrayList<>();
        private final List<List<KeywordEnd>> endings = new ArrayList<>();

        Builder() {
            newState();
        }

        private int newState() {
            int[] none = new int[width];
            Arrays.fill(none, -1);
            children.add(none);
            endings.add(new ArrayList<>());
            return children.size() - 1;
        }

        void add(String keyword, Rule rule) {
            int state = 0;
            for (char c : keyword.toCharArray()) {
                int column = column(c);
                if (children.get(state)[column] < 0) {
                    children.get(state)[column] = newState();
                }
                state = children.get(state)[column];
            }
            endings.get(state).add(new KeywordEnd(keyword.length(), rule));
        }

        /** Breadth first: where a keyword cannot go on, the longest suffix that is the beginning of another does. */
        void link() {
            int[] fallback = new int[children.size()];
            int[] queue = new int[children.size()];
            for (int head = 0, tail = 1; head < tail; head++) {
                int state = queue[head];
                int[] row = children.get(state);
                int[] elsewhere = children.get(fallback[state]);
                endings.get(state).addAll(state == 0 ? List.of() : endings.get(fallback[state]));
                for (int column = 0; column < width; column++) {
                    int child = row[column];
                    int suffix = state == 0 ? 0 : elsewhere[column];
                    if (child < 0) {
                        row[column] = suffix;
                    } else {
                        fallback[child] = suffix;
                        queue[tail++] = child;
                    }
                }
            }
        }

        int[] table() {
            int[] rows = new int[children.size()];
            Arrays.setAll(rows, state -> endings.get(state).isEmpty() ? state * width : ~(state * width));
            int[] table = new int[rows.length * width];
            for (int state = 0, at = 0; state < rows.length; state++) {
                for (int child : children.get(state)) {
                    table[at++] = rows[child];
                }
            }
            return table;
        }
    }
}
