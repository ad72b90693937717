package io.maestro.audit.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt neither ends nor makes longer; the thread's flag is set again afterwards. */
final class Uninterruptibly {
    private Uninterruptibly() {}

    /** A wait that can be begun again. */
    interface Wait<T> {
        /** Waits for at most that long; 0 or less is no time at all. */
        T await(long nanos) throws InterruptedException;
    }

    /**
     * Waits.
     *
     * @param deadline in terms of {@link System#nanoTime()}
     */
    static <T> T until(long deadline, Wait<T> wait) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.await(deadline - System.nanoTime());
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void sleep(Duration time) {
        until(System.nanoTime() + time.toNanos(), nanos -> {
            TimeUnit.NANOSECONDS.sleep(nanos);
            return true;
        });
    }
}
