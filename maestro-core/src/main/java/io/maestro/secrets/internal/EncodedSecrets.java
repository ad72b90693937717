package io.maestro.secrets.internal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds base64 text whose decoded form contains a secret, and redacts all of it. */
final class EncodedSecrets {
    /** The rule's name where the secret inside is not certain; a certain one gives its own. */
    static final String NAME = "encoded-secret";

    private static final int SHORTEST = 20;
    private static final int LONGEST = 64 * 1024;
    private static final int LOOKED_AT = 12;

    /** A secret may stand where two pieces of a long text meet. */
    private static final int OVERLAP = 8 * 1024;

    /** So often all of a run may be decoded: each sign in it may be one before the value. */
    private static final int DECODINGS = 4;

    private EncodedSecrets() {}

    /**
     * Finds them.
     *
     * @param secret the secret that names a text that was encoded; empty where the text holds none
     */
    static List<SecretSpan> in(String text, Function<String, Optional<SecretSpan>> secret) {
        List<SecretSpan> found = new ArrayList<>();
        int behind = 0;
        for (int at = SHORTEST - 1; at < text.length(); at = behind + SHORTEST - 1) {
            // Back to the last character that is none of base64: most runs are short, and most characters are not
            // looked at.
            int start = at + 1;
            while (start > behind && isPart(text.charAt(start - 1))) {
                start--;
            }
            if (start > behind) {
                behind = start;
                continue;
            }
            int end = at + 1;
            while (end < text.length() && isPart(text.charAt(end))) {
                end++;
            }
            // A name and a sign may stand before the value.
            int value = text.substring(start, Math.min(end, start + 80)).indexOf('=') + 1;
            int first = value > 0 && start + value + SHORTEST <= end ? start + value : start;
            SecretSpan one = inRun(text, start, first, end, secret);
            if (one != null) {
                found.add(one);
            }
            behind = end;
        }
        return found;
    }

    /** Tries from the value on, and from behind each sign that may be of a path or a name before it. */
    private static @Nullable SecretSpan inRun(
            String text, int start, int value, int end, Function<String, Optional<SecretSpan>> secret) {
        long left = (long) DECODINGS * (end - start);
        int from = value;
        for (int next = start; left >= 0; next++) {
            if (end - from >= LOOKED_AT && beginsAsText(text, from)) {
                left -= end - from;
                Optional<SecretSpan> inside = inText(text, from, end, secret);
                if (inside.isPresent()) {
                    boolean certain = inside.get().certain();
                    return new SecretSpan(from, end, certain ? inside.get().rule() : NAME, certain);
                }
            }
            while (next < end && !isSign(text.charAt(next))) {
                next++;
            }
            from = next + 1;
            if (end - from < SHORTEST) {
                return null;
            }
        }
        return null;
    }

    private static boolean isSign(char c) {
        return c == '/' || c == '_' || c == '-';
    }

    private static Optional<SecretSpan> inText(
            String text, int from, int end, Function<String, Optional<SecretSpan>> secret) {
        Optional<SecretSpan> found = Optional.empty();
        for (int piece = from; piece < end; piece += LONGEST - OVERLAP) {
            Optional<SecretSpan> inside = encoded(text, piece, end).flatMap(secret);
            if (found.isEmpty() || inside.isPresent() && inside.get().certain()) {
                found = inside;
            }
            if (end - piece <= LONGEST || found.isPresent() && found.get().certain()) {
                break;
            }
        }
        return found;
    }

    /** Whether the first characters are those of a text: most base64 is something else. */
    private static boolean beginsAsText(String text, int from) {
        int bits = 0;
        int more = 0;
        int zeros = 0;
        int marks = 0;
        for (int i = 0; i < LOOKED_AT; i++) {
            int value = value(text.charAt(from + i));
            if (value < 0) {
                return false;
            }
            bits = bits << 6 | value;
            int digit = i % 4;
            if (digit == 0) {
                continue;
            }
            int at = i / 4 * 3 + digit - 1;
            int c = bits >> (6 - 2 * digit) & 0xff;
            if (at == marks && at < 2 && c >= 0xfe) {
                marks++;
                continue;
            }
            // In UTF-16 every second one is zero.
            boolean zeroBefore = at >= marks + 2 && (zeros >> (at - 2) & 1) != 0;
            if (c == 0 ? at >= marks + 2 && !zeroBefore || (zeros >> (at - 1) & 1) != 0 : zeroBefore) {
                return false;
            }
            if (c == 0) {
                zeros |= 1 << at;
                more = 0;
                continue;
            }
            if (more > 0) {
                if (c >> 6 != 2) {
                    return false;
                }
                more--;
            } else if (c >= 0xc2 && c < 0xf5) {
                more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
            } else if (!isText((char) c) && (zeros == 0 || c < 0xa0)) {
                return false;
            }
        }
        return true;
    }

    /** Of a digit of base64; negative when it is none. */
    private static int value(char c) {
        if (c >= 'A' && c <= 'Z') {
            return c - 'A';
        }
        if (c >= 'a' && c <= 'z') {
            return c - 'a' + 26;
        }
        if (c >= '0' && c <= '9') {
            return c - '0' + 52;
        }
        return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
    }

    private static boolean isPart(char c) {
        return PrivateKeyRule.isBase64(c) || c == '-' || c == '_';
    }

    /** A piece of the text that was encoded, in UTF-8 or UTF-16; empty where it was none. */
    private static Optional<String> encoded(String text, int from, int end) {
        int to = Math.min(end, from + LONGEST);
        while (to > from && text.charAt(to - 1) == '=') {
            to--;
        }
        int whole = from + (to - from) / 4 * 4;
        String encoded = text.substring(from, (to - from) % 4 == 1 ? whole : to);
        try {
            byte[] bytes = Base64.getDecoder().decode(encoded.replace('-', '+').replace('_', '/'));
            return Optional.of(new String(bytes, StandardCharsets.UTF_8).replace("\0", ""));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isText(char c) {
        return c <= 126 && (c >= ' ' || c == '\n' || c == '\r' || c == '\t');
    }
}
