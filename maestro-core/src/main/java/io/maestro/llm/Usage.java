package io.maestro.llm;

/**
 * Tokens that were used. A service that does not say what it has used is no usage of zero: see {@link LlmResponse#usage()}.
 *
 * @param inputTokens read without help of a cache; 0 or more
 * @param outputTokens written, reasoning included; 0 or more
 * @param cacheReadTokens read from a prompt cache; 0 or more
 * @param cacheWriteTokens read and written to a prompt cache; 0 or more
 * @param cacheWriteHourTokens how many of the {@code cacheWriteTokens} are kept for an hour, which costs more; from 0 to all of
 *     them
 */
public record Usage(
        long inputTokens, long outputTokens, long cacheReadTokens, long cacheWriteTokens, long cacheWriteHourTokens) {
    /** Nothing used. */
    public static final Usage NONE = new Usage(0, 0, 0, 0);

    /**
     * Checks the ranges.
     *
     * @param inputTokens 0 or more
     * @param outputTokens 0 or more
     * @param cacheReadTokens 0 or more
     * @param cacheWriteTokens 0 or more
     * @param cacheWriteHourTokens from 0 to {@code cacheWriteTokens}
     * @throws IllegalArgumentException when one is out of its range
     */
    public Usage {
        check("input", inputTokens);
        check("output", outputTokens);
        check("cache read", cacheReadTokens);
        check("cache write", cacheWriteTokens);
        check("cache write (hour)", cacheWriteHourTokens);
        if (cacheWriteHourTokens > cacheWriteTokens) {
            throw new IllegalArgumentException("of " + cacheWriteTokens
                    + " tokens written to a cache at most as many can be kept for an hour, not "
                    + cacheWriteHourTokens);
        }
    }

    /**
     * Without tokens that a cache keeps for an hour.
     *
     * @param inputTokens read without help of a cache; 0 or more
     * @param outputTokens written; 0 or more
     * @param cacheReadTokens read from a prompt cache; 0 or more
     * @param cacheWriteTokens read and written to a prompt cache; 0 or more
     * @throws IllegalArgumentException when one is negative
     */
    public Usage(long inputTokens, long outputTokens, long cacheReadTokens, long cacheWriteTokens) {
        this(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, 0);
    }

    /**
     * The sum of both.
     *
     * @param other what is added
     * @return the sum; a count that a {@code long} cannot hold is {@link Long#MAX_VALUE}
     */
    public Usage plus(Usage other) {
        return new Usage(
                sum(inputTokens, other.inputTokens),
                sum(outputTokens, other.outputTokens),
                sum(cacheReadTokens, other.cacheReadTokens),
                sum(cacheWriteTokens, other.cacheWriteTokens),
                sum(cacheWriteHourTokens, other.cacheWriteHourTokens));
    }

    /**
     * All tokens, read and written.
     *
     * @return the sum of all counts; {@link Long#MAX_VALUE} when a {@code long} cannot hold it
     */
    public long totalTokens() {
        return sum(sum(inputTokens, outputTokens), sum(cacheReadTokens, cacheWriteTokens));
    }

    private static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }

    private static void check(String what, long tokens) {
        if (tokens < 0) {
            throw new IllegalArgumentException(what + " tokens must be 0 or more, are " + tokens);
        }
    }
}
