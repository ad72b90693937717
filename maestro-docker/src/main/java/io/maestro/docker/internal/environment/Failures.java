package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerUnavailableException;
import java.util.ArrayList;
import java.util.List;

/** Steps of which every one is tried, whatever became of those before. For use by one thread. */
final class Failures {
    private final List<RuntimeException> failures = new ArrayList<>();

    void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    void addAll(List<RuntimeException> others) {
        failures.addAll(others);
    }

    /** As {@link #attempt}, unless the engine has not answered a step before: each would wait as long as that. */
    void attemptUnlessDown(Runnable step) {
        if (failures.stream().noneMatch(DockerUnavailableException.class::isInstance)) {
            attempt(step);
        }
    }

    /** Throws the first failure, with the others in it; does nothing when there was none. */
    void throwFirst() {
        if (failures.isEmpty()) {
            return;
        }
        RuntimeException first = failures.get(0);
        for (RuntimeException other : failures.subList(1, failures.size())) {
            // The same engine may have failed by the same exception, which cannot hold itself.
            if (!first.equals(other)) {
                first.addSuppressed(other);
            }
        }
        throw first;
    }
}
