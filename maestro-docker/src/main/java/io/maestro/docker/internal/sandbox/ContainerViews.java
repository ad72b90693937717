package io.maestro.docker.internal.sandbox;

import io.maestro.docker.RunningContainer;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;

/** Makes the public views of containers. Safe for use by several threads. */
public interface ContainerViews extends AutoCloseable {
    /** The view of a container. */
    RunningContainer of(Engine engine, Container container);

    /** Closes all executors that views have given out. */
    @Override
    void close();
}
