package io.maestro.team.internal.loop;

import io.maestro.audit.Store;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What models have used, according to their messages in the record.
 *
 * @param usage the tokens
 * @param cost in US dollars, as far as prices are known
 * @param priced whether the prices of all models are known
 */
public record UsageTotals(Usage usage, BigDecimal cost, boolean priced) {
    private static final UsageTotals NOTHING = new UsageTotals(Usage.NONE, BigDecimal.ZERO, true);

    public static UsageTotals on(
            Stream<Store.Message> messages, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        return messages.filter(message -> message.model() != null)
                .map(message -> one(message, prices))
                .reduce(NOTHING, UsageTotals::plus);
    }

    private static UsageTotals one(Store.Message message, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        Usage usage = new Usage(
                message.inputTokens(), message.outputTokens(), message.cacheReadTokens(), message.cacheWriteTokens());
        Optional<BigDecimal> cost = prices.apply(String.valueOf(message.model()), usage);
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
