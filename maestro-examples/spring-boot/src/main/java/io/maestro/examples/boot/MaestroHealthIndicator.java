package io.maestro.examples.boot;

import io.maestro.Maestro;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** DOWN when the record cannot be read. Shows who works on what, and the tools that could not be loaded. Asks no model. */
final class MaestroHealthIndicator extends AbstractHealthIndicator {
    private final Maestro maestro;

    MaestroHealthIndicator(Maestro maestro) {
        super("Maestro's record cannot be read");
        this.maestro = maestro;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        int open = maestro.auditLog().openStories().size();
        Map<String, String> agents = new TreeMap<>();
        maestro.agents().forEach(agent -> agents.put(agent.id(), agent.storyId() + " " + agent.state()));
        health.up()
                .withDetail("session", maestro.sessionId())
                .withDetail("openStories", open)
                .withDetail("agents", agents);
        if (!maestro.toolProblems().isEmpty()) {
            health.withDetail("toolProblems", maestro.toolProblems());
        }
    }
}
