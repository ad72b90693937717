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
     * @param agentContainer the agent's container, if there is one
     * @throws RuntimeException the first failure, with the others in it
     */
    static void run(String agentId, AttemptEngine attemptEngine, @Nullable AgentContainer agentContainer) {
        Failures failures = new Failures();
        if (agentContainer != null) {
            failures.attempt(agentContainer::retire);
        }
        failures.attempt(attemptEngine.services()::end);
        List<String> containers = new ArrayList<>();
        failures.attemptUnlessDown(
                () -> containers.addAll(attemptEngine.engine().containers(agentId)));
        if (containers.isEmpty() && agentContainer != null) {
            containers.add(agentContainer.container().id());
        }
        containers.forEach(
                id -> failures.attemptUnlessDown(() -> attemptEngine.engine().removeContainer(id)));
        failures.attemptUnlessDown(attemptEngine.networks()::end);
        failures.attempt(attemptEngine.services()::close);
        failures.throwFirst();
    }
}
