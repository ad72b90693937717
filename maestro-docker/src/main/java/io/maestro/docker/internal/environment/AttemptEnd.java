package io.maestro.docker.internal.environment;

import io.maestro.environment.Workplace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends and removes all that an attempt has made. */
final class AttemptEnd {
    private AttemptEnd() {}

    /**
     * Every step is tried, whatever became of those before.
     *
     * @param seat the agent's container, if there is one
     * @throws RuntimeException the first failure, with the others in it
     */
    static void run(Workplace place, Site site, @Nullable Seat seat, ProjectImages images) {
        Failures failures = new Failures();
        if (seat != null) {
            failures.attempt(seat::retire);
        }
        failures.attempt(site.services()::end);
        List<String> containers = new ArrayList<>();
        failures.attemptUnlessDown(() -> containers.addAll(site.engine().containers(place.agentId())));
        if (containers.isEmpty() && seat != null) {
            containers.add(seat.container().id());
        }
        containers.forEach(id -> failures.attemptUnlessDown(() -> site.engine().removeContainer(id)));
        failures.attemptUnlessDown(site.networks()::end);
        failures.attemptUnlessDown(site.outfit()::end);
        failures.attempt(site.services()::close);
        String story = place.storyId();
        if (story != null) {
            failures.attemptUnlessDown(() -> images.removeUnpinned(site.engine(), story));
        }
        failures.throwFirst();
    }
}
