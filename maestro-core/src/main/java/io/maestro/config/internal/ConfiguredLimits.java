package io.maestro.config.internal;

import io.maestro.agent.Architect;
import io.maestro.agent.CostScope;
import io.maestro.agent.Limits;
import java.math.BigDecimal;
import java.util.Locale;

/** What a configuration says of budgets. */
public final class ConfiguredLimits {
    private ConfiguredLimits() {}

    /**
     * The limits.
     *
     * @param config the whole configuration
     * @return the defaults where nothing is set
     */
    public static Limits of(Config config) {
        Config budgets = config.object("budgets");
        Limits.Builder limits = Limits.builder();
        budgets.integer("turns_per_state").ifPresent(limits::turnsPerState);
        budgets.number("tokens_per_story").map(BigDecimal::longValueExact).ifPresent(limits::tokensPerStory);
        budgets.seconds("time_per_story_seconds").ifPresent(limits::timePerStory);
        budgets.number("cost_per_story_dollars").ifPresent(limits::costPerStory);
        budgets.integer("reminders").ifPresent(limits::reminders);
        budgets.integer("identical_calls").ifPresent(limits::identicalCalls);
        budgets.integer("failing_calls").ifPresent(limits::failingCalls);
        budgets.integer("parallel_calls").ifPresent(limits::parallelCalls);
        budgets.integer("rounds").ifPresent(limits::rounds);
        budgets.integer("budget_reviews").ifPresent(limits::budgetReviews);
        budgets.integer("answer_tokens").ifPresent(limits::answerTokens);
        budgets.integer("context_tokens").ifPresent(limits::contextTokens);
        budgets.seconds("test_time_seconds").ifPresent(limits::testTime);
        budgets.seconds("suspend_time_seconds").ifPresent(limits::suspendTime);
        budgets.seconds("suspend_interval_seconds").ifPresent(limits::suspendInterval);
        budgets.seconds("park_after_seconds").ifPresent(limits::parkAfter);
        budgets.integer("story_retries").ifPresent(limits::storyRetries);
        for (Architect.Kind kind : Architect.Kind.values()) {
            budgets.seconds("reply_time_seconds." + kind.name().toLowerCase(Locale.ROOT))
                    .ifPresent(time -> limits.replyTime(kind, time));
        }
        for (CostScope scope : CostScope.values()) {
            budgets.number("cost_cap_dollars." + scope.name().toLowerCase(Locale.ROOT))
                    .ifPresent(dollars -> limits.costCap(scope, dollars));
        }
        return limits.build();
    }
}
