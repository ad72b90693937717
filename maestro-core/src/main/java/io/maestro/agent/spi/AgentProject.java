package io.maestro.agent.spi;

import io.maestro.secrets.Redactor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a coder mode is made for: one session of one Maestro, from its build to its end.
 *
 * @param directory the project directory, absolute; no other Maestro uses it meanwhile
 * @param sessionId identifies the session
 * @param model the name of the coders' model as the host or its configuration gave it; empty when neither did
 * @param settings the object of the configuration that belongs to the mode, {@code claude_code}, valid by its schema; a tree of
 *     JSON types, empty when it is not there
 * @param variables the host's environment, with {@code ANTHROPIC_BASE_URL} as the configuration says where it does; the keys
 *     of models are among them, so that nothing of it may be shown
 * @param redactor takes secrets out of what is shown
 */
public record AgentProject(
        Path directory,
        String sessionId,
        Optional<String> model,
        Map<String, Object> settings,
        Map<String, String> variables,
        Redactor redactor) {
    /**
     * Copies the collections.
     *
     * @param directory the project directory
     * @param sessionId identifies the session
     * @param model the coders' model
     * @param settings the settings
     * @param variables the host's environment
     * @param redactor takes secrets out
     */
    public AgentProject {
        settings = Map.copyOf(settings);
        variables = Map.copyOf(variables);
    }

    /** Without the variables' values, which may be secret. */
    @Override
    public String toString() {
        return "AgentProject[" + directory + ", model " + model.orElse("-") + ", variables "
                + List.copyOf(variables.keySet()) + "]";
    }
}
