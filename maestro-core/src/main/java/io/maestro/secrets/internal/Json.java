package io.maestro.secrets.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Keeps JSON valid when parts of it are replaced. */
final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(100_000)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /** Names of values by which a reader knows what an object of a message is. */
    private static final Set<String> FORMS = Set.of("type", "id", "tool_use_id");

    private Json() {}

    /**
     * A part of a text and what comes in its place.
     *
     * @param start its first character
     * @param end after its last character
     * @param text what comes there
     */
    record Replacement(int start, int end, String text) {}

    static boolean isJson(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            boolean any = false;
            while (parser.nextToken() != null) {
                any = true;
            }
            return any;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Fits secrets into the tokens of a JSON text. A string keeps its quotes, and its escapes are replaced whole or not at
     * all; a number that holds a secret becomes a string; what is between the tokens stays. A secret that goes over several
     * strings, as parts of a key may, leaves the names between them and the values that say what an object is.
     *
     * @param json valid JSON
     * @param spans sorted, without overlaps
     */
    static List<Replacement> fit(String json, List<SecretSpan> spans) {
        List<Replacement> fitted = new ArrayList<>();
        int next = 0;
        int at = 0;
        String name = "";
        while (at < json.length() && next < spans.size()) {
            int end = endOfToken(json, at);
            List<SecretSpan> ahead = spans.subList(next, spans.size());
            if (json.charAt(at) == '"') {
                boolean isName = isName(json, end);
                int start = at;
                boolean fromBefore = !isName && !FORMS.contains(name);
                fitString(
                        json,
                        at + 1,
                        end - 1,
                        fromBefore
                                ? ahead
                                : ahead.stream()
                                        .filter(span -> span.start() > start)
                                        .toList(),
                        fitted);
                name = isName ? json.substring(at + 1, end - 1) : "";
            } else if (ahead.get(0).start() < end && isScalar(json.charAt(at))) {
                fitted.add(new Replacement(at, end, '"' + ahead.get(0).mark() + '"'));
            }
            while (next < spans.size() && spans.get(next).end() <= end) {
                next++;
            }
            at = end;
        }
        return fitted;
    }

    private static boolean isName(String json, int end) {
        int at = end;
        while (at < json.length() && Character.isWhitespace(json.charAt(at))) {
            at++;
        }
        return at < json.length() && json.charAt(at) == ':';
    }

    private static void fitString(String json, int from, int to, List<SecretSpan> spans, List<Replacement> fitted) {
        int at = from;
        for (SecretSpan span : spans) {
            if (span.start() >= to) {
                return;
            }
            while (at < to && at + width(json, at) <= span.start()) {
                at += width(json, at);
            }
            int first = at;
            while (at < to && at < span.end()) {
                at += width(json, at);
            }
            if (first < at) {
                fitted.add(new Replacement(first, at, span.mark()));
            }
        }
    }

    static int endOfToken(String json, int start) {
        int at = start + 1;
        if (json.charAt(start) == '"') {
            while (json.charAt(at) != '"') {
                at += width(json, at);
            }
            return at + 1;
        }
        while (isScalar(json.charAt(start)) && at < json.length() && isScalar(json.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Whether a character is of a number, true, false or null. */
    private static boolean isScalar(char c) {
        return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E';
    }

    /** The length of a character in a string, escaped or not. */
    private static int width(String json, int at) {
        if (json.charAt(at) != '\\') {
            return 1;
        }
        return json.charAt(at + 1) == 'u' ? 6 : 2;
    }
}
