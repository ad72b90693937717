package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.agent.Limits;
import io.maestro.audit.AuditLog;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryType;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What the record says of a story. */
final class KnownStory {
    private KnownStory() {}

    /** The story as it is in the record: without its secrets. */
    static Story story(Store.StoryRecord record) {
        Story.Builder story = Story.builder(record.id(), record.title())
                .content(record.content())
                .type(StoryType.valueOf(record.type()))
                .dependsOn(record.dependsOn().toArray(String[]::new));
        return record.express() ? story.express().build() : story.build();
    }

    /** A merge was begun whose end is not known: by that attempt, or by one before it. */
    static boolean mayBeMerged(Store.StoryRecord before) {
        StoryProgress progress = StoryProgress.fromJson(before.data());
        return before.state() == CoderState.AWAIT_MERGE
                || (before.state() == CoderState.SUSPEND && before.branch() != null)
                || progress.mayBeMerged;
    }

    /** What a next attempt must know of the one before. */
    static StoryProgress nextAttempt(Store.StoryRecord before) {
        StoryProgress progress = new StoryProgress();
        progress.mayBeMerged = mayBeMerged(before);
        StoryProgress earlier = StoryProgress.fromJson(before.data());
        progress.since = earlier.since;
        if (progress.mayBeMerged) {
            progress.imageIfMerged = earlier.containerModified ? earlier.newContainerImage : earlier.imageIfMerged;
        }
        return progress;
    }

    /**
     * What an attempt must know that takes the place of one whose process was killed. Nobody has asked for it: what the story
     * may cost stays the same, however often that happens.
     */
    static StoryProgress insteadOf(Store.StoryRecord before) {
        StoryProgress progress = nextAttempt(before);
        StoryProgress killed = StoryProgress.fromJson(before.data());
        progress.budgetFrom = budgetFrom(killed, before.attempt());
        progress.workedMillis = killed.workedMillis;
        progress.grants = killed.grants;
        Integer reviews = killed.returns.get(CoderState.BUDGET_REVIEW);
        if (reviews != null) {
            progress.returns.put(CoderState.BUDGET_REVIEW, reviews);
        }
        return progress;
    }

    private static int budgetFrom(StoryProgress progress, int attempt) {
        return progress.budgetFrom == 0 ? attempt : progress.budgetFrom;
    }

    /** What an attempt has cost so far. A model whose price is not known any more costs nothing. */
    static Meter meter(
            AuditLog record,
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String storyId,
            int attempt,
            StoryProgress progress) {
        return new Meter(
                limits,
                prices,
                spent(record, prices, storyId, attempt, progress),
                Duration.ofMillis(progress.workedMillis),
                progress.grants);
    }

    private static Spent spent(
            AuditLog record,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String storyId,
            int attempt,
            StoryProgress progress) {
        int from = budgetFrom(progress, attempt);
        return Spent.on(
                record.messages(storyId).stream()
                        .filter(message -> message.attempt() >= from && message.attempt() <= attempt),
                prices);
    }

    /** The result of a story that has ended. */
    static StoryResult result(
            AuditLog store, BiFunction<String, Usage, Optional<BigDecimal>> prices, Store.StoryRecord record) {
        StoryProgress progress = StoryProgress.fromJson(record.data());
        Spent spent = spent(store, prices, record.id(), record.attempt(), progress);
        boolean done = record.state() == CoderState.DONE;
        StoryResult.Outcome otherwise = done ? StoryResult.Outcome.MERGED : StoryResult.Outcome.FAILED;
        return new StoryResult(
                record.id(),
                record.attempt(),
                progress.outcome == null ? otherwise : progress.outcome,
                Optional.ofNullable(record.mergeCommit()),
                Optional.ofNullable(record.branch()),
                Optional.ofNullable(record.error()),
                spent.usage(),
                spent.knownCost(),
                Duration.ofMillis(progress.workedMillis));
    }

    /** How a story that has not begun depends on itself, by others that have not begun, if it does. */
    static Optional<String> circle(AuditLog record, Store.StoryRecord story) {
        return circle(record, story.id(), List.of(story.id()), story.dependsOn(), new HashSet<>());
    }

    private static Optional<String> circle(
            AuditLog record, String start, List<String> way, List<String> dependencies, Set<String> seen) {
        for (String next : dependencies) {
            List<String> longer = new ArrayList<>(way);
            longer.add(next);
            if (next.equals(start)) {
                return Optional.of(String.join(" -> ", longer));
            }
            Optional<Store.StoryRecord> row = seen.add(next)
                    ? record.story(next).filter(known -> known.state() == CoderState.WAITING)
                    : Optional.empty();
            Optional<String> found = row.flatMap(known -> circle(record, start, longer, known.dependsOn(), seen));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /**
     * Refuses a story that has the id of another one.
     *
     * @throws MaestroException when the story in the record has another text, or was done on another branch
     */
    static void requireSame(Store.StoryRecord record, Story story, Redactor redactor, @Nullable String targetBranch) {
        String state = record.state() == CoderState.DONE ? "done" : "begun";
        if (!record.content().equals(redactor.redact(story.content()))
                || !record.title().equals(redactor.redact(story.title()))) {
            throw new MaestroException("story " + story.id() + " is " + state + " already, with another text ('"
                    + record.title() + "'); give the new story an id of its own");
        }
        String branch = StoryProgress.fromJson(record.data()).targetBranch;
        if (targetBranch != null && branch != null && !targetBranch.equals(branch)) {
            throw new MaestroException("story " + story.id() + " is " + state + " already, on the branch '" + branch
                    + "' and not on '" + targetBranch + "', which this Maestro works on;"
                    + " give the story for that branch an id of its own");
        }
    }
}
