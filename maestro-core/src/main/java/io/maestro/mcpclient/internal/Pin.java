package io.maestro.mcpclient.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/**
 * What a host has agreed to of a tool. Only what models get to read is a part of it.
 *
 * @param description the hash of the description
 * @param schema the hash of the input schema, whatever the order of its members
 */
record Pin(String description, String schema) {
    private static final JsonMapper SORTED = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    static Pin of(String description, Map<String, ?> schema) {
        try {
            return new Pin(hash(description), hash(SORTED.writeValueAsString(schema)));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its input schema can't be written as JSON", e);
        }
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM has it
        }
    }

    /** What differs, for a person. */
    String changedTo(Pin now) {
        boolean said = !description.equals(now.description);
        boolean takes = !schema.equals(now.schema);
        return said && takes
                ? "its description and its input schema were changed"
                : said ? "its description was changed" : "its input schema was changed";
    }
}
