package io.maestro.llm;

import java.math.BigDecimal;

/**
 * What a model's tokens cost, in US dollars for a million of them.
 *
 * @param input for tokens read without help of a cache; 0 or more
 * @param output for tokens written, reasoning included; 0 or more
 * @param cacheRead for tokens read from a prompt cache; 0 or more
 * @param cacheWrite for tokens read and written to a prompt cache; 0 or more, and the price of input where a vendor charges
 *     nothing for writing
 */
public record Price(BigDecimal input, BigDecimal output, BigDecimal cacheRead, BigDecimal cacheWrite) {
    /** A million as a power of ten. */
    private static final int MILLION = 6;

    /**
     * Checks the ranges.
     *
     * @param input 0 or more
     * @param output 0 or more
     * @param cacheRead 0 or more
     * @param cacheWrite 0 or more
     * @throws IllegalArgumentException when one is negative
     */
    public Price {
        check("input", input);
        check("output", output);
        check("cacheRead", cacheRead);
        check("cacheWrite", cacheWrite);
    }

    /**
     * A price from decimal numbers, for example {@code Price.of("3", "15", "0.30", "3.75")}: text, as a {@code double} would
     * not hold them exactly.
     *
     * @param input dollars for a million tokens read without help of a cache
     * @param output dollars for a million tokens written
     * @param cacheRead dollars for a million tokens read from a cache
     * @param cacheWrite dollars for a million tokens written to a cache
     * @return the price
     * @throws IllegalArgumentException when one is negative or no number
     */
    public static Price of(String input, String output, String cacheRead, String cacheWrite) {
        return new Price(
                number("input", input),
                number("output", output),
                number("cacheRead", cacheRead),
                number("cacheWrite", cacheWrite));
    }

    /**
     * What tokens cost at this price.
     *
     * @param usage the tokens; each count 0 or more
     * @return US dollars, exact: not rounded to cents
     * @throws IllegalArgumentException when a count is negative
     */
    public BigDecimal cost(Usage usage) {
        return cost("input", input, usage.inputTokens())
                .add(cost("output", output, usage.outputTokens()))
                .add(cost("cache read", cacheRead, usage.cacheReadTokens()))
                .add(cost("cache write", cacheWrite, usage.cacheWriteTokens()))
                // Else nothing would be printed as 0E-8.
                .stripTrailingZeros();
    }

    private static BigDecimal cost(String what, BigDecimal price, long tokens) {
        if (tokens < 0) {
            throw new IllegalArgumentException(what + " tokens must be 0 or more, are " + tokens);
        }
        return price.multiply(BigDecimal.valueOf(tokens)).movePointLeft(MILLION);
    }

    private static BigDecimal number(String what, String dollars) {
        try {
            return new BigDecimal(dollars.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "the price " + what + " must be a decimal number such as 0.30, is '" + dollars + "'", e);
        }
    }

    private static void check(String what, BigDecimal dollars) {
        if (dollars.signum() < 0) {
            throw new IllegalArgumentException("the price " + what + " must be 0 or more, is " + dollars);
        }
    }
}
