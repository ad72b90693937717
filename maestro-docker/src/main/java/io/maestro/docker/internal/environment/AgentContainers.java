package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.egress.EgressRelay;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.exec.Executor;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts containers for one attempt, tries whether they can be worked in, and removes them. Of one that is not good nothing is
 * left. Safe for use by several threads.
 */
final class AgentContainers {
    private static final Logger LOG = LoggerFactory.getLogger(AgentContainers.class);

    private final Workplace place;
    private final Supplier<AttemptEngine> attemptEngine;

    /** @param attemptEngine asked whenever an engine is needed */
    AgentContainers(Workplace place, Supplier<AttemptEngine> attemptEngine) {
        this.place = place;
        this.attemptEngine = attemptEngine;
    }

    /**
     * A new container in which an agent can work.
     *
     * @throws DockerException when it does not come up, or cannot be worked in
     */
    AgentContainer start(Phase phase, ProjectImage image) {
        return make(phase, image, container -> {});
    }

    /**
     * The same from an image of the agent's choice, which nobody has tried: it must also end when it is told to.
     *
     * @throws DockerException when it does not come up, cannot be worked in, or does not end
     */
    AgentContainer startUntried(Phase phase, ProjectImage image) {
        // First, because a second start is all that an executor would survive.
        return make(
                phase,
                image,
                container -> ContainerProbe.restart(attemptEngine.get().engine(), container));
    }

    private AgentContainer make(Phase phase, ProjectImage image, Consumer<Container> trial) {
        AttemptEngine here = attemptEngine.get();
        here.extras().prepare(phase);
        Container relay = here.networks().relay(here.specs().network(phase));
        Container container = here.engine().start(place.agentId(), here.specs().of(phase, image.id()), relay);
        boolean good = false;
        try {
            trial.accept(container);
            AgentContainer checked = checked(here, container, phase, image);
            good = true;
            return checked;
        } finally {
            if (!good) {
                here.engine().remove(container);
            }
        }
    }

    private AgentContainer checked(AttemptEngine here, Container container, Phase phase, ProjectImage image) {
        ContainerExecutors.ClosableExecutor executor = here.executors().open(container, phase);
        boolean good = false;
        try {
            List<String> faults = ContainerProbe.faults(
                    executor.bare(), phase, hasGit(), here.extras().stateDirectory(phase));
            if (!faults.isEmpty()) {
                throw new DockerException(
                        "a container from " + image + " cannot be worked in: " + String.join("; ", faults), null);
            }
            here.services().join(container);
            if (phase == Phase.CODING && !here.specs().ports().isEmpty()) {
                LOG.info(
                        "ports of {} are published: {}",
                        place.agentId(),
                        here.engine().publishedPorts(container).strip());
            }
            good = true;
            return new AgentContainer(container, phase, image, executor.executor(), executor.closing());
        } finally {
            if (!good) {
                executor.closing().run();
            }
        }
    }

    /** What is wrong with a throwaway container; empty when it can be worked in. */
    List<String> faults(Executor bare, Phase phase) {
        return ContainerProbe.faults(bare, phase, hasGit(), Optional.empty());
    }

    /**
     * Runs commands whose result decides something, in a container that is made for them: the checkout is its workspace, and
     * nothing of the agent is in it but what the image has. It reaches services that are started for it from the files of the
     * checkout, as the tests of the project may need them, and none of the agent's.
     *
     * @param starter is given what starts a container from an image, by its id
     * @throws DockerException when the container does not come up
     * @throws io.maestro.exec.ExecException when the services do not
     */
    <T> T fresh(
            Path checkout, Function<Function<String, Container>, Container> starter, Function<Executor, T> commands) {
        AttemptEngine here = attemptEngine.get();
        try (WorkspaceTransport files = here.transports().apply(checkout);
                EgressRelay relay = here.networks().ownRelay(here.specs().network(Phase.CODING))) {
            ComposeStack services = here.services().startForTests(checkout, files);
            try {
                return fresh(here, files, relay, services, starter, commands);
            } finally {
                if (services != null) {
                    Uninterrupted.closing(services.toString(), services::down);
                }
            }
        }
    }

    private <T> T fresh(
            AttemptEngine here,
            WorkspaceTransport files,
            @Nullable EgressRelay relay,
            @Nullable ComposeStack services,
            Function<Function<String, Container>, Container> starter,
            Function<Executor, T> commands) {
        Container network = relay == null ? null : relay.container();
        Container container = starter.apply(
                image -> here.engine().start(place.agentId(), here.specs().fresh(image, files), network));
        try {
            List<String> names = List.of();
            if (services != null) {
                services.connect(here.networks().guest(container.id()));
                names = services.names();
            }
            return commands.apply(files.around(here.executors().plain(container, names), true));
        } finally {
            here.engine().remove(container);
        }
    }

    private boolean hasGit() {
        return Files.exists(place.directory().resolve(".git"), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Runs something in a container that is thrown away afterwards, whatever happens.
     *
     * @param network whether it may have one, where the phase does
     * @throws DockerException when the container does not come up
     */
    <T> T throwaway(Phase phase, String image, boolean network, Function<ContainerExecutors.ClosableExecutor, T> use) {
        AttemptEngine here = attemptEngine.get();
        Container relay = here.networks().relay(here.specs().testNetwork(phase, network));
        Container container = here.engine().start(place.agentId(), here.specs().test(phase, image, network), relay);
        try {
            ContainerExecutors.ClosableExecutor executor = here.executors().open(container, phase);
            try {
                return use.apply(executor);
            } finally {
                executor.closing().run();
            }
        } finally {
            here.engine().remove(container);
        }
    }

    /** Ends and removes. What cannot be removed now is removed at the end, or by the sweep of the next start. */
    void discard(AgentContainer agentContainer) {
        // Here: another thread does the rest, and does not have the caller's lock.
        Engine engine = attemptEngine.get().engine();
        Uninterrupted.run(() -> {
            try {
                agentContainer.retire();
            } catch (RuntimeException e) {
                LOG.warn(
                        "commands in {} could not be ended: {}",
                        agentContainer.container().name(),
                        e.getMessage());
            }
            try {
                engine.remove(agentContainer.container());
            } catch (RuntimeException e) {
                LOG.warn(
                        "{} could not be removed yet: {}",
                        agentContainer.container().name(),
                        e.getMessage());
            }
        });
    }
}
