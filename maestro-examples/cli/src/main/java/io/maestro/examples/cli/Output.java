package io.maestro.examples.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** What is written: JSON for programs, text that cannot command a terminal for people. */
final class Output {
    /** In ASCII: a terminal may obey other characters. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    /** What a terminal obeys or nobody sees: the list of Maestro's own {@code HiddenCharacters}, which is not for others. */
    private static final Pattern HIDDEN =
            Pattern.compile("(?!(?<=\\p{So})\\x{fe0f})[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\x{34f}"
                    + "\\x{115f}\\x{1160}\\x{17b4}\\x{17b5}\\x{180b}-\\x{180f}\\x{2065}\\x{2800}\\x{3164}\\x{fe00}-\\x{fe0f}"
                    + "\\x{ffa0}\\x{fff0}-\\x{fff8}\\x{16fe4}\\x{1d159}\\x{e0000}-\\x{e0fff}&&[^\\n\\t]]");

    private Output() {}

    static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers are JSON", e);
        }
    }

    /** A text of a JSON object; empty when it has none of that name. */
    static Optional<String> text(String json, String name) {
        try {
            return Optional.ofNullable(JSON.readTree(json).path(name).asText(null));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + json, e);
        }
    }

    /** What agents have written, with codes for hidden characters. */
    static String safe(String text) {
        return HIDDEN.matcher(text.replace("\r\n", "\n"))
                .replaceAll(found ->
                        String.format(Locale.ROOT, "\\\\u%04x", found.group().codePointAt(0)));
    }

    static String line(String text) {
        return safe(text).strip().replaceAll("\\s+", " ");
    }
}
