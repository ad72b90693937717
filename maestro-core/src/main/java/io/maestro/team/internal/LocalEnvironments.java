package io.maestro.team.internal;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.exec.Executor;
import io.maestro.git.internal.GitRepository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Executors on workspaces, without anything that is made or removed around them. */
public final class LocalEnvironments implements Environments {
    private final Function<Path, Executor> executors;
    private final GitRepository git;

    /**
     * Makes environments of executors.
     *
     * @param executors makes the executor of a workspace
     * @param git knows where the workspaces are
     */
    public LocalEnvironments(Function<Path, Executor> executors, GitRepository git) {
        this.executors = executors;
        this.git = git;
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
        Executor executor = executors.apply(place.directory());
        return new Environment() {
            @Override
            public void enter(Phase phase) {}

            @Override
            public Executor executor() {
                return executor;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() {}
}
