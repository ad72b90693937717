package io.maestro.docker.internal;

import java.time.Instant;
import java.util.Map;

/**
 * A volume of this instance.
 *
 * @param name its unique name
 * @param labels its labels
 * @param created when it was made
 */
public record Volume(String name, Map<String, String> labels, Instant created) {
    /** Copies the labels. */
    public Volume {
        labels = Map.copyOf(labels);
    }
}
