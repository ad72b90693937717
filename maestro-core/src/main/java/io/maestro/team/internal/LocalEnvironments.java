package io.maestro.team.internal;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.git.internal.GitRepository;
import io.maestro.team.internal.dispatch.CoderNames;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;

/** Executors on workspaces, with nothing around them but what programs keep there. */
public final class LocalEnvironments implements Environments {
    private final Function<Path, Executor> executors;
    private final GitRepository git;
    private final WorkspaceMarkers marks;
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
        this.marks = new WorkspaceMarkers(git.projectDirectory());
        this.state = new LocalState(git.projectDirectory());
    }

    /**
     * When an earlier life was killed, its commands may still write to the workspaces, also to those of more coders than there
     * are now. A workspace where nobody's work is was left in order: no executor is made for it.
     */
    @Override
    public void endLeftovers() {
        for (int number = 1; number <= CoderNames.MOST; number++) {
            String agentId = CoderNames.of(number);
            Path workspace = git.workspaceDirectory(agentId);
            if (Files.isDirectory(workspace) && (marks.of(agentId).isPresent() || !isEmpty(workspace))) {
                executors.apply(workspace).endLeftovers();
            }
        }
    }

    private static boolean isEmpty(Path workspace) {
        try (Stream<Path> files = Files.list(workspace)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            throw new MaestroException("the workspace " + workspace + " cannot be read: " + e, e);
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
