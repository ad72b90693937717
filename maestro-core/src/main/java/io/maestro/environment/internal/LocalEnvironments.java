package io.maestro.environment.internal;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.exec.Executor;
import io.maestro.tools.NetworkAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Executors on workspaces, with nothing around them but what programs keep there. */
public final class LocalEnvironments implements Environments {
    private final Function<Path, Executor> executors;
    private final Supplier<List<Path>> leftInUse;
    private final LocalState state;

    /**
     * Makes environments of executors.
     *
     * @param executors makes the executor of a workspace
     * @param projectDirectory where programs keep their state
     * @param leftInUse the workspaces that an earlier life has not left in order
     */
    public LocalEnvironments(
            Function<Path, Executor> executors, Path projectDirectory, Supplier<List<Path>> leftInUse) {
        this.executors = executors;
        this.leftInUse = leftInUse;
        this.state = new LocalState(projectDirectory);
    }

    /** When an earlier life was killed, its commands may still write to the workspaces. */
    @Override
    public void endLeftovers(Map<String, Integer> openAttempts) {
        leftInUse.get().forEach(workspace -> executors.apply(workspace).endLeftovers());
        state.removeAllBut(openAttempts);
    }

    @Override
    public Environment open(Workplace place) {
        return new LocalEnvironment(place, executors, state);
    }

    /** Nothing is closed here. */
    @Override
    public NetworkAccess network(Phase phase) {
        return NetworkAccess.OPEN;
    }

    /** There is nothing to give back. */
    @Override
    public void close() {}
}
