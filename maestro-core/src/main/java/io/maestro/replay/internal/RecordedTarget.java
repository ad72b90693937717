package io.maestro.replay.internal;

import io.maestro.record.AuditLog;
import io.maestro.team.internal.story.StoryProgress;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The target branch of a replay, which others merge into as they did then: each time that the story brings in what is new, the
 * branch has the commit that came in at that step. After a fork nobody else merges. Safe for use by several threads.
 */
public final class RecordedTarget {
    private final Recording recording;
    private final Consumer<String> move;
    private volatile @Nullable AuditLog log;
    private volatile boolean forked;

    /**
     * Creates one.
     *
     * @param move sets the branch to a commit of the recorded repository
     */
    public RecordedTarget(Recording recording, Consumer<String> move) {
        this.recording = recording;
        this.move = move;
    }

    /** Reads from now on how far the replay is. */
    public void follow(AuditLog replayed) {
        log = replayed;
    }

    /** Another model goes on: what was then is no guide any more. */
    void fork() {
        forked = true;
    }

    boolean isForked() {
        return forked;
    }

    /** Moves the branch to what comes in next. Called whenever the story waits for a model, a decision or a merge. */
    void moveOn() {
        AuditLog replayed = log;
        if (forked || replayed == null) {
            return;
        }
        replayed.story(recording.story().id())
                .map(story -> StoryProgress.fromJson(story.data()).step())
                .flatMap(recording::tipAfter)
                .ifPresent(move);
    }

    /** How the story goes on that waits for its merge now; empty when it takes another way than then. */
    Optional<AuditLog.StateTransition> afterMerge() {
        AuditLog replayed = log;
        return replayed == null
                ? Optional.empty()
                : recording.afterMerge(
                        (int) replayed.transitions(recording.story().id()).stream()
                                .filter(Recording::endsMerge)
                                .count());
    }

    /** Whether the story was merged in the end. */
    boolean isMerged() {
        return recording.mergeCommit().isPresent();
    }
}
