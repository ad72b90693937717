package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Describes the containers of an attempt: the one place that knows what a container has in a phase, so that the one after a
 * switch, an update or an accident has the same as the first. Immutable.
 */
final class PhaseSpecs {
    private static final String TMP = AgentDirectories.HOME;
    private static final String TEST = "test";
    private static final String FRESH = "fresh";

    /** The roles of containers that an attempt can do without: for one command, and made by the tool {@code containers}. */
    static final Set<String> EXTRAS = Set.of(TEST, FRESH, Labels.BOX, Labels.LOOK);

    private final Settings settings;
    private final Workplace place;
    private final MountTargets places;
    private final WorkspaceTransport workspace;
    private final String user;
    private final ContainerExtras extras;
    private final AttemptNetworks networks;

    /**
     * The containers of an attempt.
     *
     * @param user as whom they work
     * @param extras what the agent's own have beside the workspace; throwaway ones do not
     * @param networks what they reach
     */
    PhaseSpecs(
            Settings settings,
            Workplace place,
            MountTargets places,
            WorkspaceTransport workspace,
            String user,
            ContainerExtras extras,
            AttemptNetworks networks) {
        this.settings = settings;
        this.place = place;
        this.places = places;
        this.workspace = workspace;
        this.user = user;
        this.extras = extras;
        this.networks = networks;
    }

    /** The container in which an agent works. */
    ContainerSpec of(Phase phase, String image) {
        ContainerSpec.Builder spec = spec(phase, image, phase.name().toLowerCase(Locale.ROOT), settings.network(phase));
        extras.applyTo(spec, phase);
        return spec.build();
    }

    /** A throwaway container: it sees what the agent sees, with the limits of coding. */
    ContainerSpec test(Phase phase, String image, boolean network) {
        return spec(phase, image, TEST, testNetwork(phase, network)).build();
    }

    /** The network of a throwaway container. */
    ContainerNetwork testNetwork(Phase phase, boolean network) {
        return network && phase == Phase.CODING ? settings.container().testNetwork() : ContainerNetwork.NONE;
    }

    /** The network of the container in which an agent works. */
    ContainerNetwork network(Phase phase) {
        return settings.network(phase);
    }

    /** Whether commands have a network of their own in a phase, and none that the settings name. */
    boolean hasOwnNetwork(Phase phase) {
        return settings.network(phase).isOwn();
    }

    /** Whether containers see the very files of this machine. */
    boolean bindsWorkspace() {
        return workspace instanceof BoundWorkspace;
    }

    /** What of a coder's container is published. */
    List<Integer> ports() {
        return settings.container().ports();
    }

    /** A container for what is judged: like one for coding, but with the files of a checkout and nothing of the agent's. */
    ContainerSpec fresh(String image, WorkspaceTransport checkout) {
        return spec(Phase.CODING, image, FRESH, settings.network(Phase.CODING), checkout.mount(false))
                .build();
    }

    private ContainerSpec.Builder spec(Phase phase, String image, String role, ContainerNetwork allowed) {
        return spec(phase, image, role, allowed, workspace.mount(phase != Phase.CODING));
    }

    private ContainerSpec.Builder spec(Phase phase, String image, String role, ContainerNetwork allowed, Mount files) {
        boolean architect = phase == Phase.ARCHITECT;
        ContainerSpec.Builder spec = ContainerSpec.builder(image, role)
                .mount(files)
                .tmpfs(TMP, "exec,nosuid,nodev,size=" + settings.container().tmpfsMegabytes() + "m")
                .limits(settings.container().limits(role.equals(TEST) ? Phase.CODING : phase))
                .network(networks.name(allowed))
                .workingDirectory(BoundWorkspace.TARGET)
                .readOnlyRoot(architect || settings.container().readOnlyRoot());
        Map<String, String> variables = settings.container().variables();
        variables.forEach(spec::environment);
        networks.environment(allowed, variables).forEach(spec::environment);
        spec.environment("HOME", TMP);
        if (architect) {
            places.targets().forEach((directory, target) -> {
                if (!target.equals(BoundWorkspace.TARGET)) {
                    spec.mount(Mount.bind(directory, target).asReadOnly());
                }
            });
        }
        if (place.storyId() != null) {
            spec.label(Labels.STORY, place.storyId());
        }
        return spec.user(user);
    }
}
