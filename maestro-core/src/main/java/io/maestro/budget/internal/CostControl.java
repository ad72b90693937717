package io.maestro.budget.internal;

import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.llm.Usage;
import io.maestro.record.CostScope;
import io.maestro.record.internal.Spending;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the hard limits on cost of one Maestro. Each request to a model is reserved here before it is sent, with what it may cost
 * at most; its answer puts what it has cost in that place. The sums are in the record, so that neither a restart nor another
 * process begins anew. Safe for use by several threads.
 */
public final class CostControl {
    /** Null where there is no record: then nothing is reserved. */
    private final @Nullable Spending spending;

    private final String sessionId;
    private final Limits limits;
    private final Map<CostScope, BigDecimal> caps;
    private final BiFunction<String, Usage, Optional<BigDecimal>> prices;

    /**
     * With the limits and prices of one Maestro.
     *
     * @param spending of the record
     * @param sessionId identifies this life of the Maestro
     * @param limits among them the hard ones on cost
     * @param prices what tokens of a model cost in US dollars; empty when its price is not known
     */
    public CostControl(
            Spending spending,
            String sessionId,
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        this(limits, prices, spending, sessionId);
    }

    private CostControl(
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            @Nullable Spending spending,
            String sessionId) {
        this.spending = spending;
        this.sessionId = sessionId;
        this.limits = limits;
        this.caps = caps(limits);
        this.prices = prices;
    }

    private static Map<CostScope, BigDecimal> caps(Limits limits) {
        Map<CostScope, BigDecimal> caps = new EnumMap<>(CostScope.class);
        for (CostScope scope : CostScope.values()) {
            limits.costCap(scope).ifPresent(dollars -> caps.put(scope, dollars));
        }
        return caps;
    }

    /** Whether there is any limit on cost, for which models need prices. */
    public static boolean isBounded(Limits limits) {
        return limits.costPerStory().isPresent() || !caps(limits).isEmpty();
    }

    /** Without a record, for tests of what asks models: all is let through. */
    public static Account unrecorded(Limits limits, BiFunction<String, Usage, Optional<BigDecimal>> prices) {
        return new CostControl(limits, prices, null, "").spec("");
    }

    /**
     * Makes sure that limits on cost can be kept, before there is a cost.
     *
     * @param models names of models, by whose they are
     * @throws MaestroException when there is such a limit, and a model has no price
     */
    public static void requirePrices(
            Limits limits, BiFunction<String, Usage, Optional<BigDecimal>> prices, Map<String, String> models) {
        models.forEach((whose, model) -> {
            if (isBounded(limits) && prices.apply(model, Usage.NONE).isEmpty()) {
                throw unknownPrice(model + ", " + whose + ",", limits);
            }
        });
    }

    /** What is thrown where a cost is limited that cannot be counted. */
    public static MaestroException unknownPrice(String model, Limits limits) {
        String bound = limits.costPerStory()
                .map(dollars -> "Limits.costPerStory of " + dollars(dollars))
                .orElse("the hard limits on cost");
        return new MaestroException("the price of the model " + model + " is not known, so that " + bound
                + " cannot be kept: set its price by agents(agents -> agents.prices(…)) of the builder, or models.prices in"
                + " config.json, or remove the limit");
    }

    /** An amount with two places, or up to four where it has them; a smaller one with its first two digits. */
    public static String dollars(BigDecimal amount) {
        BigDecimal places = amount.setScale(4, RoundingMode.HALF_UP);
        BigDecimal rounded = (places.signum() == 0 ? amount.round(new MathContext(2)) : places).stripTrailingZeros();
        return rounded.setScale(Math.max(2, rounded.scale())).toPlainString() + " US dollars";
    }

    /**
     * Who pays for the work on a story.
     *
     * @param specId the specification that the story comes from, or null
     */
    public Account story(String storyId, @Nullable String specId) {
        return new Account(this, storyId, specId);
    }

    /** Who pays for the scoping and editing of a specification. */
    public Account spec(String specId) {
        return new Account(this, null, specId);
    }

    /** Whether a further attempt at a story could ask a model at all. */
    public boolean mayAskFor(String storyId) {
        return spending == null
                || limits.costCap(CostScope.STORY)
                        .filter(cap -> spending.spent(CostScope.STORY, storyId).compareTo(cap) >= 0)
                        .isEmpty();
    }

    /**
     * Reserves what a request may cost at most.
     *
     * @param most what it may use at most
     * @throws MaestroException when a hard limit is reached, or the price is not known where the cost is limited
     * @throws RetriableException when a hard limit is reached by requests that are under way: they may cost less than they may
     */
    PaidRequest reserve(Spending.CostReservation request, Usage most) {
        if (spending == null) {
            return new PaidRequest(this, request, most, false);
        }
        Optional<Spending.Refusal> refusal = spending.reserve(request, caps);
        if (refusal.isPresent()) {
            throw reached(request, refusal.get());
        }
        return new PaidRequest(this, request, most, true);
    }

    String sessionId() {
        return sessionId;
    }

    boolean bounded() {
        return limits.costPerStory().isPresent() || !caps.isEmpty();
    }

    MaestroException unknownPrice(String model) {
        return unknownPrice(model, limits);
    }

    Optional<BigDecimal> price(String model, Usage usage) {
        return prices.apply(model, usage);
    }

    void settle(Spending.CostReservation request, BigDecimal dollars) {
        if (spending != null) {
            spending.settle(request, dollars);
        }
    }

    private static MaestroException reached(Spending.CostReservation request, Spending.Refusal refusal) {
        String whose = switch (refusal.scope()) {
            case STORY -> "story " + request.storyId() + ", with all its attempts and reviews,";
            case SPEC -> "specification " + request.specId() + ", with all its stories,";
            case DAY -> "this day (UTC)";
            case TOTAL -> "all work in this record";
        };
        String what = "the hard limit on the cost of " + whose + " is reached: " + dollars(refusal.spent()) + " of "
                + dollars(refusal.cap());
        if (refusal.mayPass()) {
            return new RetriableException(what + ", with requests that are under way", null, null);
        }
        return new CostLimitException(what + " are used up; no review can raise it: "
                + (refusal.scope() == CostScope.DAY ? "go on tomorrow, or " : "") + "set a higher costCap("
                + refusal.scope() + ", …) in the limits");
    }
}
