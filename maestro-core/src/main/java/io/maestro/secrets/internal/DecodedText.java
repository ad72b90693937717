package io.maestro.secrets.internal;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A text without one layer of what programs put around and into others: the escapes of JSON, of programming languages, of URLs and
 * of XML, the colours of terminals, characters that nobody sees, lines that go on, the line ends in base64. It knows where each
 * of its characters comes from. The rules look at each layer, so that none of them has to know about escapes.
 */
final class DecodedText {
    private static final Map<String, Character> ENTITIES = Map.of(
            "quot", '"', "apos", '\'', "amp", '&', "lt", '<', "gt", '>', "equals", '=', "colon", ':', "nbsp", ' ');

    /** Lines of base64 have so many characters. */
    private static final Set<Integer> WIDTHS = Set.of(48, 60, 64, 70, 72, 76);

    /** Of ASCII: what stands for itself, wherever it is. */
    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char c = 0; c < PLAIN.length; c++) {
            PLAIN[c] = "\\%&\n\u001b\0".indexOf(c) < 0;
        }
    }

    /** Stands for what was left out; no rule finds anything across it. */
    static final char GAP = '\uffff';

    /** So far from a keyword an escape may stand that matters to it; the longest secrets are of one line. */
    static final int BEFORE = 256;

    static final int REACH = 8 * 1024;

    /** So far behind an escape, and up to the end of the line, a text is looked at once more. */
    private static final int BEHIND = 1024;

    private static final int NARROWEST = 48;
    private static final int WIDEST = 160;

    private final char[] decoded;
    private int length;
    private String text = "";
    private final @Nullable DecodedText outer;

    /** Of each place where the two texts do not go on side by side: where it is here, where there, and its width there if it is 1 here. */
    private int[] here = new int[64];

    private int[] there = new int[64];
    private int[] widths = new int[64];
    private int count;

    private DecodedText(int longest, @Nullable DecodedText outer) {
        this.decoded = new char[longest + 1];
        this.outer = outer;
    }

    /** Null when there is nothing to decode. */
    static @Nullable DecodedText of(String text) {
        return decode(text, null);
    }

    /** Without one more layer; null when there is none. */
    @Nullable
    DecodedText again() {
        return decode(text(), this);
    }

    String text() {
        return text;
    }

    /** The same part of the text that was decoded first. */
    SecretSpan source(SecretSpan span) {
        int start = there(span.start(), false);
        int end = there(span.end() - 1, true);
        SecretSpan there = new SecretSpan(start, end, span.rule(), span.certain());
        return outer == null ? there : outer.source(there);
    }

    /** Whether something was decoded in a part of this text; the rest of it was looked at in the layer before. */
    boolean isChanged(int from, int to) {
        int found = Arrays.binarySearch(here, 0, count, from);
        int next = found < 0 ? -found - 1 : found;
        return next < count && here[next] <= to;
    }

    private int there(int place, boolean end) {
        int found = Arrays.binarySearch(here, 0, count, place);
        if (found < 0) {
            found = -found - 2;
        }
        if (found < 0) {
            return place + (end ? 1 : 0);
        }
        boolean escape = widths[found] > 0 && here[found] == place;
        int behind = here[found] + (widths[found] > 0 ? 1 : 0);
        int base = there[found] + widths[found];
        if (escape) {
            return end ? base : there[found];
        }
        return base + place - behind + (end ? 1 : 0);
    }

    /** Leaves out what is far from all that is decoded: it was looked at as it is. Lines stay whole. */
    private void copyNear(String from, int start, int end, boolean last) {
        if (end - start < BEFORE + BEHIND) {
            copy(from, start, end);
            return;
        }
        int head = start == 0 ? 0 : start + BEHIND;
        while (head > 0 && head < end && from.charAt(head - 1) != '\n') {
            head++;
        }
        int tail = last ? end : end - BEFORE;
        while (tail > head && tail < end && from.charAt(tail - 1) != '\n') {
            tail--;
        }
        if (tail <= head) {
            copy(from, start, end);
            return;
        }
        copy(from, start, head);
        note(head, tail - head);
        decoded[length++] = GAP;
        copy(from, tail, end);
    }

    private void copy(String from, int start, int end) {
        from.getChars(start, end, decoded, length);
        length += end - start;
    }

    private void note(int from, int width) {
        if (count > 0 && here[count - 1] == length) {
            count--;
        }
        if (count == here.length) {
            here = Arrays.copyOf(here, 2 * count);
            there = Arrays.copyOf(there, 2 * count);
            widths = Arrays.copyOf(widths, 2 * count);
        }
        here[count] = length;
        there[count] = from;
        widths[count++] = width;
    }

    private static @Nullable DecodedText decode(String text, @Nullable DecodedText outer) {
        DecodedText result = null;
        int copied = 0;
        int line = 0;
        for (int i = 0; i < text.length(); ) {
            char c = text.charAt(i);
            if (c < PLAIN.length && PLAIN[c]) {
                i++;
                continue;
            }
            long step = 0;
            if (c == '\n') {
                if (i - line >= NARROWEST && i - line < WIDEST && isBase64(text, line, i)) {
                    boolean full =
                            WIDTHS.contains(text.substring(line, i).strip().length());
                    step = full ? lineEnd(text, i) : 0;
                }
                line = i + 1;
            } else {
                step = step(text, i);
            }
            if (step == 0) {
                i++;
                continue;
            }
            int width = (int) (step >> 20);
            int character = (int) (step & 0xfffff) - 1;
            if (result == null) {
                result = new DecodedText(text.length(), outer);
            }
            result.copyNear(text, copied, i, false);
            if (character >= 0) {
                result.note(i, width);
                result.decoded[result.length++] = (char) character;
            } else {
                result.note(i + width, 0);
            }
            i += width;
            copied = i;
        }
        if (result != null) {
            result.copyNear(text, copied, text.length(), true);
            result.text = new String(result.decoded, 0, result.length);
        }
        return result;
    }

    private static boolean isBase64(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c > ' ' && !PrivateKeyRule.isBase64(c)) {
                return false;
            }
        }
        return true;
    }

    private static long step(int width, int character) {
        return ((long) width << 20) + character + 1;
    }

    /** How much is left out between two lines of base64. */
    private static long lineEnd(String text, int at) {
        int next = at + 1;
        while (next < text.length() && (text.charAt(next) == ' ' || text.charAt(next) == '\t') && next - at < 40) {
            next++;
        }
        int end = next;
        while (end < text.length() && end - next < 80 && PrivateKeyRule.isBase64(text.charAt(end))) {
            end++;
        }
        boolean line = end > next && (end == text.length() || text.charAt(end) == '\n' || text.charAt(end) == '\r');
        return line ? step(next - at, -1) : 0;
    }

    /** What stands at a place: its width and its character, or none; 0 when it stands for itself. */
    private static long step(String text, int at) {
        char c = text.charAt(at);
        return switch (c) {
            case '\\' -> backslash(text, at);
            case '%' -> {
                int code = hex(text, at + 1, 2);
                yield code < 32 && code != 9 && code != 10 && code != 13 || code > 126 ? 0 : step(3, code);
            }
            case '&' -> entity(text, at);
            case '\u001b' -> colour(text, at);
            // Tags and variation selectors beyond the first 65,536 characters.
            case '\udb40' -> at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1)) ? step(2, -1) : 0;
            default -> isUnseen(c) ? step(1, -1) : 0;
        };
    }

    private static boolean isUnseen(char c) {
        return c == 0
                || c == '\u034f'
                || c >= '\u180b' && c <= '\u180f'
                || c >= '\ufe00' && c <= '\ufe0f'
                || Character.getType(c) == Character.FORMAT;
    }

    private static long backslash(String text, int at) {
        if (at + 1 >= text.length()) {
            return 0;
        }
        char next = text.charAt(at + 1);
        int character = switch (next) {
            case '\\', '"', '\'', '/', '`' -> next;
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            // Not a character of a secret.
            case 'a', 'b', 'f', 'v' -> GAP;
            case 'e' -> text.startsWith("[", at + 2) ? '\u001b' : -1;
            default -> -1;
        };
        if (character >= 0) {
            return step(2, character);
        }
        if (next == '\n') {
            return step(2, -1);
        }
        if (next == '\r' && text.startsWith("\n", at + 2)) {
            return step(3, -1);
        }
        if (next == 'u' && text.startsWith("{", at + 2)) {
            int end = text.indexOf('}', at + 3);
            int code = end < 0 || end - at > 9 ? -1 : hex(text, at + 3, end - at - 3);
            return end == at + 3 || code < 0 || code > 0xffff || Character.isSurrogate((char) code)
                    ? 0
                    : step(end + 1 - at, code);
        }
        if (next == 'U') {
            int code = hex(text, at + 2, 8);
            return code < 0 || code > 0xffff || Character.isSurrogate((char) code) ? 0 : step(10, code);
        }
        if (next == 'u' || next == 'x') {
            int digits = next == 'u' ? 4 : 2;
            int code = hex(text, at + 2, digits);
            return code < 0 || Character.isSurrogate((char) code) ? 0 : step(2 + digits, code);
        }
        return next >= '0' && next <= '7' ? octal(text, at) : 0;
    }

    /** One digit alone may be of a group of a regular expression. */
    private static long octal(String text, int at) {
        int end = at + 1;
        int code = 0;
        while (end < text.length() && end - at < 4 && text.charAt(end) >= '0' && text.charAt(end) <= '7') {
            code = code * 8 + text.charAt(end++) - '0';
        }
        if (end - at < 4) {
            return end - at == 2 && code == 0 ? step(2, GAP) : 0;
        }
        return code == 033 && !text.startsWith("[", end) || code > 0xff ? 0 : step(4, code);
    }

    private static int hex(String text, int at, int digits) {
        if (at + digits > text.length()) {
            return -1;
        }
        int code = 0;
        for (int i = at; i < at + digits; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            code = code * 16 + digit;
        }
        return code;
    }

    private static long entity(String text, int at) {
        int end = at + 1;
        while (end < text.length() && end - at < 9 && text.charAt(end) != ';') {
            end++;
        }
        if (end == text.length() || text.charAt(end) != ';') {
            return 0;
        }
        String name = text.substring(at + 1, end);
        if (!name.startsWith("#")) {
            Character character = ENTITIES.get(name);
            return character == null ? 0 : step(end + 1 - at, character);
        }
        try {
            int code = name.startsWith("#x") || name.startsWith("#X")
                    ? Integer.parseInt(name.substring(2), 16)
                    : Integer.parseInt(name.substring(1));
            return code < 9 || code > 0xd7ff ? 0 : step(end + 1 - at, code);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static long colour(String text, int at) {
        int end = at + 1;
        if (end < text.length() && text.charAt(end) == '[') {
            end++;
            while (end < text.length() && end - at < 32 && "0123456789;:?".indexOf(text.charAt(end)) >= 0) {
                end++;
            }
        }
        return end < text.length() ? step(end + 1 - at, -1) : step(end - at, -1);
    }
}
