package io.maestro.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what comes soon. */
public final class Await {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Await() {}

    /**
     * Looks until something is so, for a minute at most.
     *
     * @param what for the failure
     */
    public static void until(String what, BooleanSupplier condition) {
        for (long end = System.nanoTime() + LIMIT.toNanos(); !condition.getAsBoolean(); ) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not so within " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
