package io.maestro.team.internal.spec;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.loop.UsageTotals;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** What became of a specification, from what is in the record. */
final class SpecReports {
    private SpecReports() {}

    static SpecResult result(
            AuditLog record, BiFunction<String, Usage, Optional<BigDecimal>> prices, AuditLog.SpecRecord spec) {
        SpecProgress progress = SpecProgress.fromJson(spec.data());
        List<SpecResult.StoryReport> stories = record.storiesOf(spec.id()).stream()
                .map(story -> new SpecResult.StoryReport(
                        story.title(), StoryRows.withCosts(record, prices, result(story, progress))))
                .toList();
        long millis = Math.max(
                0, Duration.between(progress.startedAt(), spec.updatedAt()).toMillis());
        UsageTotals spent = spent(record, prices, spec.id(), stories);
        return new SpecResult(
                spec.id(),
                spec.title(),
                outcome(spec.state(), progress, stories),
                stories,
                spent.usage(),
                spent.knownCost(),
                Duration.ofMillis(millis),
                Optional.ofNullable(spec.error()));
    }

    /** By all agents, in all lives, and for all attempts. */
    private static UsageTotals spent(
            AuditLog record,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String specId,
            List<SpecResult.StoryReport> stories) {
        return UsageTotals.on(
                Stream.concat(
                                Stream.of(specId),
                                stories.stream().map(story -> story.result().storyId()))
                        .flatMap(id -> record.costs(id).stream()),
                prices);
    }

    private static SpecResult.Outcome outcome(
            ArchitectState state, SpecProgress progress, List<SpecResult.StoryReport> stories) {
        SpecResult.Outcome noted = progress.outcome();
        if (noted != null) {
            return noted;
        }
        if (state != ArchitectState.DONE) {
            return SpecResult.Outcome.FAILED;
        }
        return stories.stream().allMatch(story -> story.result().succeeded())
                ? SpecResult.Outcome.COMPLETED
                : SpecResult.Outcome.INCOMPLETE;
    }

    private static StoryResult result(AuditLog.StoryRecord story, SpecProgress progress) {
        SpecProgress.Ended ended = progress.ended().get(story.id());
        if (ended != null) {
            return ended.toResult(story.id());
        }
        // The work on the specification came to an end before anybody has seen how the story ended.
        if (story.state() == CoderState.DONE) {
            StoryProgress told = StoryProgress.fromJson(story.data());
            return new SpecProgress.Ended(
                            told.outcome() == null ? StoryResult.Outcome.MERGED : told.outcome(),
                            told.work().tests(),
                            story.attempt(),
                            story.mergeCommit(),
                            story.branch(),
                            null,
                            SpecProgress.Ended.Spent.NOTHING)
                    .toResult(story.id());
        }
        String error = story.error();
        return SpecProgress.Ended.without(
                        error == null ? StoryResult.Outcome.CANCELLED : StoryResult.Outcome.FAILED,
                        story.attempt(),
                        error == null ? "not finished; it was left in " + story.state() : error)
                .toResult(story.id());
    }
}
