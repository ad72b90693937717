package io.maestro.llm;

import io.maestro.llm.internal.ListPrices;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What models cost. Immutable.
 *
 * <p>A model is looked up by its name, then by its name without the date of a snapshot ({@code claude-sonnet-4-5-20250929},
 * {@code gpt-4.1-2025-04-14}), then by the longest {@linkplain Builder#prefix prefix}. A model that is found by none of them
 * has no price, and what it does has no cost: neither is ever silently 0.
 *
 * <p>{@link #defaults()} knows list prices of the day on which this version was made. They change, and say nothing of
 * discounts, batch and priority tiers, regions or taxes. A host that decides by cost sets its own:
 *
 * <pre>{@code
 * PriceTable prices = PriceTable.defaults().toBuilder()
 *         .model("claude-sonnet-5", Price.of("2", "10", "0.20", "2.50"))
 *         .prefix("my-proxy/claude-", Price.of("4", "20", "0.40", "5"))
 *         .build();
 * }</pre>
 */
public final class PriceTable {
    /** At the end of a snapshot's name: {@code -20250929} as Anthropic, {@code -2025-04-14} as OpenAI writes it. */
    private static final Pattern SNAPSHOT = Pattern.compile("(.+)-20\\d\\d(-?)[01]\\d\\2[0-3]\\d");

    private static final PriceTable DEFAULTS = ListPrices.addTo(builder()).build();

    private final Map<String, Price> models;
    private final Map<String, Price> prefixes;

    private PriceTable(Builder builder) {
        this.models = Map.copyOf(builder.models);
        this.prefixes = Map.copyOf(builder.prefixes);
    }

    /**
     * Public list prices, for standard processing, of models that were current in October 2026 and of some before them.
     *
     * <p>Anthropic: Claude Fable 5 and 5.1, Opus 4 to 5.5, Sonnet 4 to 5.5, Haiku 4.5. Source: {@code
     * platform.claude.com/docs/en/about-claude/pricing} and the models' own pages there, as published by 2026-10-10. Haiku
     * 5.5 is left out: its prompts of more than 100,000 tokens cost five times as much.
     *
     * <p>OpenAI: GPT-4o, 4.1, 5, 5.1, 5.2, 5.4, 5.5, 6 Astra, 6 Sol, 6 Luna, 6.1 Terra, o3, o3-mini, o4-mini. Source: {@code
     * developers.openai.com/api/docs/pricing}, as reported until 2026-10-26. From GPT-5.4 on, prompts of more than 272,000
     * tokens cost more than is computed here.
     *
     * @return the table; it has no prefixes, so that a model which came later has no price rather than a wrong one
     */
    public static PriceTable defaults() {
        return DEFAULTS;
    }

    /**
     * Starts an empty table.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts from this table.
     *
     * @return a builder with all of its prices
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.models.putAll(models);
        builder.prefixes.putAll(prefixes);
        return builder;
    }

    /**
     * What a model's tokens cost.
     *
     * @param model the name as its vendor spells it
     * @return empty when the table does not know the model
     */
    public Optional<Price> price(String model) {
        return Optional.ofNullable(models.get(model))
                .or(() -> Optional.ofNullable(models.get(withoutDate(model))))
                .or(() -> byPrefix(model));
    }

    /**
     * What it cost to use a model.
     *
     * @param model the name as its vendor spells it, for example {@link LlmResponse#model()}
     * @param usage the tokens
     * @return US dollars, exact; empty when the table does not know the model
     */
    public Optional<BigDecimal> cost(String model, Usage usage) {
        return price(model).map(price -> price.cost(usage));
    }

    /** How many prices there are. */
    @Override
    public String toString() {
        return "PriceTable of " + models.size() + " models and " + prefixes.size() + " prefixes";
    }

    private static String withoutDate(String model) {
        Matcher matcher = SNAPSHOT.matcher(model);
        return matcher.matches() ? matcher.group(1) : model;
    }

    private Optional<Price> byPrefix(String model) {
        for (int length = model.length(); length > 0; length--) {
            Price price = prefixes.get(model.substring(0, length));
            if (price != null) {
                return Optional.of(price);
            }
        }
        return Optional.empty();
    }

    /**
     * Collects the prices of a {@link PriceTable}; a later one takes the place of an earlier one of the same name. Not safe for
     * use by several threads.
     */
    public static final class Builder {
        private final Map<String, Price> models = new HashMap<>();
        private final Map<String, Price> prefixes = new HashMap<>();

        private Builder() {}

        /**
         * Sets the price of a model and of its dated snapshots.
         *
         * @param name the name as its vendor spells it; not blank. With a date it is the price of that snapshot alone
         * @param price the price
         * @return this
         * @throws IllegalArgumentException when the name is blank
         */
        public Builder model(String name, Price price) {
            models.put(checked(name), Objects.requireNonNull(price, "price"));
            return this;
        }

        /**
         * Sets the price of all models whose names begin in the same way and that have no price of their own; of several
         * prefixes the longest counts.
         *
         * @param start how the names begin, for example {@code claude-sonnet-4}; not blank
         * @param price the price
         * @return this
         * @throws IllegalArgumentException when the prefix is blank
         */
        public Builder prefix(String start, Price price) {
            prefixes.put(checked(start), Objects.requireNonNull(price, "price"));
            return this;
        }

        /**
         * Makes the table.
         *
         * @return the table
         */
        public PriceTable build() {
            return new PriceTable(this);
        }

        private static String checked(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException(
                        "the name of a priced model is blank: give one, for example claude-sonnet-5");
            }
            return name;
        }
    }
}
