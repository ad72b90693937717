package io.maestro.builtin.internal;

import java.util.ArrayList;
import java.util.List;

/** Texts of which one is in everything that a regular expression matches; a guess to the safe side, which is none. */
final class RequiredText {
    private RequiredText() {}

    /**
     * The longest text that stands for itself in each alternative, outside of groups and sets; no text at all where an
     * alternative has none, or flags could change it.
     */
    static List<String> of(String regex) {
        if (regex.chars().anyMatch(c -> Character.isSurrogate((char) c))) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        String longest = "";
        StringBuilder run = new StringBuilder();
        int depth = 0;
        for (int at = 0; at < regex.length(); ) {
            char c = regex.charAt(at);
            int next = at + 1;
            boolean itself = false;
            switch (c) {
                case '|' -> {
                    if (depth == 0) {
                        texts.add(longer(longest, run));
                        longest = "";
                        run.setLength(0);
                    }
                }
                case '(' -> {
                    if (regex.startsWith("(?", at) && !regex.startsWith("(?:", at)) {
                        return List.of();
                    }
                    depth++;
                }
                case ')' -> depth--;
                case '[' -> next = endOfSet(regex, at);
                case '\\' -> {
                    next = Math.min(regex.length(), at + 2);
                    char escaped = next > at + 1 ? regex.charAt(at + 1) : 'Q';
                    if (escaped == 'Q'
                            || escaped == 'x'
                            || escaped == 'p'
                            || escaped == 'P'
                            || Character.isDigit(escaped)) {
                        return List.of();
                    }
                    itself = !Character.isLetter(escaped);
                    c = escaped;
                }
                case '{' -> {
                    int end = regex.indexOf('}', at);
                    next = end < 0 ? next : end + 1;
                }
                case '.', '^', '$', '*', '+', '?', '}', ']' -> {}
                default -> itself = true;
            }
            if (itself && depth == 0 && !mayBeLeftOut(regex, next)) {
                run.append(c);
                // What is repeated may stand several times between its neighbours.
                if (next < regex.length() && regex.charAt(next) == '+') {
                    longest = longer(longest, run);
                    run.setLength(0);
                }
            } else {
                longest = longer(longest, run);
                run.setLength(0);
            }
            at = next;
        }
        texts.add(longer(longest, run));
        return texts.contains("") ? List.of() : List.copyOf(texts);
    }

    private static String longer(String longest, StringBuilder run) {
        return run.length() > longest.length() ? run.toString() : longest;
    }

    private static boolean mayBeLeftOut(String regex, int at) {
        return at < regex.length() && "*?{".indexOf(regex.charAt(at)) >= 0;
    }

    private static int endOfSet(String regex, int open) {
        int at = open + 1;
        if (at < regex.length() && regex.charAt(at) == '^') {
            at++;
        }
        // The first character of a set may be its end.
        at++;
        while (at < regex.length() && regex.charAt(at) != ']') {
            if (regex.charAt(at) == '\\') {
                at++;
            } else if (regex.startsWith("[:", at)) {
                int end = regex.indexOf(":]", at);
                at = end < 0 ? at : end + 1;
            }
            at++;
        }
        return Math.min(regex.length(), at + 1);
    }
}
