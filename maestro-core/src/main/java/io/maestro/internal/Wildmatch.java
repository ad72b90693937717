package io.maestro.internal;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Matches a path against a pattern as git does ({@code wildmatch} with {@code WM_PATHNAME}): {@code *} and {@code ?} stand for
 * what is within one name, {@code **}{@code /} for any number of directories, {@code /**} for all that is inside. The time
 * grows with the length of the pattern times that of the path and not faster: only the last {@code *} of a name and the last
 * {@code **} are ever tried again. Patterns of bytes, as git reads them, are given as {@linkplain RawName raw} text.
 */
public final class Wildmatch {
    private static final int INVALID = -1;

    private final String pattern;
    private final int start;
    private final int end;
    private final String text;
    private final Effort effort;

    /** The pattern goes on here, and the text, when what was tried last does not match; negative: there is no other way. */
    private int starPattern = -1;

    private int starText;
    private int directoriesPattern = -1;
    private int directoriesText;

    private Wildmatch(String pattern, int start, int end, String text, Effort effort) {
        this.pattern = pattern;
        this.start = start;
        this.end = end;
        this.text = text;
        this.effort = effort;
    }

    /** Whether all of a text matches all of a pattern. A pattern that is not valid matches nothing. */
    public static boolean matches(String pattern, String text, Effort effort) {
        return matches(pattern, 0, pattern.length(), text, 0, effort);
    }

    /** Whether a text from some character on matches a part of a pattern. */
    public static boolean matches(String pattern, int start, int end, String text, int from, Effort effort) {
        return new Wildmatch(pattern, start, end, text, effort).run(from);
    }

    private boolean run(int from) {
        int p = start;
        int t = from;
        while (true) {
            effort.spend(1);
            if (p < end && pattern.charAt(p) == '*') {
                int next = p;
                while (next < end && pattern.charAt(next) == '*') {
                    next++;
                }
                boolean directories = next - p > 1
                        && (p == start || pattern.charAt(p - 1) == '/')
                        && (next == end || pattern.charAt(next) == '/' || pattern.startsWith("\\/", next));
                if (next == end) {
                    if (directories || text.indexOf('/', t) < 0) {
                        return true;
                    }
                } else if (directories) {
                    boolean escaped = pattern.charAt(next) == '\\';
                    p = next + (escaped ? 2 : 1);
                    starPattern = -1;
                    directoriesPattern = p;
                    directoriesText = t;
                    if (escaped) {
                        t = text.indexOf('/', t) + 1;
                        if (t == 0) {
                            return false;
                        }
                        directoriesText = t;
                    }
                    continue;
                } else {
                    p = next;
                    starPattern = p;
                    starText = t;
                    continue;
                }
            } else if (p == end && t == text.length()) {
                return true;
            } else if (p < end && t < text.length()) {
                int next = one(p, text.charAt(t));
                if (next == INVALID) {
                    return false;
                }
                if (next > p) {
                    if (text.charAt(t) == '/') {
                        // A name that has matched once will not match in a better way.
                        starPattern = -1;
                    }
                    p = next;
                    t++;
                    continue;
                }
            }
            // It does not match: another way.
            if (starPattern >= 0 && starText < text.length() && text.charAt(starText) != '/') {
                t = ++starText;
                p = starPattern;
                continue;
            }
            int slash = directoriesPattern < 0 ? -1 : text.indexOf('/', directoriesText);
            if (slash < 0) {
                return false;
            }
            effort.spend(slash - directoriesText);
            starPattern = -1;
            t = directoriesText = slash + 1;
            p = directoriesPattern;
        }
    }

    /** Where the pattern goes on behind what stands for one character; the same place when it is not that character. */
    private int one(int p, char c) {
        char wanted = pattern.charAt(p);
        switch (wanted) {
            case '?':
                return c == '/' ? p : p + 1;
            case '[':
                return set(p, c);
            case '\\':
                return p + 1 == end ? INVALID : pattern.charAt(p + 1) == c ? p + 2 : p;
            default:
                return wanted == c ? p + 1 : p;
        }
    }

    private int at(int p) {
        return p < end ? pattern.charAt(p) : INVALID;
    }

    /** {@code [a-z]}, {@code [!a-z]}, {@code [[:digit:]]}. */
    private int set(int open, char c) {
        int p = open + 1;
        boolean negated = at(p) == '!' || at(p) == '^';
        if (negated) {
            p++;
        }
        boolean found = false;
        int before = 0;
        int current = at(p);
        do {
            effort.spend(1);
            if (current == INVALID) {
                return INVALID;
            }
            if (current == '\\') {
                current = at(++p);
                if (current == INVALID) {
                    return INVALID;
                }
                found |= c == current;
            } else if (current == '-' && before != 0 && at(p + 1) != INVALID && at(p + 1) != ']') {
                current = at(++p);
                if (current == '\\') {
                    current = at(++p);
                    if (current == INVALID) {
                        return INVALID;
                    }
                }
                found |= before <= c && c <= current;
                current = 0;
            } else if (current == '[' && at(p + 1) == ':') {
                int close = p + 2;
                while (at(close) != INVALID && at(close) != ']') {
                    close++;
                }
                effort.spend(close - p);
                if (at(close) == INVALID) {
                    return INVALID;
                }
                if (close > p + 2 && pattern.charAt(close - 1) == ':') {
                    IntPredicate type = type(pattern.substring(p + 2, close - 1));
                    if (type == null) {
                        return INVALID;
                    }
                    found |= type.test(c);
                    p = close;
                    current = 0;
                } else {
                    found |= c == '[';
                }
            } else {
                found |= c == current;
            }
            before = current;
            current = at(++p);
        } while (current != ']');
        return found == negated || c == '/' ? open : p + 1;
    }

    /** The types of characters that POSIX names, of ASCII only. */
    private static @Nullable IntPredicate type(String name) {
        return switch (name) {
            case "alnum" -> c -> isLetter(c) || isDigit(c);
            case "alpha" -> Wildmatch::isLetter;
            case "blank" -> c -> c == ' ' || c == '\t';
            case "cntrl" -> c -> c < ' ' || c == 0x7f;
            case "digit" -> Wildmatch::isDigit;
            case "graph" -> Wildmatch::isGraphic;
            case "lower" -> c -> 'a' <= c && c <= 'z';
            case "print" -> c -> c == ' ' || isGraphic(c);
            case "punct" -> c -> isGraphic(c) && !isLetter(c) && !isDigit(c);
            case "space" -> c -> c == ' ' || c == '\t' || c == '\n' || c == '\r';
            case "upper" -> c -> 'A' <= c && c <= 'Z';
            case "xdigit" -> c -> isDigit(c) || 'a' <= (c | 0x20) && (c | 0x20) <= 'f';
            default -> null;
        };
    }

    private static boolean isLetter(int c) {
        return 'a' <= (c | 0x20) && (c | 0x20) <= 'z';
    }

    private static boolean isDigit(int c) {
        return '0' <= c && c <= '9';
    }

    private static boolean isGraphic(int c) {
        return ' ' < c && c < 0x7f;
    }
}
