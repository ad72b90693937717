package io.maestro.team.internal.loop;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.story.StoryResult;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What models have used, according to the record. What it has no price of costs what its tokens cost now.
 *
 * @param usage the tokens
 * @param cost in US dollars, as far as prices are known; a request whose process was killed costs what it may cost at most
 * @param priced whether the prices of all models are known
 */
public record UsageTotals(Usage usage, BigDecimal cost, boolean priced) {
    private static final UsageTotals NOTHING = new UsageTotals(Usage.NONE, BigDecimal.ZERO, true);

    public static UsageTotals on(Stream<AuditLog.Cost> costs, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        return costs.map(cost -> one(cost, prices)).reduce(NOTHING, UsageTotals::plus);
    }

    private static UsageTotals one(AuditLog.Cost cost, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        Optional<BigDecimal> dollars = dollars(cost, prices);
        return new UsageTotals(cost.usage(), dollars.orElse(BigDecimal.ZERO), dollars.isPresent());
    }

    private static Optional<BigDecimal> dollars(
            AuditLog.Cost cost, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        return Optional.ofNullable(cost.dollars()).or(() -> prices.apply(cost.model(), cost.usage()));
    }

    private UsageTotals plus(UsageTotals other) {
        return new UsageTotals(usage.plus(other.usage), cost.add(other.cost), priced && other.priced);
    }

    /** The cost, if it is known. */
    public Optional<BigDecimal> knownCost() {
        return priced ? Optional.of(cost) : Optional.empty();
    }

    /** The same for a story's result, by attempt, agent, state and model. */
    public static List<StoryResult.Cost> parts(
            List<AuditLog.Cost> costs, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        return costs.stream()
                .map(cost -> new StoryResult.Cost(
                        cost.attempt(),
                        cost.agentId(),
                        cost.state(),
                        cost.model(),
                        cost.requests(),
                        cost.usage(),
                        dollars(cost, prices)))
                .toList();
    }
}
