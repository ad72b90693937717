package io.maestro.docker.internal;

import java.util.List;

/**
 * What a sweep did. Immutable.
 *
 * @param removed what was removed, each as {@code container name}
 * @param failed what is left although it should not be, each with the reason
 */
public record SweepReport(List<String> removed, List<String> failed) {
    /** Copies the lists. */
    public SweepReport {
        removed = List.copyOf(removed);
        failed = List.copyOf(failed);
    }
}
