package io.maestro.team.internal.story;

import io.maestro.agent.Limits;
import io.maestro.budget.internal.Account;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryType;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.UsageTotals;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The rows of stories: the only place that writes one out, and says what one means. */
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
    public record WorkSoFar(
            @Nullable String agentId,
            @Nullable String branch,
            @Nullable String mergeCommit,
            @Nullable String error) {
        /** Nobody has worked on it. */
        public static final WorkSoFar NONE = new WorkSoFar(null, null, null, null);

        /** Nobody but the dispatcher has. */
        static final WorkSoFar DISPATCHED = new WorkSoFar(DISPATCHER, null, null, null);
    }

    /** A row of now. */
    public static AuditLog.StoryRecord of(
            Story story,
            @Nullable String specId,
            String sessionId,
            int attempt,
            CoderState state,
            WorkSoFar work,
            StoryProgress progress) {
        return new AuditLog.StoryRecord(
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
    public static AuditLog.StoryRecord waiting(
            Story story, AuditLog.@Nullable StoryRecord before, @Nullable String specId, String sessionId) {
        return of(
                story,
                before == null ? specId : before.specId(),
                sessionId,
                before == null ? 1 : before.attempt() + 1,
                CoderState.WAITING,
                WorkSoFar.DISPATCHED,
                before == null ? new StoryProgress() : nextAttempt(before));
    }

    /** A story that ends in ERROR as it stands. */
    public static AuditLog.StoryRecord ended(
            AuditLog.StoryRecord before, String sessionId, String agentId, String reason, StoryProgress progress) {
        return of(
                story(before),
                before.specId(),
                sessionId,
                before.attempt(),
                CoderState.ERROR,
                new WorkSoFar(agentId, before.branch(), before.mergeCommit(), reason),
                progress);
    }

    /** A change of state of a story that does not run. */
    public static AuditLog.StateTransition transition(
            AuditLog.StoryRecord before, String sessionId, String agentId, CoderState to, String reason) {
        return new AuditLog.StateTransition(
                sessionId, before.id(), before.attempt(), agentId, before.state(), to, reason, Instant.now());
    }

    // ---- What a row says

    /** The story as it is in the record: without its secrets. */
    public static Story story(AuditLog.StoryRecord record) {
        return story(record, record.title(), record.content());
    }

    /** The same story with another text. */
    public static Story story(AuditLog.StoryRecord record, String title, String content) {
        Story.Builder story = Story.builder(record.id(), title)
                .content(content)
                .type(StoryType.valueOf(record.type()))
                .dependsOn(record.dependsOn().toArray(String[]::new));
        return record.express() ? story.express().build() : story.build();
    }

    /** A merge was begun whose end is not known: by that attempt, or by one before it. */
    private static boolean mayBeMerged(AuditLog.StoryRecord before, StoryProgress progress) {
        return before.state() == CoderState.AWAIT_MERGE
                || (before.state() == CoderState.SUSPEND && before.branch() != null)
                || progress.published().mayBeMerged();
    }

    /** What a next attempt must know of the one before. */
    public static StoryProgress nextAttempt(AuditLog.StoryRecord before) {
        StoryProgress progress = StoryProgress.fromJson(before.data());
        return progress.next(mayBeMerged(before, progress));
    }

    /** What an attempt must know that takes the place of one whose process was killed. */
    public static StoryProgress insteadOf(AuditLog.StoryRecord before) {
        StoryProgress progress = StoryProgress.fromJson(before.data());
        return progress.instead(mayBeMerged(before, progress), before.attempt());
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
                progress.budget().worked(),
                progress.budget().grants(),
                account);
    }

    private static UsageTotals spent(
            AuditLog record,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String storyId,
            int attempt,
            StoryProgress progress) {
        int from = progress.budget().firstAttempt(attempt);
        return UsageTotals.on(
                record.costs(storyId).stream().filter(cost -> cost.attempt() >= from && cost.attempt() <= attempt),
                prices);
    }

    /** The result of a story that has ended. */
    public static StoryResult result(
            AuditLog store, BiFunction<String, Usage, Optional<BigDecimal>> prices, AuditLog.StoryRecord record) {
        StoryProgress progress = StoryProgress.fromJson(record.data());
        UsageTotals spent = spent(store, prices, record.id(), record.attempt(), progress);
        boolean done = record.state() == CoderState.DONE;
        StoryResult.Outcome otherwise = done ? StoryResult.Outcome.MERGED : StoryResult.Outcome.FAILED;
        return new StoryResult(
                record.id(),
                record.attempt(),
                Objects.requireNonNullElse(progress.outcome(), otherwise),
                Optional.ofNullable(progress.work().tests()),
                Optional.ofNullable(record.mergeCommit()),
                Optional.ofNullable(record.branch()),
                Optional.ofNullable(record.error()),
                spent.usage(),
                spent.knownCost(),
                progress.budget().worked(),
                UsageTotals.parts(store.costs(record.id()), prices));
    }

    /** A result with what each agent has cost. */
    public static StoryResult withCosts(
            AuditLog record, BiFunction<String, Usage, Optional<BigDecimal>> prices, StoryResult result) {
        return result.withCosts(UsageTotals.parts(record.costs(result.storyId()), prices));
    }

    /**
     * A story that has ended in ERROR, as it stands when it is to go on in the state in which it did; see
     * {@link StoryProgress#reopen}.
     */
    public static AuditLog.StoryRecord reopened(
            AuditLog record, AuditLog.StoryRecord before, String sessionId, int grants) {
        StoryProgress progress = StoryProgress.fromJson(before.data());
        CoderState failedIn = record.transitions(before.id()).stream()
                .filter(row -> row.attempt() == before.attempt() && row.to() == CoderState.ERROR)
                .reduce((first, last) -> last)
                .map(AuditLog.StateTransition::from)
                .orElse(CoderState.WAITING);
        CoderState state = failedIn == CoderState.SUSPEND ? progress.suspended() : failedIn;
        if (state == CoderState.BUDGET_REVIEW && grants > progress.budget().grants()) {
            // It is granted now: nobody is asked for it, who might not be allowed to grant any.
            state = progress.origin();
        }
        if (state == null || state == CoderState.WAITING || before.branch() == null) {
            return waiting(story(before), before, before.specId(), sessionId);
        }
        progress.reopen(state, grants);
        return of(
                story(before),
                before.specId(),
                sessionId,
                before.attempt(),
                CoderState.SUSPEND,
                new WorkSoFar(before.agentId(), before.branch(), before.mergeCommit(), null),
                progress);
    }
}
