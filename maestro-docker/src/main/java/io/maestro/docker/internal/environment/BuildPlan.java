package io.maestro.docker.internal.environment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How an image is built from the files of the repository.
 *
 * @param dockerfile the path of the Dockerfile, relative to the workspace
 * @param context the path of the directory that it can copy from, relative to the workspace; {@code .} for the workspace
 * @param arguments its build arguments; no secrets
 */
public record BuildPlan(String dockerfile, String context, Map<String, String> arguments) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies the arguments. */
    public BuildPlan {
        arguments = Map.copyOf(arguments);
    }

    String toJson() {
        ObjectNode root = JSON.createObjectNode();
        root.put("dockerfile", dockerfile);
        root.put("context", context);
        root.putPOJO("arguments", new TreeMap<>(arguments));
        try {
            return JSON.writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Empty when it is none. */
    static Optional<BuildPlan> fromJson(String json) {
        try {
            JsonNode root = JSON.readTree(json);
            if (!root.path("dockerfile").isTextual()) {
                return Optional.empty();
            }
            return Optional.of(new BuildPlan(
                    root.path("dockerfile").asText(),
                    root.path("context").asText("."),
                    JSON.convertValue(root.path("arguments"), new TypeReference<Map<String, String>>() {})));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
