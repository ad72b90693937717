package io.maestro.claude.internal.stream;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Finds the value of the first key of an object where it is a plain string, without a parser. Not safe for several threads. */
final class LineType {
    private static final byte[] TYPE = "\"type\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SUBTYPE = "\"subtype\"".getBytes(StandardCharsets.US_ASCII);

    private final byte[] buffer;
    private final int to;
    private int at;

    private LineType(byte[] buffer, int from, int to) {
        this.buffer = buffer;
        this.at = from;
        this.to = to;
    }

    /** The beginning of an object whose first keys are type and subtype, as the CLI writes it; null when it is another. */
    static @Nullable Head read(byte[] buffer, int from, int to) {
        LineType scan = new LineType(buffer, from, to);
        if (!scan.take('{') || !scan.take(TYPE) || !scan.take(':')) {
            return null;
        }
        String type = scan.word();
        if (type == null) {
            return null;
        }
        String subtype = null;
        if (scan.take(',') && scan.take(SUBTYPE) && scan.take(':')) {
            subtype = scan.word();
        }
        return new Head(type, subtype);
    }

    /** What the object is; the subtype is null where it does not stand second. */
    record Head(String type, @Nullable String subtype) {}

    private void skipBlanks() {
        while (at < to && (buffer[at] == ' ' || buffer[at] == '\t' || buffer[at] == '\r')) {
            at++;
        }
    }

    private boolean take(char c) {
        skipBlanks();
        if (at < to && buffer[at] == c) {
            at++;
            return true;
        }
        return false;
    }

    private boolean take(byte[] key) {
        skipBlanks();
        if (to - at >= key.length && Arrays.equals(buffer, at, at + key.length, key, 0, key.length)) {
            at += key.length;
            return true;
        }
        return false;
    }

    /** A string of letters, digits and underlines. */
    private @Nullable String word() {
        if (!take('"')) {
            return null;
        }
        int start = at;
        while (at < to && isPlain(buffer[at])) {
            at++;
        }
        if (at == to || buffer[at] != '"') {
            return null;
        }
        return new String(buffer, start, at++ - start, StandardCharsets.US_ASCII);
    }

    private static boolean isPlain(byte b) {
        return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_';
    }
}
