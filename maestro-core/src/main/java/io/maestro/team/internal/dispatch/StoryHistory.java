package io.maestro.team.internal.dispatch;

import io.maestro.agent.CoderState;
import io.maestro.agent.Limits;
import io.maestro.audit.AuditLog;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.audit.internal.RecordedText;
import io.maestro.budget.internal.Account;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryType;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.UsageTotals;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What the record says of a story. */
public final class StoryHistory {
    private StoryHistory() {}

    /** The story as it is in the record: without its secrets. */
    public static Story story(Store.StoryRecord record) {
        return story(record, record.title(), record.content());
    }

    /** The same story with another text. */
    public static Story story(Store.StoryRecord record, String title, String content) {
        Story.Builder story = Story.builder(record.id(), title)
                .content(content)
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
    public static StoryProgress nextAttempt(Store.StoryRecord before) {
        StoryProgress progress = new StoryProgress();
        progress.mayBeMerged = mayBeMerged(before);
        StoryProgress earlier = StoryProgress.fromJson(before.data());
        progress.earlierCommits.addAll(earlier.earlierCommits);
        progress.pushedBranches.addAll(earlier.pushedBranches);
        if (progress.mayBeMerged) {
            if (earlier.commit != null) {
                progress.earlierCommits.add(earlier.commit);
            }
            progress.tests = earlier.tests;
            progress.imageIfMerged = earlier.containerModified ? earlier.newContainerImage : earlier.imageIfMerged;
        }
        return progress;
    }

    /**
     * What an attempt must know that takes the place of one whose process was killed. Nobody has asked for it: what the story
     * may cost stays the same, however often that happens.
     */
    public static StoryProgress insteadOf(Store.StoryRecord before) {
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
    public static Meter meter(
            AuditLog record,
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String storyId,
            int attempt,
            StoryProgress progress,
            Account account) {
        return new Meter(
                limits,
                prices,
                spent(record, prices, storyId, attempt, progress),
                Duration.ofMillis(progress.workedMillis),
                progress.grants,
                account);
    }

    private static UsageTotals spent(
            AuditLog record,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String storyId,
            int attempt,
            StoryProgress progress) {
        int from = budgetFrom(progress, attempt);
        return UsageTotals.on(
                record.costs(storyId).stream().filter(cost -> cost.attempt() >= from && cost.attempt() <= attempt),
                prices);
    }

    /** The result of a story that has ended. */
    public static StoryResult result(
            AuditLog store, BiFunction<String, Usage, Optional<BigDecimal>> prices, Store.StoryRecord record) {
        StoryProgress progress = StoryProgress.fromJson(record.data());
        UsageTotals spent = spent(store, prices, record.id(), record.attempt(), progress);
        boolean done = record.state() == CoderState.DONE;
        StoryResult.Outcome otherwise = done ? StoryResult.Outcome.MERGED : StoryResult.Outcome.FAILED;
        return new StoryResult(
                record.id(),
                record.attempt(),
                progress.outcome == null ? otherwise : progress.outcome,
                Optional.ofNullable(progress.tests),
                Optional.ofNullable(record.mergeCommit()),
                Optional.ofNullable(record.branch()),
                Optional.ofNullable(record.error()),
                spent.usage(),
                spent.knownCost(),
                Duration.ofMillis(progress.workedMillis),
                UsageTotals.parts(store.costs(record.id()), prices));
    }

    /** A result with what each agent has cost. */
    public static StoryResult withCosts(
            AuditLog record, BiFunction<String, Usage, Optional<BigDecimal>> prices, StoryResult result) {
        return result.withCosts(UsageTotals.parts(record.costs(result.storyId()), prices));
    }

    /** The result of a story that nobody has begun here. */
    static StoryResult notBegun(String storyId, String reason) {
        return new StoryResult(
                storyId,
                1,
                StoryResult.Outcome.CANCELLED,
                Optional.empty(),
                Optional.empty(),
                Optional.of(reason),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO);
    }

    /**
     * A story that has ended in ERROR, as it stands when it is to go on in the state in which it did: with its rounds begun
     * anew, and in a step of its own, so that the architect is asked again.
     */
    static Store.StoryRecord reopened(AuditLog record, Store.StoryRecord before, String sessionId, int grants) {
        StoryProgress progress = StoryProgress.fromJson(before.data());
        CoderState failedIn = record.transitions(before.id()).stream()
                .filter(row -> row.attempt() == before.attempt() && row.to() == CoderState.ERROR)
                .reduce((first, last) -> last)
                .map(Store.StateTransition::from)
                .orElse(CoderState.WAITING);
        CoderState state = failedIn == CoderState.SUSPEND ? progress.suspended : failedIn;
        if (state == CoderState.BUDGET_REVIEW && grants > progress.grants) {
            // It is granted now: nobody is asked for it, who might not be allowed to grant any.
            state = progress.origin;
        }
        if (state == null || state == CoderState.WAITING || before.branch() == null) {
            return StoryRows.waiting(story(before), before, before.specId(), sessionId);
        }
        progress.suspended = state;
        progress.outcome = null;
        progress.returns.clear();
        progress.grants = Math.max(progress.grants, grants);
        progress.step++;
        return StoryRows.of(
                story(before),
                before.specId(),
                sessionId,
                before.attempt(),
                CoderState.SUSPEND,
                new StoryRows.Work(before.agentId(), before.branch(), before.mergeCommit(), null),
                progress);
    }

    /**
     * Refuses a story that has the id of another one.
     *
     * @throws MaestroException when the story in the record has another text, or was done on another branch
     */
    static void requireSame(Store.StoryRecord record, Story story, Redactor redactor, @Nullable String targetBranch) {
        String state = record.state() == CoderState.DONE ? "done" : "begun";
        if (!RecordedText.isSame(record.content(), story.content(), redactor)
                || !RecordedText.isSame(record.title(), story.title(), redactor)) {
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
