package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.environment.Phase;
import io.maestro.exec.Executor;

/** Makes executors on containers of one attempt. */
public interface ContainerExecutors {
    /** An executor in a container that runs; what the phase keeps from agents is kept from its commands. */
    Room open(Container container, Phase phase);

    /**
     * An executor that is closed.
     *
     * @param executor runs commands
     * @param bare the same without the workspace being carried to and fro
     * @param closing ends it
     */
    record Room(Executor executor, Executor bare, Runnable closing) {}
}
