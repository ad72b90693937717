package io.maestro.team.internal.coder;

import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecProcess;
import io.maestro.git.internal.Workspace;
import io.maestro.internal.Uninterrupted;
import io.maestro.team.internal.story.StoryProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where an attempt at a story works: its workspace, and the environment of its commands. Used by the coder's thread, but for
 * what says otherwise.
 */
public final class CoderSandbox {
    private final StoryAttempt run;
    private final StoryProgress progress;
    private final AtomicReference<@Nullable RetriableException> commandFailure = new AtomicReference<>();
    private final Set<ExecProcess> started = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Long answeredAt;
    private @Nullable Workspace workspace;
    private @Nullable Environment environment;

    /** Nothing is made yet. */
    CoderSandbox(StoryAttempt run, StoryProgress progress) {
        this.run = run;
        this.progress = progress;
    }

    /** The workspace, its branch and the environment are made, under an id that no other attempt has. */
    void made(Workspace made, Environment opened, String workspaceId) {
        reopened(made, opened);
        progress.work().comparedWith(made.baseCommit());
        progress.checkout().made(workspaceId, made.baseCommit());
    }

    /** The attempt is back in the workspace of an earlier life. */
    void reopened(Workspace reopened, Environment opened) {
        this.workspace = reopened;
        this.environment = opened;
        Path seen = Path.of(opened.executor().workingDirectory());
        progress.checkout().seenAs(seen.toString());
        try {
            // What a program says of itself has no links in it.
            progress.checkout().seenAs(seen.toRealPath().toString());
        } catch (IOException e) {
            // It is in a container.
        }
    }

    /** An environment without a workspace, of a story that is merged already. */
    Environment opened(Environment opened) {
        this.environment = opened;
        return opened;
    }

    /** The workspace, if there is one here; without one, somebody else may work under the agent's name. */
    Optional<Workspace> ownWorkspace() {
        return Optional.ofNullable(workspace);
    }

    Workspace workspace() {
        return ownWorkspace()
                .orElseThrow(() -> new MaestroException(run + " has no workspace in state " + run.state()));
    }

    Environment environment() {
        Environment open = environment;
        if (open == null) {
            throw new MaestroException(run + " has no environment in state " + run.state());
        }
        return open;
    }

    /** Nobody has answered a tool that ran a command, of which the tool tells only its model. Safe for use by several threads. */
    void commandFailed(RetriableException failure) {
        commandFailure.set(failure);
    }

    /** A tool's command was run to its end. Safe for use by several threads. */
    void commandAnswered() {
        answeredAt = System.nanoTime();
    }

    /** When that was last, in terms of {@link System#nanoTime()}; null when it was not in this life. */
    @Nullable
    Long answeredAt() {
        return answeredAt;
    }

    /** Forgets such failures. */
    void forgetCommandFailure() {
        commandFailure.set(null);
    }

    /**
     * Throws what a tool's command has met, so that it is waited for: a model cannot help it that nobody answers, and would use
     * up its turns.
     */
    public void requireCommandsAnswered() {
        RetriableException failure = commandFailure.getAndSet(null);
        if (failure != null) {
            throw failure;
        }
    }

    /** A tool's command runs on while its agent does something else. Safe for use by several threads. */
    void started(ExecProcess process) {
        started.removeIf(known -> !known.isAlive());
        started.add(process);
    }

    /** Ends what tools have left running, before what the agent has done is looked at. */
    void endStarted() {
        started.forEach(process -> Uninterrupted.closing("a command of " + run.agentId() + " for " + run, process));
        started.clear();
    }

    /**
     * Gives the environment back, also when the thread is interrupted.
     *
     * @param ended whether the attempt has ended, so that nothing of it is kept; otherwise it goes on in another environment
     */
    void close(boolean ended) {
        Environment open = environment;
        environment = null;
        if (open != null) {
            Uninterrupted.closing("the environment of " + run.agentId() + " for " + run, ended ? open::remove : open);
        }
    }
}
