package io.maestro.record.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for leases. */
final class Acquiring {
    private Acquiring() {}

    /** Tries until another session's lease is over; fails after a minute. */
    static void poll(Leases leases, String wanted, String sessionId, Duration time) {
        long start = System.nanoTime();
        while (leases.acquire(List.of(wanted), sessionId, time).isEmpty()) {
            if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(1)) {
                throw new AssertionError(wanted + " was not leased to " + sessionId + " within a minute");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
