package io.maestro.team.internal.coder;

import io.maestro.git.internal.GitRepository;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.team.internal.dispatch.CoderNames;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.story.StoryProgress;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes what a story leaves on this machine: its workspace once it is merged, its refs in the mirror once it is over. Safe for use by several threads. */
public final class WorkspaceCleanup {
    private static final Logger LOG = LoggerFactory.getLogger(WorkspaceCleanup.class);

    private final GitRepository git;
    private final WorkspaceMarkers markers;
    private final AuditLog record;

    /** The workspaces of a repository's project directory. */
    public WorkspaceCleanup(GitRepository git, WorkspaceMarkers markers, AuditLog record) {
        this.git = git;
        this.markers = markers;
        this.record = record;
    }

    /**
     * An earlier life may have been killed between the end of a story and this, or while it made a workspace, which has no mark
     * then. What is marked and not done is kept: to go on with, or to be looked at. Nobody works yet.
     */
    public void afterAnEarlierLife() {
        git.clearStaging();
        Set<String> toEmpty = new TreeSet<>(markers.workspaces());
        for (WorkspaceMarkers.WorkspaceMarker mark : markers.all()) {
            if (isOver(mark)) {
                toEmpty.add(mark.agentId());
            } else {
                toEmpty.remove(mark.agentId());
            }
        }
        toEmpty.removeIf(agentId -> !CoderNames.isOne(agentId));
        toEmpty.forEach(this::empty);
        git.forgetAll(story ->
                record.story(story).filter(row -> !row.state().isFinal()).isEmpty());
    }

    /** The story is done, or its row knows nothing of this workspace: its process was killed before it could say so. */
    private boolean isOver(WorkspaceMarkers.WorkspaceMarker mark) {
        return record.story(mark.storyId())
                .filter(story -> story.state() == CoderState.DONE
                        || !mark.workspaceId()
                                .equals(StoryProgress.fromJson(story.data())
                                        .checkout()
                                        .workspaceId()))
                .isPresent();
    }

    /** A story is done. */
    void emptyAfter(StoryAttempt run) {
        if (run.sandbox().ownWorkspace().isPresent() || isMarkedFor(run)) {
            empty(run.agentId());
        }
    }

    /** A story is over: the mirror keeps nothing of it any more. */
    void forget(StoryAttempt run) {
        try {
            git.forget(run.story().id(), run.attempt());
        } catch (RuntimeException e) {
            // The next life forgets it.
            left("what the mirror has of " + run + " could not be dropped", e);
        }
    }

    /** An earlier attempt of the story has worked there; this one was found merged before it had a workspace. */
    private boolean isMarkedFor(StoryAttempt run) {
        return markers.of(run.agentId())
                .filter(mark -> mark.storyId().equals(run.story().id()))
                .isPresent();
    }

    private void empty(String agentId) {
        try {
            // The directory itself stays: a container may have it mounted.
            git.emptyWorkspace(agentId);
            markers.remove(agentId);
        } catch (RuntimeException e) {
            // The next story empties it again; what was merged is merged.
            left("the workspace of " + agentId + " could not be emptied", e);
        }
    }

    /** A host that shuts down as soon as a story is done cuts this short, and nobody has to do anything about it. */
    private static void left(String what, RuntimeException why) {
        if (Thread.currentThread().isInterrupted()) {
            LOG.info("{} before the end, so that the next start does it: {}", what, why.getMessage());
        } else {
            LOG.warn("{}: {}", what, why.getMessage());
        }
    }
}
