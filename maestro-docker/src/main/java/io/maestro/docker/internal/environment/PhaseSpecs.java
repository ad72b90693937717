package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.BoundWorkspace;
import io.maestro.docker.internal.Labels;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Describes the containers of an attempt: the one place that knows what a container has in a phase, so that the one after a
 * switch, an update or an accident has the same as the first. Immutable.
 */
final class PhaseSpecs {
    private static final String TMP = "/tmp";
    private static final String READABLE = "/mnt/";

    private final Settings settings;
    private final Workplace place;
    private final Mounts workspace;
    private final Optional<String> user;
    private final Map<Path, String> places = new LinkedHashMap<>();

    /** The workspace as a container mounts it. */
    interface Mounts {
        Mount workspace(boolean readOnly);
    }

    /**
     * The containers of an attempt.
     *
     * @param user as whom they work; empty for the image's own
     */
    PhaseSpecs(Settings settings, Workplace place, Mounts workspace, Optional<String> user) {
        this.settings = settings;
        this.place = place;
        this.workspace = workspace;
        this.user = user;
        places.put(place.directory(), BoundWorkspace.TARGET);
        for (Path directory : place.readable()) {
            String name = String.valueOf(directory.getFileName()).replaceAll("[^A-Za-z0-9_.-]", "_");
            String target = READABLE + name;
            for (int number = 2; places.containsValue(target); number++) {
                target = READABLE + name + "-" + number;
            }
            places.putIfAbsent(directory, target);
        }
    }

    /** The container in which an agent works. */
    ContainerSpec of(Phase phase, String image) {
        return spec(phase, image, phase.name().toLowerCase(Locale.ROOT), settings.phase(phase))
                .build();
    }

    /** A throwaway container: it sees what the agent sees, within the limits for tests. */
    ContainerSpec test(Phase phase, String image, boolean network) {
        PhaseSettings test = settings.test();
        boolean connected = network && phase == Phase.CODING;
        return spec(
                        phase,
                        image,
                        "test",
                        new PhaseSettings(test.limits(), connected ? test.network() : PhaseSettings.NO_NETWORK))
                .build();
    }

    private ContainerSpec.Builder spec(Phase phase, String image, String role, PhaseSettings allowed) {
        boolean architect = phase == Phase.ARCHITECT;
        ContainerSpec.Builder spec = ContainerSpec.builder(image, role)
                .mount(workspace.workspace(phase != Phase.CODING))
                .tmpfs(TMP, "exec,nosuid,nodev,size=" + settings.tmpfsMegabytes() + "m")
                .limits(allowed.limits())
                .network(allowed.network())
                .environment("HOME", TMP)
                .workingDirectory(BoundWorkspace.TARGET)
                .readOnlyRoot(architect || settings.readOnlyRoot());
        if (architect) {
            places.forEach((directory, target) -> {
                if (!target.equals(BoundWorkspace.TARGET)) {
                    spec.mount(Mount.bind(directory, target).asReadOnly());
                }
            });
        }
        if (place.storyId() != null) {
            spec.label(Labels.STORY, place.storyId());
        }
        user.ifPresent(spec::user);
        return spec;
    }

    /** Where containers have a directory of this machine. */
    String locate(Path directory) {
        String target = places.get(directory);
        if (target == null) {
            throw new IllegalArgumentException(
                    directory + " is not in the containers of " + place.agentId() + "; they have " + places.keySet());
        }
        return target;
    }
}
