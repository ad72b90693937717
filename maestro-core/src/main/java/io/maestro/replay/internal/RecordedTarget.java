package io.maestro.replay.internal;

import io.maestro.agent.CoderState;
import io.maestro.audit.AuditLog;
import io.maestro.audit.Store;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The target branch of a replay, which others merge into as they did then: each time that the story brings in what is new, the
 * branch has the commit that came in at that time. Safe for use by several threads.
 */
public final class RecordedTarget {
    private final Recording recording;
    private final Consumer<String> move;
    private volatile @Nullable AuditLog log;

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

    /** Moves the branch to what comes in next. Called whenever the story waits for a model, a decision or a merge. */
    void moveOn() {
        recording.tip(passed().size()).ifPresent(move);
    }

    /** How the story goes on that waits for its merge now; empty when it takes another way than then. */
    Optional<Store.StateTransition> afterMerge() {
        return recording.afterMerge((int) transitions().stream()
                .filter(step -> step.from() == CoderState.AWAIT_MERGE && step.to() != CoderState.SUSPEND)
                .count());
    }

    /** Each time that it has brought something in. */
    private List<Store.StateTransition> passed() {
        return transitions().stream()
                .filter(step -> step.to() == CoderState.PREPARE_MERGE && step.from() != CoderState.SUSPEND)
                .toList();
    }

    private List<Store.StateTransition> transitions() {
        AuditLog replayed = log;
        return replayed == null
                ? List.of()
                : replayed.transitions(recording.story().id());
    }
}
