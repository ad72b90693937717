package io.maestro.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.tools.InputSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The JSON Schema of the configuration, which ships with the library. */
final class ConfigSchema {
    private static final String RESOURCE = "/io/maestro/config/config.schema.json";

    private ConfigSchema() {}

    /** The schema as JSON text. */
    static String text() {
        try (InputStream resource = ConfigSchema.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException("the resource " + RESOURCE + " is missing");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the resource " + RESOURCE + " cannot be read", e);
        }
    }

    static InputSchema schema() {
        try {
            return InputSchema.ofMap(new JsonMapper().readValue(text(), new TypeReference<Map<String, Object>>() {}));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the resource " + RESOURCE + " is no JSON", e);
        }
    }
}
