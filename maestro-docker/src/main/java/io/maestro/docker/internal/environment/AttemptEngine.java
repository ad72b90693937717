package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.disk.Disks;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * An engine that an attempt has been given, and what there is for it on that engine. Nothing of it is made before it is used.
 *
 * @param engine where it runs
 * @param specs describes its containers
 * @param extras what the agent's containers have beside the workspace
 * @param executors makes executors in them
 * @param transports carries another directory of this machine to the engine, as the workspace is carried
 * @param services what there is around them
 * @param networks what its containers reach
 * @param disks where it writes
 */
record AttemptEngine(
        Engine engine,
        PhaseSpecs specs,
        ContainerExtras extras,
        ContainerExecutors executors,
        Function<Path, WorkspaceTransport> transports,
        Services services,
        AttemptNetworks networks,
        Disks disks) {}
