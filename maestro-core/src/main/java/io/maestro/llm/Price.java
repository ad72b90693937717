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
 * @param cacheWriteHour for tokens read and written to a prompt cache that keeps them for an hour; 0 or more
 */
public record Price(
        BigDecimal input, BigDecimal output, BigDecimal cacheRead, BigDecimal cacheWrite, BigDecimal cacheWriteHour) {
    /** A million as a power of ten. */
    private static final int MILLION = 6;

    private static final BigDecimal TWICE = BigDecimal.valueOf(2);

    /**
     * Checks the ranges.
     *
     * @param input 0 or more
     * @param output 0 or more
     * @param cacheRead 0 or more
     * @param cacheWrite 0 or more
     * @param cacheWriteHour 0 or more
     * @throws IllegalArgumentException when one is negative
     */
    public Price {
        check("input", input);
        check("output", output);
        check("cacheRead", cacheRead);
        check("cacheWrite", cacheWrite);
        check("cacheWriteHour", cacheWriteHour);
    }

    /**
     * A price whose cache for an hour costs what Anthropic takes: twice as much as input. Where writing to a cache costs no more
     * than input, time costs nothing either.
     *
     * @param input 0 or more
     * @param output 0 or more
     * @param cacheRead 0 or more
     * @param cacheWrite 0 or more
     * @throws IllegalArgumentException when one is negative
     */
    public Price(BigDecimal input, BigDecimal output, BigDecimal cacheRead, BigDecimal cacheWrite) {
        this(
                input,
                output,
                cacheRead,
                cacheWrite,
                cacheWrite.compareTo(input) > 0 ? cacheWrite.max(input.multiply(TWICE)) : cacheWrite);
    }

    /**
     * A price from decimal numbers, for example {@code Price.of("3", "15", "0.30", "3.75")}: text, as a {@code double} would
     * not hold them exactly. A cache for an hour costs twice as much as input, unless writing to one costs no more than input.
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
     * @param usage the tokens
     * @return US dollars, exact: not rounded to cents
     */
    public BigDecimal cost(Usage usage) {
        long hour = usage.cacheWriteHourTokens();
        return cost(input, usage.inputTokens())
                .add(cost(output, usage.outputTokens()))
                .add(cost(cacheRead, usage.cacheReadTokens()))
                .add(cost(cacheWrite, usage.cacheWriteTokens() - hour))
                .add(cost(cacheWriteHour, hour))
                // Else nothing would be printed as 0E-8.
                .stripTrailingZeros();
    }

    private static BigDecimal cost(BigDecimal price, long tokens) {
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
