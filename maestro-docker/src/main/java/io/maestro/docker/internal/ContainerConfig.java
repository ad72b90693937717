package io.maestro.docker.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.Maestro;
import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.schema.internal.InputValidator;
import io.maestro.secrets.Redactor;
import io.maestro.tools.InputSchema;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The object {@code container} of a configuration, valid by its JSON Schema. */
public final class ContainerConfig {
    private static final String OBJECT = "container";
    private static final JsonMapper MAPPER = new JsonMapper();

    private ContainerConfig() {}

    /**
     * Checks it: it may come from a host, and not from a file.
     *
     * @param container a tree of JSON types
     * @param redactor takes secrets out of what is quoted
     * @return a configuration with nothing but this object
     * @throws MaestroException when it is not valid; the message has each fault with its path
     */
    public static Config of(Map<String, ?> container, Redactor redactor) {
        Map<String, Object> root = Map.of(OBJECT, container);
        List<String> faults;
        try {
            faults = new InputValidator().faults(schema(), MAPPER.writeValueAsString(root), root, redactor::redact);
        } catch (JsonProcessingException e) {
            throw new MaestroException("$." + OBJECT + ": cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
        if (!faults.isEmpty()) {
            throw new MaestroException("the settings of containers are wrong:\n" + String.join("\n", faults));
        }
        return Config.of(root);
    }

    private static InputSchema schema() throws JsonProcessingException {
        Map<String, Object> all = MAPPER.readValue(Maestro.configSchema(), new TypeReference<Map<String, Object>>() {});
        Map<?, ?> objects = (Map<?, ?>) all.getOrDefault("properties", Map.of());
        return InputSchema.ofMap(Map.of("type", "object", "properties", Map.of(OBJECT, objects.get(OBJECT))));
    }

    /**
     * Reads a value that has a form of its own.
     *
     * @param key its path
     * @throws MaestroException when the reader throws {@link IllegalArgumentException} or {@link IllegalStateException}; the
     *     message begins with the path
     */
    public static <T> T read(String key, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new MaestroException("$." + key + ": " + e.getMessage(), e);
        }
    }
}
