package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.Inspector.Kind;

/**
 * A container of this instance.
 *
 * @param id its full id
 * @param name its unique name
 * @param imageId the full id of its image
 * @param agentId whom it is for
 * @param role what it is for
 * @param workingDirectory where its processes start, an absolute path
 */
public record Container(String id, String name, String imageId, String agentId, String role, String workingDirectory) {
    /** As an engine describes it. */
    static Container of(JsonNode object) {
        JsonNode labels = Inspector.labels(Kind.CONTAINER, object);
        String name = object.path("Name").asText();
        String directory = object.path("Config").path("WorkingDir").asText();
        return new Container(
                object.path("Id").asText(),
                name.startsWith("/") ? name.substring(1) : name,
                Inspector.imageId(object.path("Image").asText()),
                labels.path(Labels.AGENT).asText(),
                labels.path(Labels.ROLE).asText(),
                directory.isEmpty() ? "/" : directory);
    }
}
