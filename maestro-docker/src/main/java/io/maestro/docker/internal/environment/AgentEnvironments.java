package io.maestro.docker.internal.environment;

import io.maestro.error.MaestroException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the environment of an agent for its tools. Safe for use by several threads. */
public final class AgentEnvironments {
    private final Map<String, StoryEnvironment> environments = new ConcurrentHashMap<>();

    void opened(String agentId, StoryEnvironment environment) {
        environments.put(agentId, environment);
    }

    void closed(String agentId, StoryEnvironment environment) {
        environments.remove(agentId, environment);
    }

    /**
     * The environment that an agent has at the moment.
     *
     * @throws MaestroException when it has none
     */
    public StoryEnvironment of(String agentId) {
        StoryEnvironment environment = environments.get(agentId);
        if (environment == null) {
            throw new MaestroException("the agent " + agentId + " has no container");
        }
        return environment;
    }
}
