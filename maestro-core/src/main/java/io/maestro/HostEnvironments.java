package io.maestro;

import io.maestro.audit.AuditLog;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.SnapshotCheckout;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where agents' commands run, as the host has set it in code; null where it has set nothing. */
final class HostEnvironments {
    /** What the object {@code container} of a file is for, unless code says otherwise. */
    private static final String CONTAINERS = "docker";

    private @Nullable Function<Path, Executor> executor;
    private @Nullable EnvironmentFactory factory;
    private @Nullable String id;

    void executor(Function<Path, Executor> executors) {
        this.executor = executors;
    }

    void factory(EnvironmentFactory given) {
        this.factory = given;
        this.id = null;
    }

    void id(String name) {
        this.id = Discovery.ENVIRONMENTS.checked(name);
        this.factory = null;
    }

    /** Whether commands run by an executor of the host's own, of which nothing is known. */
    boolean ownExecutor() {
        return executor != null;
    }

    /**
     * Finds what makes the environments.
     *
     * @return null where commands run by executors
     * @throws MaestroException when there is none of that name, or the host has said two things
     */
    @Nullable
    EnvironmentFactory chosen(ConfiguredSettings set, ClassLoader loader) {
        if (executor != null && (factory != null || id != null)) {
            throw new MaestroException("commands run either by executor(…) or in environment("
                    + (id != null ? "\"" + id + "\"" : "…") + "), but both are set: leave one out");
        }
        if (factory != null || executor != null) {
            return factory;
        }
        if (id != null) {
            return Discovery.find(Discovery.ENVIRONMENTS, id, loader, set.redactor(), "environment(\"" + id + "\")");
        }
        return set.container() == null
                ? null
                : Discovery.find(Discovery.ENVIRONMENTS, CONTAINERS, loader, set.redactor(), "$.container");
    }

    /** Makes the environments; nothing is started yet. The project directory is this Maestro's. */
    Environments open(
            @Nullable EnvironmentFactory chosen,
            ConfiguredSettings set,
            GitRepository git,
            String sessionId,
            Map<String, String> environment,
            Consumer<AuditLog.NetworkConnection> connections) {
        if (chosen == null) {
            WorkspaceMarkers markers = new WorkspaceMarkers(git.projectDirectory());
            return new LocalEnvironments(
                    executor == null ? set.localExecutors() : executor,
                    git.projectDirectory(),
                    () -> Stream.concat(
                                    markers.leftInUse().stream(),
                                    SnapshotCheckout.existing(git.projectDirectory()).stream())
                            .toList());
        }
        Map<String, String> variables = new HashMap<>();
        for (String name : set.passedOn()) {
            String value = environment.get(name);
            if (value != null) {
                variables.put(name, value);
            }
        }
        return Objects.requireNonNull(
                chosen.open(new EnvironmentProject(
                        git.projectDirectory(),
                        sessionId,
                        git.mirror(),
                        set.container() == null ? Map.of() : set.container(),
                        variables,
                        set.redactor(),
                        connections)),
                () -> chosen.getClass().getName() + ".open");
    }
}
