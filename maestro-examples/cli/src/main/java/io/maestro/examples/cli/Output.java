package io.maestro.examples.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.regex.Pattern;

/** What is written: JSON for programs, text that cannot command a terminal for people. */
final class Output {
    /** In ASCII: a terminal may obey other characters. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    /** Control and format characters but line breaks and tabs. */
    private static final Pattern COMMANDS = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]");

    private Output() {}

    static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers are JSON", e);
        }
    }

    /** What agents have written. */
    static String safe(String text) {
        return COMMANDS.matcher(text).replaceAll(" ");
    }

    static String line(String text) {
        return safe(text).strip().replaceAll("\\s+", " ");
    }
}
