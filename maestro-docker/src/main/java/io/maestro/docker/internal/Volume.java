package io.maestro.docker.internal;

import java.util.Map;

/**
 * A volume of this instance.
 *
 * @param name its unique name
 * @param labels its labels
 */
public record Volume(String name, Map<String, String> labels) {
    /** Copies the labels. */
    public Volume {
        labels = Map.copyOf(labels);
    }
}
