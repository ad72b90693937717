package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.Inspector.ObjectKind;
import java.util.Map;

/**
 * A network of this instance.
 *
 * @param id its full id
 * @param name its unique name
 * @param labels its labels
 */
public record Network(String id, String name, Map<String, String> labels) {
    /** Copies the labels. */
    public Network {
        labels = Map.copyOf(labels);
    }

    /** As an engine describes it. */
    static Network of(JsonNode object) {
        return new Network(
                Remover.id(ObjectKind.NETWORK, object),
                object.path(object.has("Name") ? "Name" : "name").asText(),
                Json.texts(Inspector.labels(ObjectKind.NETWORK, object)));
    }
}
