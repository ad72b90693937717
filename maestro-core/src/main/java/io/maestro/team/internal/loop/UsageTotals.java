package io.maestro.team.internal.loop;

import io.maestro.audit.AuditLog;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What models have used, according to the record.
 *
 * @param usage the tokens
 * @param cost in US dollars, as far as prices are known
 * @param priced whether the prices of all models are known
 */
public record UsageTotals(Usage usage, BigDecimal cost, boolean priced) {
    private static final UsageTotals NOTHING = new UsageTotals(Usage.NONE, BigDecimal.ZERO, true);

    public static UsageTotals on(
            Stream<AuditLog.ModelUsage> models, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        return models.map(used -> one(used, prices)).reduce(NOTHING, UsageTotals::plus);
    }

    private static UsageTotals one(AuditLog.ModelUsage used, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        Usage usage =
                new Usage(used.inputTokens(), used.outputTokens(), used.cacheReadTokens(), used.cacheWriteTokens());
        Optional<BigDecimal> cost = prices.apply(used.model(), usage);
        return new UsageTotals(usage, cost.orElse(BigDecimal.ZERO), cost.isPresent());
    }

    private UsageTotals plus(UsageTotals other) {
        return new UsageTotals(usage.plus(other.usage), cost.add(other.cost), priced && other.priced);
    }

    /** The cost, if it is known. */
    public Optional<BigDecimal> knownCost() {
        return priced ? Optional.of(cost) : Optional.empty();
    }
}
