package io.maestro.testing;

import java.util.stream.LongStream;

/** How often a campaign tries something, and with which random numbers. */
public final class Campaign {
    private Campaign() {}

    /**
     * How often to try.
     *
     * @param inShort in the short tier, as in each tier that is not said to be another
     * @param inFull in the full tier
     * @return {@code -Dnumber}, when it is given
     */
    public static int number(int inShort, int inFull) {
        return Integer.getInteger("maestro.number", isFull() ? inFull : inShort);
    }

    /** Whether the full tier runs, or its rest, for tests that try more there; they have the tag {@code more-in-full}. */
    public static boolean isFull() {
        return !tier().equals("short");
    }

    /**
     * Whether a tier tries one of several combinations. The rest, {@code -Dmaestro.tier=rest}, is what the full tier adds to the
     * short one: CI runs it after that.
     *
     * @param inShort whether the short tier tries it
     */
    public static boolean runs(boolean inShort) {
        return inShort ? !tier().equals("rest") : isFull();
    }

    private static String tier() {
        return System.getProperty("maestro.tier", "short");
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
