package io.maestro.team.internal;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Workplace;
import io.maestro.exec.Executor;
import io.maestro.git.internal.GitRepository;
import io.maestro.team.internal.dispatch.CoderNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Executors on workspaces, with nothing around them but what programs keep there. */
public final class LocalEnvironments implements Environments {
    private final Function<Path, Executor> executors;
    private final GitRepository git;
    private final LocalState state;

    /**
     * Makes environments of executors.
     *
     * @param executors makes the executor of a workspace
     * @param git knows where the workspaces are
     */
    public LocalEnvironments(Function<Path, Executor> executors, GitRepository git) {
        this.executors = executors;
        this.git = git;
        this.state = new LocalState(git.projectDirectory());
    }

    /**
     * When an earlier life was killed, its commands may still write to the workspaces, also to those of more coders than there
     * are now.
     */
    @Override
    public void endLeftovers() {
        for (int number = 1; number <= CoderNames.MOST; number++) {
            Path workspace = git.workspaceDirectory(CoderNames.of(number));
            if (Files.isDirectory(workspace)) {
                executors.apply(workspace).endLeftovers();
            }
        }
    }

    @Override
    public Environment open(Workplace place) {
        return new LocalEnvironment(place, executors.apply(place.directory()), state);
    }

    @Override
    public void close() {
        state.close();
    }
}
