package io.maestro.record.internal;

import java.time.Duration;

/** The pauses between tries to reach a database: none before the second one, then longer and longer ones. */
final class BackOff {
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final long deadline;
    private Duration next = Duration.ZERO;

    /** Begins now. */
    BackOff(Duration patience) {
        this.deadline = System.nanoTime() + patience.toNanos();
    }

    /** Whether it is to be tried again after the next pause. Once it is, however long the first try took. */
    boolean hasTime() {
        return next.isZero() || System.nanoTime() + next.toNanos() < deadline;
    }

    /** How long to wait before it is tried again. */
    Duration pause() {
        Duration pause = next;
        Duration longer = next.isZero() ? Duration.ofMillis(20) : next.multipliedBy(2);
        next = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        return pause;
    }
}
