package io.maestro.docker.internal.environment;

import io.maestro.docker.BuildOptions;
import io.maestro.docker.ComposeOptions;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.ContainerOptions;
import io.maestro.docker.EngineOptions;
import io.maestro.docker.ImageOptions;
import io.maestro.docker.internal.disk.DiskLimits;
import io.maestro.environment.Phase;

/**
 * All settings of the containers of one project: what code has set, else what the configuration has, else the default. Made
 * once, by {@code DockerEnvironments}; each part takes its group. Immutable.
 *
 * @param engines where containers run
 * @param images the images of agents
 * @param builds how they are built
 * @param container what agents' containers have
 * @param compose their services
 */
public record Settings(
        EngineOptions engines,
        ImageOptions images,
        BuildOptions builds,
        ContainerOptions container,
        ComposeOptions compose) {
    /** What a phase reaches. */
    public ContainerNetwork network(Phase phase) {
        return container.network(phase);
    }

    /** What a build may take. */
    public ContainerLimits buildLimits() {
        return builds.limits(container);
    }

    /** What attempts and builds may write. */
    public DiskLimits disk() {
        return new DiskLimits((long) container.diskMegabytes() << 20, (long) container.diskReserveMegabytes() << 20);
    }
}
