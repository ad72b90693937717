package io.maestro.environment;

import io.maestro.record.AuditLog;
import io.maestro.secrets.Redactor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What environments are made for: one life of one Maestro.
 *
 * @param directory the project directory, absolute; it is this Maestro's alone while it lives
 * @param sessionId identifies this life
 * @param mirror the bare mirror of the repository, absolute; not there before the first story
 * @param settings the object {@code container} of the configuration, valid by its schema; a tree of JSON types, empty when
 *     it is not there
 * @param variables variables of the host's environment that the agents' commands may see, by name; may be secret
 * @param redactor takes secrets out of what is shown
 * @param connections records a connection that a container has asked for; throws {@link
 *     io.maestro.record.StoreException} when it cannot
 */
public record EnvironmentProject(
        Path directory,
        String sessionId,
        Path mirror,
        Map<String, Object> settings,
        Map<String, String> variables,
        Redactor redactor,
        Consumer<AuditLog.NetworkConnection> connections) {
    /**
     * Copies the collections.
     *
     * @param directory the project directory
     * @param sessionId identifies this life
     * @param mirror the bare mirror of the repository
     * @param settings the settings
     * @param variables the variables
     * @param redactor takes secrets out
     * @param connections records a connection
     */
    public EnvironmentProject {
        settings = Map.copyOf(settings);
        variables = Map.copyOf(variables);
    }

    /**
     * A project without a record.
     *
     * @param directory the project directory
     * @param sessionId identifies this life
     * @param mirror the bare mirror of the repository
     * @param settings the settings
     * @param variables the variables
     * @param redactor takes secrets out
     */
    public EnvironmentProject(
            Path directory,
            String sessionId,
            Path mirror,
            Map<String, Object> settings,
            Map<String, String> variables,
            Redactor redactor) {
        this(directory, sessionId, mirror, settings, variables, redactor, connection -> {});
    }

    /** Without the variables' values, which may be secret. */
    @Override
    public String toString() {
        return "EnvironmentProject[" + directory + ", variables " + List.copyOf(variables.keySet()) + "]";
    }
}
