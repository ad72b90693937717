package io.maestro.schema.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the arguments of a call, strictly: what two readers could understand in two ways is refused. */
public final class InputReader {
    /** How long an input may be, in characters. */
    public static final int MOST_CHARACTERS = 1024 * 1024;

    private static final int DEEPEST = 100;

    private final ObjectReader reader = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(Object.class);

    /** Creates a reader; one serves several threads. */
    public InputReader() {}

    /**
     * Reads an input.
     *
     * @param input JSON text
     * @return the object
     * @throws BadInput when it is none; the message is for the model
     */
    @SuppressWarnings("unchecked") // Jackson makes maps with string keys
    public Map<String, Object> read(String input) throws BadInput {
        if (input.length() > MOST_CHARACTERS) {
            throw new BadInput("they are " + input.length() + " characters long, at most " + MOST_CHARACTERS
                    + " are allowed; send less at a time");
        }
        Object value;
        try {
            value = reader.readValue(input);
        } catch (StreamConstraintsException e) {
            throw new BadInput("they are nested too deeply or hold a number that is too long (at most " + DEEPEST
                    + " levels and 1000 digits are allowed)" + at(e));
        } catch (JsonProcessingException e) {
            throw new BadInput("they are not valid JSON" + at(e) + ": " + reason(e));
        }
        if (!isFinite(value)) {
            throw new BadInput("they hold a number that is too large");
        }
        if (value instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        String hint = value instanceof String ? "; send the object itself, not a string that holds it" : "";
        throw new BadInput("they must be a JSON object, such as {\"name\": \"value\"}, but are " + kind(value) + hint);
    }

    /** Jackson reads 1e400 as infinity, which is no JSON value any more. */
    private static boolean isFinite(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.values().stream().allMatch(InputReader::isFinite);
        }
        if (value instanceof List<?> list) {
            return list.stream().allMatch(InputReader::isFinite);
        }
        return !(value instanceof Double number) || Double.isFinite(number);
    }

    /** Jackson cuts a long token that it quotes, and half a secret is no longer recognised: none is quoted. */
    private static String reason(JsonProcessingException e) {
        String message = String.valueOf(e.getOriginalMessage()).replaceAll("\\S{60,}", "…");
        return message.length() <= 300 ? message : "something in it is not as it must be";
    }

    private static String kind(@Nullable Object value) {
        return value instanceof String
                ? "a string"
                : value instanceof Number
                        ? "a number"
                        : value instanceof Boolean ? "a boolean" : value instanceof List ? "an array" : "null";
    }

    private static String at(JsonProcessingException e) {
        JsonLocation location = e.getLocation();
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }

    /** An input that is no JSON object. */
    public static final class BadInput extends Exception {
        private static final long serialVersionUID = 1L;

        public BadInput(String message) {
            super(message);
        }
    }
}
