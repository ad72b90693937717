package io.maestro.git.internal.rules;

import io.maestro.files.internal.PathPattern;
import io.maestro.internal.RawName;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.attributes.Attribute;
import org.jspecify.annotations.Nullable;

/**
 * A line of {@code .gitattributes}, read as git reads it.
 *
 * @param pattern which files it is about; null for a macro
 * @param macro the name of the macro that it defines; null for a pattern
 * @param attributes what it says, in its order
 */
record AttributeLine(
        @Nullable PathPattern pattern, @Nullable String macro, List<Attribute> attributes) {
    private static final String BLANK = " \t\r\n";
    private static final String MACRO = "[attr]";

    /** Git leaves longer lines out. */
    private static final int LONGEST = 2047;

    /**
     * Reads a line.
     *
     * @param line raw, without its end
     * @param root whether the file is in the root, where alone macros may be defined
     * @return null when it is empty, a comment, or not valid
     */
    static @Nullable AttributeLine of(String line, boolean root) {
        int start = blanks(line, 0);
        if (start == line.length() || line.charAt(start) == '#' || line.length() > LONGEST) {
            return null;
        }
        Quoted quoted = line.charAt(start) == '"' ? unquote(line, start) : null;
        int end = quoted == null ? word(line, start) : quoted.end();
        String name = quoted == null ? line.substring(start, end) : quoted.text();
        List<Attribute> attributes = new ArrayList<>();
        String macro = null;
        if (name.length() > MACRO.length() && name.startsWith(MACRO)) {
            macro = name.substring(MACRO.length());
            macro = macro.substring(blanks(macro, 0));
            macro = macro.substring(0, word(macro, 0));
            if (!root || !isName(macro)) {
                return null;
            }
        }
        for (int at = blanks(line, end); at < line.length(); ) {
            int next = word(line, at);
            Attribute attribute = attribute(line.substring(at, next));
            if (attribute == null) {
                return null;
            }
            attributes.add(attribute);
            at = blanks(line, next);
        }
        if (macro != null) {
            return new AttributeLine(null, macro, attributes);
        }
        PathPattern pattern = PathPattern.of(name);
        return pattern.negative() ? null : new AttributeLine(pattern, null, attributes);
    }

    /** Null when it is not valid. */
    private static @Nullable Attribute attribute(String word) {
        char first = word.charAt(0);
        boolean prefixed = first == '-' || first == '!';
        int equals = word.indexOf('=');
        String name = word.substring(prefixed ? 1 : 0, equals < 0 ? word.length() : Math.max(equals, prefixed ? 1 : 0));
        if (!isName(name)) {
            return null;
        }
        if (prefixed) {
            return new Attribute(name, first == '-' ? Attribute.State.UNSET : Attribute.State.UNSPECIFIED);
        }
        return equals < 0
                ? new Attribute(name, Attribute.State.SET)
                : new Attribute(name, RawName.text(word.substring(equals + 1)));
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && name.charAt(0) != '-'
                && name.chars()
                        .allMatch(c -> '0' <= c && c <= '9'
                                || 'a' <= (c | 0x20) && (c | 0x20) <= 'z'
                                || c == '-'
                                || c == '_'
                                || c == '.');
    }

    private static int blanks(String line, int from) {
        int at = from;
        while (at < line.length() && BLANK.indexOf(line.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    private static int word(String line, int from) {
        int at = from;
        while (at < line.length() && BLANK.indexOf(line.charAt(at)) < 0) {
            at++;
        }
        return at;
    }

    private record Quoted(String text, int end) {}

    /** A pattern in quotes, as in C; null when it is none, and is taken as it stands. */
    private static @Nullable Quoted unquote(String line, int open) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int at = open + 1; at < line.length(); at++) {
            char c = line.charAt(at);
            if (c == '"') {
                return new Quoted(RawName.of(text.toByteArray()), at + 1);
            }
            if (c != '\\') {
                text.write(c);
                continue;
            }
            if (++at == line.length()) {
                return null;
            }
            char escaped = line.charAt(at);
            int simple = "abfnrtv\\\"".indexOf(escaped);
            if (simple >= 0) {
                text.write("\u0007\b\f\n\r\t\u000b\\\"".charAt(simple));
            } else if ('0' <= escaped && escaped <= '3' && octal(line, at + 1) && octal(line, at + 2)) {
                text.write(Integer.parseInt(line, at, at + 3, 8));
                at += 2;
            } else {
                return null;
            }
        }
        return null;
    }

    private static boolean octal(String line, int at) {
        return at < line.length() && '0' <= line.charAt(at) && line.charAt(at) <= '7';
    }
}
