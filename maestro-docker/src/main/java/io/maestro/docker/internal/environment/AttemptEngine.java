package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.disk.Disks;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.exec.Executor;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * An engine that an attempt has been given, and what there is for it on that engine. Nothing of it is made before it is used.
 *
 * @param engine where it runs
 * @param specs describes its containers
 * @param outfit what the agent's containers have beside the workspace
 * @param rooms makes executors in them
 * @param transports carries another directory of this machine to the engine, as the workspace is carried
 * @param plain makes an executor for what is judged, which reaches services of such names
 * @param services what there is around them
 * @param networks what its containers reach
 * @param disks where it writes
 * @param failed to be told when the engine does not answer
 */
record AttemptEngine(
        Engine engine,
        PhaseSpecs specs,
        ContainerExtras outfit,
        ContainerExecutors rooms,
        Function<Path, WorkspaceTransport> transports,
        BiFunction<Container, List<String>, Executor> plain,
        Services services,
        AttemptNetworks networks,
        Disks disks,
        Runnable failed) {}
