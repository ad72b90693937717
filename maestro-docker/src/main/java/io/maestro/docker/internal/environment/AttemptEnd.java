package io.maestro.docker.internal.environment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends and removes all that an attempt has made on its engine and does not keep. */
final class AttemptEnd {
    private AttemptEnd() {}

    /**
     * Every step is tried, whatever became of those before.
     *
     * @param agentId whose attempt it is
     * @param seat the agent's container, if there is one
     * @throws RuntimeException the first failure, with the others in it
     */
    static void run(String agentId, AttemptEngine site, @Nullable AgentContainer seat) {
        Failures failures = new Failures();
        if (seat != null) {
            failures.attempt(seat::retire);
        }
        failures.attempt(site.services()::end);
        List<String> containers = new ArrayList<>();
        failures.attemptUnlessDown(() -> containers.addAll(site.engine().containers(agentId)));
        if (containers.isEmpty() && seat != null) {
            containers.add(seat.container().id());
        }
        containers.forEach(id -> failures.attemptUnlessDown(() -> site.engine().removeContainer(id)));
        failures.attemptUnlessDown(site.networks()::end);
        failures.attempt(site.services()::close);
        failures.throwFirst();
    }
}
