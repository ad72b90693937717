package io.maestro.team.internal.dispatch;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.RecordedText;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of stories that nobody works on: new ones, next attempts, those that are gone on with although they have
 * failed, and those that are given up. Each under the story's lease, since another process may do the same. Safe for use by
 * several threads.
 */
final class Admission {
    private static final Duration POLL = Duration.ofMillis(20);

    /**
     * Of so many processes that were killed one after the other before they had written a story's row, each holds it for the time
     * of a lease.
     */
    private static final int HOLDERS = 3;

    private final Store store;
    private final LeaseKeeper leases;
    private final Redactor redactor;
    private final String sessionId;
    private final @Nullable String targetBranch;
    private final Duration leaseTime;

    Admission(
            Store store,
            LeaseKeeper leases,
            Redactor redactor,
            String sessionId,
            @Nullable String targetBranch,
            Duration leaseTime) {
        this.store = store;
        this.leases = leases;
        this.redactor = redactor;
        this.sessionId = sessionId;
        this.targetBranch = targetBranch;
        this.leaseTime = leaseTime;
    }

    /**
     * Writes the row of a new story or a next attempt. Where another process does the same or is at work on the story, its row
     * counts.
     *
     * @throws MaestroException when the story is known with another text
     */
    void admit(Story story) {
        String key = Leases.story(story.id());
        Duration patience = leaseTime.multipliedBy(HOLDERS);
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            boolean last = System.nanoTime() > deadline;
            boolean leased = leases.acquire(List.of(key)).isPresent();
            try {
                Optional<AuditLog.StoryRecord> known = store.story(story.id());
                if (known.isPresent() && known.get().state() != CoderState.ERROR) {
                    requireSame(known.get(), story);
                    return;
                }
                if (leased) {
                    store.saveStory(StoryRows.waiting(story, known.orElse(null), null, sessionId));
                    return;
                }
            } finally {
                if (leased) {
                    leases.giveBack(key);
                }
            }
            if (last) {
                throw new MaestroException("story " + story.id() + " cannot be begun: another process has held it for "
                        + patience.toSeconds() + " s without working on it");
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /**
     * Refuses a story that has the id of another one.
     *
     * @throws MaestroException when the story in the record has another text, or was done on another branch
     */
    private void requireSame(AuditLog.StoryRecord record, Story story) {
        String state = record.state() == CoderState.DONE ? "done" : "begun";
        if (!RecordedText.isSame(record.content(), story.content(), redactor)
                || !RecordedText.isSame(record.title(), story.title(), redactor)) {
            throw new MaestroException("story " + story.id() + " is " + state + " already, with another text ('"
                    + record.title() + "'); give the new story an id of its own");
        }
        String branch = StoryProgress.fromJson(record.data()).checkout().targetBranch();
        if (targetBranch != null && branch != null && !targetBranch.equals(branch)) {
            throw new MaestroException("story " + story.id() + " is " + state + " already, on the branch '" + branch
                    + "' and not on '" + targetBranch + "', which this Maestro works on;"
                    + " give the story for that branch an id of its own");
        }
    }

    /**
     * Lets a story that has ended in ERROR go on in the state in which it did, with its workspace and its conversations.
     *
     * @param grants how often its budget was granted in all, from now on
     * @throws MaestroException when it is not known, has not ended so, or somebody else works on it
     */
    void reopen(String storyId, int grants) {
        String key = Leases.story(storyId);
        if (leases.acquire(List.of(key)).isEmpty()) {
            throw new MaestroException("story " + storyId + " cannot be gone on with: another process works on it");
        }
        try {
            AuditLog.StoryRecord before = store.story(storyId)
                    .orElseThrow(() -> new MaestroException("there is no story " + storyId + " in the record"));
            if (before.state() != CoderState.ERROR) {
                throw new MaestroException("story " + storyId + " is in " + before.state()
                        + "; only one that has ended in ERROR can be gone on with");
            }
            store.saveStory(StoryRows.reopened(store, before, sessionId, grants));
        } finally {
            leases.giveBack(key);
        }
    }

    /** Ends a story that was not begun; empty when it has begun, has ended or is somebody else's. */
    Optional<MaestroEvent> giveUp(String storyId, String why) {
        String key = Leases.story(storyId);
        if (leases.acquire(List.of(key)).isEmpty()) {
            return Optional.empty();
        }
        try {
            return store.story(storyId)
                    .filter(row -> row.state() == CoderState.WAITING)
                    .map(row -> givenUp(row, redactor.redact(why)));
        } finally {
            leases.giveBack(key);
        }
    }

    private MaestroEvent givenUp(AuditLog.StoryRecord row, String reason) {
        StoryProgress progress = StoryProgress.fromJson(row.data());
        progress.ended(StoryResult.Outcome.FAILED);
        store.recordTransition(
                StoryRows.transition(row, sessionId, StoryRows.DISPATCHER, CoderState.ERROR, reason),
                StoryRows.ended(row, sessionId, StoryRows.DISPATCHER, reason, progress));
        return new MaestroEvent.StateChanged(
                row.id(),
                StoryRows.DISPATCHER,
                row.attempt(),
                row.state(),
                CoderState.ERROR,
                reason,
                null,
                Instant.now());
    }
}
