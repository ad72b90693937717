package io.maestro.docker.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.docker.DockerException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what the clients print. */
final class Json {
    private static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new DockerException(
                    "the engine's client printed no JSON but '"
                            + text.substring(0, Math.min(200, text.length())).strip() + "'; is it docker or podman?",
                    e);
        }
    }

    /** A value on one line. */
    static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON can be made of " + value, e);
        }
    }

    /** An object of texts, such as labels; null becomes an empty map. */
    static Map<String, String> texts(JsonNode object) {
        Map<String, String> map = new LinkedHashMap<>();
        object.properties()
                .forEach(field -> map.put(field.getKey(), field.getValue().asText()));
        return Collections.unmodifiableMap(map);
    }
}
