package io.maestro.team.internal.spec;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.StoryDispatch;
import io.maestro.team.internal.story.StoryProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Coders that need no model: each attempt at a story ends as the test says, when what it depends on is done. What it knows is
 * what the store has, as with the real one.
 */
final class FakeStoryDispatch implements StoryDispatch {
    static final Usage USAGE = new Usage(10, 0, 0, 0);

    private final Store store;
    private final Map<String, Outcome> outcomes;
    private final Map<String, CompletableFuture<StoryResult>> watched = new LinkedHashMap<>();

    /** In the order in which they were begun: {@code s-01#1}. */
    final List<String> begun = new ArrayList<>();

    final List<String> cancelled = new ArrayList<>();
    final List<String> givenUp = new ArrayList<>();

    /** By {@code <story>#<attempt>}; a story that has none goes on for ever. */
    FakeStoryDispatch(Store store, Map<String, Outcome> outcomes) {
        this.store = store;
        this.outcomes = new HashMap<>(outcomes);
    }

    @Override
    public synchronized CompletableFuture<StoryResult> watch(String storyId) {
        CompletableFuture<StoryResult> future = watched.computeIfAbsent(storyId, id -> new CompletableFuture<>());
        work();
        return future;
    }

    /** From now on an attempt ends so. */
    synchronized void set(String attempt, Outcome outcome) {
        outcomes.put(attempt, outcome);
        work();
    }

    @Override
    public synchronized boolean cancel(String storyId, String why) {
        cancelled.add(storyId);
        AuditLog.StoryRecord row = row(storyId);
        if (!row.state().isFinal()) {
            end(row, Outcome.CANCELLED, "cancelled");
            work();
        }
        return watched.containsKey(storyId);
    }

    @Override
    public synchronized void giveUp(String storyId, String reason) {
        AuditLog.StoryRecord row = row(storyId);
        if (row.state() == CoderState.WAITING) {
            givenUp.add(storyId + ": " + reason);
            end(row, Outcome.FAILED, reason);
            work();
        }
    }

    private AuditLog.StoryRecord row(String storyId) {
        return store.story(storyId).orElseThrow();
    }

    private void work() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Map.Entry<String, CompletableFuture<StoryResult>> entry : List.copyOf(watched.entrySet())) {
                AuditLog.StoryRecord row = row(entry.getKey());
                if (row.state().isFinal()) {
                    watched.remove(entry.getKey());
                    entry.getValue().complete(result(row));
                    changed = true;
                } else if (row.dependsOn().stream().allMatch(id -> row(id).state() == CoderState.DONE)) {
                    String attempt = row.id() + "#" + row.attempt();
                    if (!begun.contains(attempt)) {
                        begun.add(attempt);
                    }
                    Outcome outcome = outcomes.get(attempt);
                    if (outcome != null) {
                        end(row, outcome, "because the test wants it");
                        changed = true;
                    }
                }
            }
        }
    }

    private void end(AuditLog.StoryRecord row, Outcome outcome, String reason) {
        boolean merged = outcome == Outcome.MERGED;
        StoryProgress progress = StoryProgress.fromJson(row.data());
        progress.ended(outcome);
        CoderState state = merged || outcome == Outcome.NO_CHANGE ? CoderState.DONE : CoderState.ERROR;
        Instant now = Instant.now();
        store.recordTransition(
                new AuditLog.StateTransition(
                        row.sessionId(), row.id(), row.attempt(), "coder-001", row.state(), state, reason, now),
                new AuditLog.StoryRecord(
                        row.id(),
                        row.sessionId(),
                        row.title(),
                        row.content(),
                        row.type(),
                        row.express(),
                        state,
                        row.attempt(),
                        "coder-001",
                        "maestro/story-" + row.id(),
                        merged ? "commit-of-" + row.id() : null,
                        state == CoderState.ERROR ? reason : null,
                        progress.toJson(),
                        row.specId(),
                        row.dependsOn(),
                        now));
    }

    private static StoryResult result(AuditLog.StoryRecord row) {
        Outcome outcome = StoryProgress.fromJson(row.data()).outcome();
        return new StoryResult(
                row.id(),
                row.attempt(),
                outcome,
                Optional.ofNullable(row.mergeCommit()),
                Optional.ofNullable(row.branch()),
                Optional.ofNullable(row.error()),
                USAGE,
                Optional.empty(),
                Duration.ofMillis(5));
    }
}
