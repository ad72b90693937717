package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.exec.Executor;
import io.maestro.git.internal.Workspace;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.story.Story;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One attempt at one story, while it runs. Used by the coder's thread only. */
final class StoryRun {
    final Story story;
    final int attempt;
    final String sessionId;
    /** The coder, or the dispatcher before one has taken the story. */
    String agentId;

    /** The specification that the story comes from. */
    final @Nullable String specId;

    final Meter meter;
    final StoryProgress progress;
    /** PLANNING and CODING go on where they were when the coder comes back from a review or a question. */
    final Map<CoderState, Desk> desks = new EnumMap<>(CoderState.class);

    /** The same of a program that works in these states. */
    final Map<CoderState, ProgramDesk> programs = new EnumMap<>(CoderState.class);

    /** How much of the guidance was there before this life: an earlier one has told it, if it had begun to work. */
    final int earlierGuidance;

    CoderState state = CoderState.WAITING;

    @Nullable
    Workspace workspace;

    @Nullable
    Environment environment;

    @Nullable
    String mergeCommit;

    @Nullable
    String error;

    private final ReentrantLock saving = new ReentrantLock();

    /** What is down; null after a restart, too. */
    @Nullable
    RetriableException suspendedBy;

    /** What a tool met when it ran a command and nobody answered: waited for before the model's next turn. */
    final AtomicReference<@Nullable RetriableException> outage = new AtomicReference<>();

    /** When the last command of a tool was run to its end, in milliseconds since 1970. */
    final AtomicLong commandAnsweredAt = new AtomicLong();

    /** A new attempt. */
    StoryRun(Story story, int attempt, String sessionId, String agentId, Meter meter) {
        this(story, attempt, sessionId, agentId, meter, new StoryProgress(), null);
    }

    /** An attempt that stands where its progress says. */
    StoryRun(
            Story story,
            int attempt,
            String sessionId,
            String agentId,
            Meter meter,
            StoryProgress progress,
            @Nullable String specId) {
        this.story = story;
        this.attempt = attempt;
        this.sessionId = sessionId;
        this.agentId = agentId;
        this.meter = meter;
        this.progress = progress;
        this.earlierGuidance = progress.guidance.size();
        this.specId = specId;
        // While the host was off nobody has waited.
        progress.suspensions = 0;
        progress.suspendedSince = 0;
    }

    /** Whether what has failed now has worked since a time: that is the end of an outage, and this is a new one. */
    private boolean hasWorkedSince(RetriableException failure, long millis) {
        long last = failure instanceof LlmUnavailableException ? meter.answeredAt() : commandAnsweredAt.get();
        return last > millis;
    }

    /** A service does not answer, in the state that the run is in. */
    void suspend(RetriableException failure) {
        if (progress.suspensions > 0 && hasWorkedSince(failure, progress.suspendedSince)) {
            recovered();
        }
        progress.suspended = state;
        suspendedBy = failure;
        if (progress.suspensions++ == 0) {
            progress.suspendedSince = System.currentTimeMillis();
        }
    }

    /** Whatever was down is up again. */
    void recovered() {
        progress.suspensions = 0;
        progress.suspendedSince = 0;
        suspendedBy = null;
    }

    Workspace workspace() {
        if (workspace == null) {
            throw new MaestroException("story " + story.id() + " has no workspace in state " + state);
        }
        return workspace;
    }

    Environment environment() {
        if (environment == null) {
            throw new MaestroException("story " + story.id() + " has no environment in state " + state);
        }
        return environment;
    }

    Executor executor() {
        return environment().executor();
    }

    /** Where QUESTION and BUDGET_REVIEW go back to. */
    CoderState origin() {
        CoderState origin = progress.origin;
        if (origin == null) {
            throw new MaestroException("story " + story.id() + " came into " + state + " from nowhere");
        }
        return origin;
    }

    /** Changes the progress in the middle of a state, and records it. Safe for use by several threads. */
    void save(Store store, Runnable change) {
        saving.lock();
        try {
            change.run();
            store.saveStory(toRecord(state));
        } finally {
            saving.unlock();
        }
    }

    /** The story as it stands, for the record. */
    Store.StoryRecord toRecord(CoderState as) {
        progress.workedMillis = meter.elapsed().toMillis();
        return new Store.StoryRecord(
                story.id(),
                sessionId,
                story.title(),
                story.content(),
                story.type().name(),
                story.express(),
                as,
                attempt,
                agentId,
                workspace == null ? null : workspace.branch(),
                mergeCommit,
                error,
                progress.toJson(),
                specId,
                story.dependsOn(),
                Instant.now());
    }
}
