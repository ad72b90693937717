package io.maestro.testing;

import java.util.stream.LongStream;

/** How often a campaign tries something, and with which random numbers. */
public final class Campaign {
    private Campaign() {}

    /**
     * How often to try.
     *
     * @param sample how often without {@code -Dnumber}
     * @return {@code -Dnumber}, when it is given
     */
    public static int number(int sample) {
        return Integer.getInteger("maestro.number", sample);
    }

    /**
     * A seed that is printed, so that a failure can be repeated.
     *
     * @param what whose seed it is
     * @return {@code -Dseed}, when it is given
     */
    public static long seed(String what) {
        long seed = Long.getLong("maestro.seed", System.nanoTime());
        System.out.println(what + ": seed " + seed);
        return seed;
    }

    /**
     * A seed for each try of a test, the first of them as {@link #seed} says: with that one as {@code -Dseed} a failed try is the
     * first one.
     *
     * @param what whose seeds these are
     * @param number how many
     */
    public static LongStream seeds(String what, int number) {
        long first = seed(what);
        return LongStream.range(first, first + number);
    }
}
