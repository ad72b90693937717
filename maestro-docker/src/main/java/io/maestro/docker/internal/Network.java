package io.maestro.docker.internal;

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
}
