package io.maestro.docker.internal.sandbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds which keys a TOML file has, and leaves the values: enough to know what a {@code pyproject.toml} declares. Reads as far as
 * it understands; what stands behind a mistake is not found. For one use.
 */
final class TomlKeys {
    private static final int DEEPEST = 20;
    private static final int LONGEST_KEY = 16;

    private final String text;
    private final Set<List<String>> keys = new HashSet<>();
    private int at;

    private TomlKeys(String text) {
        this.text = text;
    }

    /** The paths of all tables and keys in lower case; the elements of an array have the key {@code []}. */
    static Set<List<String>> of(String text) {
        TomlKeys reader = new TomlKeys(text);
        reader.readDocument();
        return Set.copyOf(reader.keys);
    }

    private void readDocument() {
        List<String> table = List.of();
        while (skipToContent()) {
            if (take('[')) {
                boolean isArray = take('[');
                List<String> name = key(List.of());
                if (name == null || !take(']') || isArray && !take(']')) {
                    return;
                }
                keys.add(name);
                table = name;
            } else if (!pair(table, 0)) {
                return;
            }
        }
    }

    private boolean pair(List<String> table, int depth) {
        List<String> key = key(table);
        if (key == null || !take('=')) {
            return false;
        }
        keys.add(key);
        skipBlanks();
        return value(key, depth);
    }

    /** A key with its table; null when there is none, or one that is too long. Blanks behind it are skipped. */
    private @Nullable List<String> key(List<String> table) {
        List<String> key = new ArrayList<>(table);
        do {
            skipBlanks();
            int start = at;
            boolean isQuoted = at < text.length() && (text.charAt(at) == '"' || text.charAt(at) == '\'');
            if (isQuoted) {
                if (!string()) {
                    return null;
                }
            } else {
                while (at < text.length() && isBare(text.charAt(at))) {
                    at++;
                }
            }
            String part = isQuoted ? text.substring(start + 1, at - 1) : text.substring(start, at);
            key.add(part.toLowerCase(Locale.ROOT));
            if (!isQuoted && part.isEmpty() || key.size() > LONGEST_KEY) {
                return null;
            }
            skipBlanks();
        } while (take('.'));
        return List.copyOf(key);
    }

    private boolean value(List<String> key, int depth) {
        if (depth > DEEPEST || at == text.length()) {
            return false;
        }
        return switch (text.charAt(at)) {
            case '"', '\'' -> string();
            case '[' -> elements(']', key, depth);
            case '{' -> elements('}', key, depth);
            default -> {
                int start = at;
                while (at < text.length() && ",]}#\r\n".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
                yield at > start;
            }
        };
    }

    private boolean elements(char end, List<String> key, int depth) {
        List<String> element = Stream.concat(key.stream(), Stream.of("[]")).toList();
        at++;
        while (skipToContent()) {
            if (take(end)) {
                return true;
            }
            if (!take(',') && !(end == '}' ? pair(key, depth + 1) : value(element, depth + 1))) {
                return false;
            }
        }
        return false;
    }

    private boolean string() {
        String quote = text.substring(at, at + 1);
        boolean isLong = text.startsWith(quote.repeat(3), at);
        String end = isLong ? quote.repeat(3) : quote;
        at += end.length();
        while (at < text.length()) {
            if (text.startsWith(end, at)) {
                at += end.length();
                // Quotes just before the end belong to the text.
                while (isLong && text.startsWith(quote, at)) {
                    at++;
                }
                return true;
            }
            if (!isLong && text.charAt(at) == '\n') {
                return false;
            }
            at += quote.equals("\"") && text.charAt(at) == '\\' ? 2 : 1;
        }
        at = text.length();
        return false;
    }

    private static boolean isBare(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-';
    }

    private boolean take(char c) {
        boolean isThere = at < text.length() && text.charAt(at) == c;
        if (isThere) {
            at++;
        }
        return isThere;
    }

    private void skipBlanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    /** Over white space, line breaks and comments; false at the end. */
    private boolean skipToContent() {
        while (at < text.length()) {
            if (text.charAt(at) == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (Character.isWhitespace(text.charAt(at))) {
                at++;
            } else {
                return true;
            }
        }
        return false;
    }
}
