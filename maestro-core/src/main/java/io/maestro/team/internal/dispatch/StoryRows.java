package io.maestro.team.internal.dispatch;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.story.Story;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Makes the rows of stories: the only place that writes one out. */
public final class StoryRows {
    /** Who acts for a story before a coder has taken it. */
    public static final String DISPATCHER = "dispatcher";

    private StoryRows() {}

    /**
     * What has been done on a story so far.
     *
     * @param agentId who works on it
     * @param branch its branch
     * @param mergeCommit the commit on the target
     * @param error why it has failed
     */
    public record Work(
            @Nullable String agentId,
            @Nullable String branch,
            @Nullable String mergeCommit,
            @Nullable String error) {
        /** Nobody has worked on it. */
        public static final Work NONE = new Work(null, null, null, null);

        /** Nobody but the dispatcher has. */
        static final Work DISPATCHED = new Work(DISPATCHER, null, null, null);
    }

    /** A row of now. */
    public static Store.StoryRecord of(
            Story story,
            @Nullable String specId,
            String sessionId,
            int attempt,
            CoderState state,
            Work work,
            StoryProgress progress) {
        return new Store.StoryRecord(
                story.id(),
                sessionId,
                story.title(),
                story.content(),
                story.type().name(),
                story.express(),
                state,
                attempt,
                work.agentId(),
                work.branch(),
                work.mergeCommit(),
                work.error(),
                progress.toJson(),
                specId,
                story.dependsOn(),
                Instant.now());
    }

    /** A new story, or the next attempt at one that has ended; what may be merged already is not merged again. */
    public static Store.StoryRecord waiting(
            Story story, Store.@Nullable StoryRecord before, @Nullable String specId, String sessionId) {
        return of(
                story,
                before == null ? specId : before.specId(),
                sessionId,
                before == null ? 1 : before.attempt() + 1,
                CoderState.WAITING,
                Work.DISPATCHED,
                before == null ? new StoryProgress() : StoryHistory.nextAttempt(before));
    }

    /** A story that ends in ERROR as it stands. */
    public static Store.StoryRecord ended(
            Store.StoryRecord before, String sessionId, String agentId, String reason, StoryProgress progress) {
        return of(
                StoryHistory.story(before),
                before.specId(),
                sessionId,
                before.attempt(),
                CoderState.ERROR,
                new Work(agentId, before.branch(), before.mergeCommit(), reason),
                progress);
    }

    /** A change of state of a story that does not run. */
    public static Store.StateTransition transition(
            Store.StoryRecord before, String sessionId, String agentId, CoderState to, String reason) {
        return new Store.StateTransition(
                sessionId, before.id(), before.attempt(), agentId, before.state(), to, reason, Instant.now());
    }
}
