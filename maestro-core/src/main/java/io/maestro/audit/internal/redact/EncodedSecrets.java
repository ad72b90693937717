package io.maestro.audit.internal.redact;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Finds base64 text whose decoded form contains a secret, and redacts all of it. */
final class EncodedSecrets {
    /** The rule's name where the secret inside is not certain; a certain one gives its own. */
    static final String NAME = "encoded-secret";

    private static final int SHORTEST = 20;
    private static final int LONGEST = 64 * 1024;
    private static final int LOOKED_AT = 12;

    private EncodedSecrets() {}

    /**
     * Finds them.
     *
     * @param secret the secret that names a text that was encoded; empty where the text holds none
     */
    static List<Span> in(String text, Function<String, Optional<Span>> secret) {
        List<Span> found = new ArrayList<>();
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
            int to = end;
            encoded(text, first, end)
                    .flatMap(secret)
                    .ifPresent(inside ->
                            found.add(new Span(first, to, inside.certain() ? inside.rule() : NAME, inside.certain())));
            behind = end;
        }
        return found;
    }

    /** Whether the first characters are those of a text: most base64 is something else. */
    private static boolean beginsAsText(String text, int from) {
        int bits = 0;
        for (int i = 0; i < LOOKED_AT; i++) {
            int value = value(text.charAt(from + i));
            if (value < 0) {
                return false;
            }
            bits = bits << 6 | value;
            int digit = i % 4;
            if (digit > 0 && !isText((char) (bits >> (6 - 2 * digit) & 0xff))) {
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

    /** The text that was encoded; empty where it was none. */
    private static Optional<String> encoded(String text, int from, int end) {
        int to = Math.min(end, from + LONGEST);
        while (to > from && text.charAt(to - 1) == '=') {
            to--;
        }
        if (to - from < LOOKED_AT || !beginsAsText(text, from)) {
            return Optional.empty();
        }
        int whole = from + (to - from) / 4 * 4;
        String plain = decoded(text.substring(from, (to - from) % 4 == 1 ? whole : to));
        return Optional.of(plain).filter(EncodedSecrets::isText);
    }

    private static String decoded(String encoded) {
        try {
            byte[] bytes = Base64.getDecoder().decode(encoded.replace('-', '+').replace('_', '/'));
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return "\0";
        }
    }

    private static boolean isText(String plain) {
        for (int i = 0; i < plain.length(); i++) {
            if (!isText(plain.charAt(i))) {
                return false;
            }
        }
        return !plain.isEmpty();
    }

    private static boolean isText(char c) {
        return c <= 126 && (c >= ' ' || c == '\n' || c == '\r' || c == '\t');
    }
}
