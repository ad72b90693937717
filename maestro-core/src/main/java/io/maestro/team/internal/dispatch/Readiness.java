package io.maestro.team.internal.dispatch;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.story.StoryRows;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a story that waits may begin, according to the record. A story is read once, and again when it or what it
 * depends on has changed, in whatever process: so those that only wait cost one query together. Used by the dispatcher's thread.
 */
final class Readiness {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    /** All are read again so often: a change may be committed after one with a higher number. */
    private static final Duration AGAIN = Duration.ofSeconds(30);

    private final Store store;
    private final Dependencies dependencies;
    private final Admission admission;
    private final Map<String, RunningStory> stories;
    private final Completions completions;
    private final MaestroListener listener;
    private final Function<AuditLog.StoryRecord, StoryResult> results;

    /** The newest change that was looked at; none yet, or none since somebody has waited. */
    private long seen = Long.MAX_VALUE;

    private long allRead = System.nanoTime();

    Readiness(
            Store store,
            Admission admission,
            Map<String, RunningStory> stories,
            Completions completions,
            MaestroListener listener,
            Function<AuditLog.StoryRecord, StoryResult> results) {
        this.store = store;
        this.dependencies = new Dependencies(store);
        this.admission = admission;
        this.stories = stories;
        this.completions = completions;
        this.listener = listener;
        this.results = results;
    }

    /**
     * Sees which stories are to be read again.
     *
     * @throws StoreException when the record does not answer
     */
    void lookForChanges() {
        List<RunningStory> waiting =
                stories.values().stream().filter(RunningStory::waits).toList();
        if (waiting.isEmpty()) {
            seen = Long.MAX_VALUE;
            return;
        }
        AuditLog.Page<String> changes = store.changedStories(seen);
        boolean all = changes.last() < seen || System.nanoTime() - allRead > AGAIN.toNanos();
        if (all) {
            allRead = System.nanoTime();
        }
        Set<String> changed = Set.copyOf(changes.rows());
        for (RunningStory story : waiting) {
            if (all) {
                story.readAgain();
            } else {
                story.readAgainAfter(changed);
            }
        }
        seen = changes.last();
    }

    /**
     * Whether a story may begin, or is to be ended.
     *
     * @throws StoreException when the record does not answer
     */
    boolean isReady(RunningStory story) {
        return story.waits() && (!story.mustBeRead() || read(story)) && story.isReady();
    }

    /** Reads a story; false when it has ended. */
    private boolean read(RunningStory story) {
        AuditLog.StoryRecord row = store.story(story.id())
                .orElseThrow(() -> new MaestroException("there is no story " + story.id() + " in the record"));
        if (isSettled(story, row)) {
            return false;
        }
        story.read(row);
        story.ready(mayBegin(story, row));
        return true;
    }

    /** Completes a story whose row says that it has ended, here or elsewhere; false when it has not. */
    boolean isSettled(RunningStory story, AuditLog.StoryRecord row) {
        if (row.state().isFinal()) {
            completions.complete(story, () -> results.apply(row));
            return true;
        }
        return false;
    }

    /**
     * What a story has come to whose thread has failed: what it has recorded counts.
     *
     * @throws RuntimeException the failure, when the story has not ended
     */
    StoryResult resultDespite(RunningStory story, Throwable failure) {
        Optional<AuditLog.StoryRecord> ended =
                store.story(story.id()).filter(row -> row.state().isFinal());
        if (ended.isPresent()) {
            return results.apply(ended.get());
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw failure instanceof RuntimeException known
                ? known
                : new MaestroException("story " + story.id() + " failed: " + failure, failure);
    }

    private boolean mayBegin(RunningStory story, AuditLog.StoryRecord row) {
        if (row.state() != CoderState.WAITING) {
            return true;
        }
        if (story.mustCheckCircle()) {
            Optional<String> circle = dependencies.circle(row);
            if (circle.isPresent()) {
                giveUp(row, "it depends on itself: " + circle.get());
                return false;
            }
        }
        for (String other : row.dependsOn()) {
            Optional<CoderState> state = dependencies.state(other);
            if (state.isEmpty()) {
                tellOfUnknown(story, other);
            } else if (state.get() == CoderState.ERROR && row.specId() == null) {
                // Until it is given up: somebody may have one of the two leased.
                story.readAgain();
                if (!stories.containsKey(other)) {
                    giveUp(row, "it depends on story " + other + ", which has failed");
                }
            }
            if (!state.equals(Optional.of(CoderState.DONE))) {
                return false;
            }
        }
        return true;
    }

    private void giveUp(AuditLog.StoryRecord row, String reason) {
        admission.giveUp(row.id(), reason).ifPresent(this::tell);
    }

    private void tellOfUnknown(RunningStory story, String other) {
        if (story.mustTellOfUnknown()) {
            LOG.warn("story {} waits for story {}, which nobody has submitted yet", story.id(), other);
            tell(new MaestroEvent.DependencyUnknown(story.id(), StoryRows.DISPATCHER, other, Instant.now()));
        }
    }

    void tell(MaestroEvent event) {
        completions.outside(() -> listener.onEvent(event));
    }
}
