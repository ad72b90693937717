package io.maestro.secrets.internal;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One way to write a secret whose value is known.
 *
 * @param certain whether the value is no plain word, which may stand anywhere
 */
record KnownSecret(String text, boolean certain) implements Rule {
    static final String NAME = "known-secret";

    /** Enough to be rare, and little enough that many long secrets make no large table. */
    private static final int KEYWORD = 16;

    /** JSON in JSON in JSON, as when a tool that prints JSON answers a model. */
    private static final int JSON_DEPTH = 3;

    /** Shorter lines of a long secret are not secret by themselves. */
    private static final int LINE = 16;

    /**
     * All ways to write a value: as it is, in JSON, in JSON in JSON, in URLs, in quotes of shells, SQL and CSV, in hex,
     * in base64 wherever it begins, and each longer line of it by itself. {@link DecodedText} does the rest.
     */
    static List<KnownSecret> of(String value) {
        Set<String> ways = new LinkedHashSet<>();
        addWays(ways, value);
        if (value.contains("\n")) {
            addWays(ways, value.replace("\r", "").replace("\n", "\r\n"));
            addWays(ways, value.replace("\r", ""));
            value.lines()
                    .map(String::strip)
                    .filter(line -> line.length() >= LINE && !line.startsWith("-----"))
                    .forEach(line -> addWays(ways, line));
        }
        boolean certain = TokenForm.isCertain(NAME, value);
        return ways.stream().map(way -> new KnownSecret(way, certain)).toList();
    }

    private static void addWays(Set<String> ways, String value) {
        ways.add(value);
        for (JsonEscapes escapes : JsonEscapes.values()) {
            String escaped = value;
            for (int depth = 0; depth < JSON_DEPTH; depth++) {
                escaped = escapes.escape(escaped);
                ways.add(escaped);
            }
        }
        // As in a shell, in SQL, in CSV.
        ways.add(value.replace("'", "'\\''"));
        ways.add(value.replace("'", "''"));
        ways.add(value.replace("\"", "\"\""));
        String url = URLEncoder.encode(value, StandardCharsets.UTF_8);
        for (String way : List.of(url, url.replace("+", "%20"), percentAll(value))) {
            ways.add(way);
            ways.add(lowerCaseHex(way));
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        String hex = HexFormat.of().formatHex(bytes);
        ways.add(hex);
        ways.add(hex.toUpperCase(Locale.ROOT));
        for (int offset = 0; offset < 3; offset++) {
            String encoded = base64(bytes, offset);
            ways.add(encoded);
            ways.add(encoded.replace('+', '-').replace('/', '_'));
        }
    }

    /** What base64 makes of the bytes when some others stand before and after them: the characters that depend on no others. */
    private static String base64(byte[] bytes, int before) {
        byte[] shifted = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, shifted, before, bytes.length);
        String encoded = Base64.getEncoder().withoutPadding().encodeToString(shifted);
        int first = (before * 8 + 5) / 6;
        int last = shifted.length * 8 / 6;
        return encoded.substring(first, last);
    }

    /** Like URLEncoder, but leaves the characters that browsers and curl leave. */
    private static String percentAll(String value) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 128 && (Character.isLetterOrDigit(c) || "-._~".indexOf(c) >= 0);
            encoded.append(plain ? String.valueOf(c) : String.format(Locale.ROOT, "%%%02X", (int) c));
        }
        return encoded.toString();
    }

    private static String lowerCaseHex(String encoded) {
        StringBuilder lower = new StringBuilder(encoded);
        for (int i = encoded.indexOf('%'); i >= 0 && i + 3 <= encoded.length(); i = encoded.indexOf('%', i + 3)) {
            lower.replace(i, i + 3, encoded.substring(i, i + 3).toLowerCase(Locale.ROOT));
        }
        return lower.toString();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> keywords() {
        return List.of(text.substring(0, Math.min(KEYWORD, text.length())));
    }

    @Override
    public boolean isCertain(String found) {
        return certain;
    }

    @Override
    public @Nullable SecretSpan match(MeteredText in, int start, int end) {
        in.charge(text.length());
        return in.toString().startsWith(text, start) ? new SecretSpan(start, start + text.length(), NAME) : null;
    }

    /** Where the end of the text begins to be this; the text's length when it does not. */
    int beginsIn(String in) {
        for (int at = Math.max(0, in.length() - text.length() + 1); at < in.length(); at++) {
            if (text.regionMatches(0, in, at, in.length() - at)) {
                return at;
            }
        }
        return in.length();
    }

    /** Not the value. */
    @Override
    public String toString() {
        return "KnownSecret of " + text.length() + " characters";
    }

    /** The ways in which JSON libraries escape a text. */
    private enum JsonEscapes {
        /** Only what must be: JavaScript. */
        LEAST,
        /** The same with capitals in codes: Jackson. */
        CAPITALS,
        /** The slash, too: PHP. */
        SLASH,
        /** What browsers might take for HTML, too: Go, Gson. */
        HTML,
        /** All beyond ASCII, too: Python. */
        ASCII;

        String escape(String value) {
            StringBuilder escaped = new StringBuilder();
            for (char c : value.toCharArray()) {
                escaped.append(escape(c));
            }
            return escaped.toString();
        }

        private String escape(char c) {
            return switch (c) {
                case '"' -> "\\\"";
                case '\\' -> "\\\\";
                case '\n' -> "\\n";
                case '\r' -> "\\r";
                case '\t' -> "\\t";
                case '\b' -> "\\b";
                case '\f' -> "\\f";
                case '/' -> this == SLASH ? "\\/" : "/";
                case '<', '>', '&' -> this == HTML ? unicode(c) : String.valueOf(c);
                default -> c < ' ' || this == ASCII && c > '~' ? unicode(c) : String.valueOf(c);
            };
        }

        private String unicode(char c) {
            return String.format(Locale.ROOT, this == CAPITALS ? "\\u%04X" : "\\u%04x", (int) c);
        }
    }
}
