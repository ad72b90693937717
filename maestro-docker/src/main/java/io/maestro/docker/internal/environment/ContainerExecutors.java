package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.environment.Phase;
import io.maestro.exec.Executor;
import java.util.List;

/** Makes executors on containers of one attempt. */
public interface ContainerExecutors {
    /** An executor in a container that runs; what the phase keeps from agents is kept from its commands. */
    ClosableExecutor open(Container container, Phase phase);

    /**
     * An executor for commands whose result decides something.
     *
     * @param services the names by which its commands reach services
     */
    Executor plain(Container container, List<String> services);

    /**
     * An executor that is closed.
     *
     * @param executor runs commands
     * @param bare the same without the workspace being carried to and fro
     * @param closing ends it
     */
    record ClosableExecutor(Executor executor, Executor bare, Runnable closing) {}
}
