package io.maestro.instructions.internal;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The two fields of a {@code SKILL.md} that agents are shown before they read it. They stand in lines that look like YAML; nothing
 * else of YAML is understood, so that nothing is included, expanded or made.
 *
 * @param name empty when there is none
 * @param description one line; empty when there is none
 */
record FrontMatter(String name, String description) {
    private static final int MOST_LINES = 200;
    private static final int MOST_CHARACTERS = 16_000;
    private static final Pattern FIELD = Pattern.compile("(name|description):(?:\\s(.*))?");
    private static final Pattern BLOCK = Pattern.compile("[|>][-+0-9]{0,2}\\s*(?:#.*)?");
    private static final String RULE = "---";

    /**
     * Reads the beginning of a file.
     *
     * @throws IllegalArgumentException when it has no such lines, or a field is no plain text; the message says what is wrong
     */
    static FrontMatter read(String file) {
        List<String> lines = file.substring(0, Math.min(file.length(), MOST_CHARACTERS))
                .lines()
                .limit(MOST_LINES)
                .map(String::stripTrailing)
                .toList();
        if (lines.isEmpty() || !lines.get(0).equals(RULE)) {
            throw new IllegalArgumentException("it does not begin with a line " + RULE);
        }
        int end = lines.subList(1, lines.size()).indexOf(RULE) + 1;
        if (end == 0) {
            throw new IllegalArgumentException("its front matter has no end within " + MOST_LINES + " lines and "
                    + MOST_CHARACTERS + " characters");
        }
        Map<String, String> fields = new TreeMap<>();
        for (int i = 1; i < end; i++) {
            Matcher field = FIELD.matcher(lines.get(i));
            if (field.matches()) {
                int next = i + 1;
                while (next < end && isContinued(lines.get(next))) {
                    next++;
                }
                String value = field.group(2) == null ? "" : field.group(2).strip();
                fields.putIfAbsent(field.group(1), value(field.group(1), value, lines.subList(i + 1, next)));
            }
        }
        return new FrontMatter(fields.getOrDefault("name", ""), fields.getOrDefault("description", ""));
    }

    private static boolean isContinued(String line) {
        return line.isEmpty() || line.charAt(0) == ' ' || line.charAt(0) == '\t';
    }

    private static String value(String field, String first, List<String> more) {
        String rest = String.join(" ", more);
        if (BLOCK.matcher(first).matches()) {
            return line(rest);
        }
        String all = line(first + " " + rest);
        if (all.startsWith("\"") || all.startsWith("'")) {
            return quoted(field, all);
        }
        if (!all.isEmpty() && "&*!{[%@`|>".indexOf(all.charAt(0)) >= 0) {
            throw new IllegalArgumentException("its " + field + " is no plain text");
        }
        int comment = all.indexOf(" #");
        return comment < 0 ? all : all.substring(0, comment).strip();
    }

    private static String quoted(String field, String text) {
        char quote = text.charAt(0);
        StringBuilder value = new StringBuilder();
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean followed = i + 1 < text.length();
            if (c == quote && !(quote == '\'' && followed && text.charAt(i + 1) == quote)) {
                return line(value.toString());
            }
            if (c == quote || c == '\\' && quote == '"' && followed) {
                i++;
                c = text.charAt(i) == 'n' && quote == '"' ? ' ' : text.charAt(i);
            }
            value.append(c);
        }
        throw new IllegalArgumentException("its " + field + " begins with " + quote + " and does not end with it");
    }

    /** On one line, and without characters that nobody sees. */
    private static String line(String text) {
        return text.replaceAll("[\\p{Cntrl}\\s]+", " ")
                .replaceAll("\\p{Cf}+", "")
                .strip();
    }
}
