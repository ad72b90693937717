package io.maestro.team.internal.spec;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.internal.Texts;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.story.ArchitectState;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * MONITORING: waits for stories that end. What was seen here is in the record only after the next change of state; a new
 * process sees it again, since stories that have ended stay so.
 */
final class MonitoringHandler implements StateHandler<ArchitectState, SpecRun> {
    private final SpecServices services;

    MonitoringHandler(SpecServices services) {
        this.services = services;
    }

    /** Has all stories seen to their end that need it. */
    void watch(SpecRun run) {
        for (AuditLog.StoryRecord story : services.resources().store().storiesOf(run.spec.id())) {
            if (!run.progress.ended().containsKey(story.id())) {
                run.watched.computeIfAbsent(story.id(), services.stories()::watch);
            }
        }
    }

    @Override
    public Next<ArchitectState> handle(SpecRun run) {
        List<AuditLog.StoryRecord> all = services.resources().store().storiesOf(run.spec.id());
        while (true) {
            giveUpWhatCannotBegin(run, all);
            watch(run);
            Optional<AuditLog.StoryRecord> next =
                    all.stream().filter(story -> hasEnded(run, story)).findFirst();
            if (next.isPresent()) {
                StoryResult result = result(run, next.get());
                if (mustBeEdited(run, result)) {
                    return edit(run, result);
                }
                run.progress.ended(result);
            } else if (run.watched.isEmpty()) {
                return done(run, all);
            } else {
                await(run);
            }
        }
    }

    /**
     * A story whose dependency has failed for good is not waited for; the dependency of a story that depends on that one
     * has then failed, too.
     */
    private void giveUpWhatCannotBegin(SpecRun run, List<AuditLog.StoryRecord> all) {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (AuditLog.StoryRecord story : all) {
                Optional<String> failed = story.dependsOn().stream()
                        .filter(other -> failedForGood(run, other))
                        .findFirst();
                if (failed.isPresent() && !run.progress.ended().containsKey(story.id())) {
                    giveUp(run, story, "not begun: it depends on story " + failed.get() + ", which is not done");
                    changed = true;
                }
            }
        }
    }

    private static boolean failedForGood(SpecRun run, String storyId) {
        SpecProgress.Ended ended = run.progress.ended().get(storyId);
        return ended != null && !ended.successful();
    }

    private void giveUp(SpecRun run, AuditLog.StoryRecord story, String reason) {
        services.stories().giveUp(story.id(), reason);
        run.watched.remove(story.id());
        run.progress.giveUp(story, reason);
        services.events()
                .onEvent(new MaestroEvent.StoryGivenUp(
                        run.spec.id(), story.id(), services.architectId(), reason, Instant.now()));
    }

    /** Not before all that it depends on: an earlier life may have given it up because of one of them. */
    private static boolean hasEnded(SpecRun run, AuditLog.StoryRecord story) {
        CompletableFuture<StoryResult> future = run.watched.get(story.id());
        return future != null
                && future.isDone()
                && run.progress.ended().keySet().containsAll(story.dependsOn());
    }

    private StoryResult result(SpecRun run, AuditLog.StoryRecord story) {
        CompletableFuture<StoryResult> future = run.watched.remove(story.id());
        try {
            StoryResult result = future == null ? null : future.join();
            if (result == null) {
                throw new MaestroException("story " + story.id() + " ended without a result");
            }
            return result;
        } catch (CancellationException e) {
            return SpecProgress.Ended.without(StoryResult.Outcome.CANCELLED, story.attempt(), "cancelled")
                    .toResult(story.id());
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreException known) {
                throw known;
            }
            // A specification that is stopped stops its stories, too.
            run.stop().check();
            // That is no reason to end the others.
            return SpecProgress.Ended.without(
                            StoryResult.Outcome.FAILED,
                            story.attempt(),
                            services.resources()
                                    .redactor()
                                    .redact("it has not ended: "
                                            + Texts.describe(Objects.requireNonNullElse(e.getCause(), e))))
                    .toResult(story.id());
        }
    }

    private boolean mustBeEdited(SpecRun run, StoryResult result) {
        boolean failed =
                result.outcome() == StoryResult.Outcome.FAILED || result.outcome() == StoryResult.Outcome.REJECTED;
        // A story that has used up all that it may ever cost cannot be tried again, nor one that has not ended.
        return failed
                && !open(run).contains(result.storyId())
                && services.costs().mayAskFor(result.storyId())
                && run.progress.edits(result.storyId())
                        < services.resources().settings().limits().storyRetries();
    }

    private static Next<ArchitectState> edit(SpecRun run, StoryResult result) {
        run.progress.edit(result);
        return new Next<>(
                ArchitectState.EDITING,
                "story " + result.storyId() + " ended as " + result.outcome()
                        + result.error().map(error -> ": " + error).orElse(""));
    }

    /** The stories that have not ended, according to the record, and are not given up. */
    private List<String> open(SpecRun run) {
        return services.resources().store().storiesOf(run.spec.id()).stream()
                .filter(story -> !story.state().isFinal() && !run.progress.isGivenUp(story.id()))
                .map(AuditLog.StoryRecord::id)
                .sorted()
                .toList();
    }

    private Next<ArchitectState> done(SpecRun run, List<AuditLog.StoryRecord> all) {
        List<String> cancelled = run.progress.ended().entrySet().stream()
                .filter(story -> story.getValue().outcome() == StoryResult.Outcome.CANCELLED)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        if (!cancelled.isEmpty()) {
            // Not DONE, which would be the last word: run again, the specification goes on with them.
            String why = "cancelled stories: " + cancelled + "; run the specification again to go on with them";
            run.ended(SpecResult.Outcome.CANCELLED, why);
            return new Next<>(ArchitectState.ERROR, why);
        }
        List<String> open = open(run);
        if (!open.isEmpty()) {
            String why = "stories that have not ended: " + open + "; run the specification again to go on with them";
            run.ended(SpecResult.Outcome.FAILED, why);
            return new Next<>(ArchitectState.ERROR, why);
        }
        long done = run.progress.ended().values().stream()
                .filter(SpecProgress.Ended::successful)
                .count();
        return new Next<>(ArchitectState.DONE, done + " of " + all.size() + " stories are done");
    }

    private static void await(SpecRun run) {
        List<CompletableFuture<StoryResult>> open = run.watched.entrySet().stream()
                .filter(entry -> !entry.getValue().isDone())
                .map(Map.Entry::getValue)
                .toList();
        if (open.isEmpty()) {
            throw new IllegalStateException("stories have ended whose dependencies have not: " + run.watched.keySet());
        }
        try {
            CompletableFuture.anyOf(open.toArray(CompletableFuture[]::new)).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } catch (ExecutionException | CancellationException e) {
            // Whoever looks at that story is told of it.
            return;
        }
    }
}
