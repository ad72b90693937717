package io.maestro.secrets.internal;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * JSON without the clean texts in it: all that is still to be scanned. Only whole strings are left out, and only under names that
 * make no secret of them, so that neither a text that is joined to another one nor one that is called a password is missed.
 */
public final class JsonFrame {
    private static final Set<String> NAMES = Set.of("\"text\"", "\"content\"");

    /** What stands around a key in PEM, which may begin in one text and end in another. */
    private static final String KEY = "PRIVATE KEY";

    private JsonFrame() {}

    /**
     * Leaves clean texts out.
     *
     * @param json any text
     * @param clean texts that need not be scanned
     * @return the same with empty strings in the place of the clean ones; empty when all is to be scanned
     */
    public static Optional<String> of(String json, Set<String> clean) {
        if (clean.stream().anyMatch(text -> text.contains(KEY)) || !Json.isJson(json)) {
            return Optional.empty();
        }
        Set<String> quoted = clean.stream()
                .map(text ->
                        '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"')
                .collect(Collectors.toSet());
        StringBuilder frame = new StringBuilder();
        String before = "";
        boolean named = false;
        int end;
        for (int at = 0; at < json.length(); at = end) {
            end = Json.endOfToken(json, at);
            String token = json.substring(at, end);
            frame.append(named && quoted.contains(token) ? "\"\"" : token);
            if (token.equals(":")) {
                named = NAMES.contains(before);
            } else if (!token.isBlank()) {
                named = false;
                before = token;
            }
        }
        return Optional.of(frame.toString());
    }
}
