package io.maestro.team.internal.dispatch;

import io.maestro.error.RetriableException;
import io.maestro.internal.Threads;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long a record is borne that does not answer, and stories that cannot be gone on with for the moment. Used by one thread: the
 * dispatcher's, or that of a specification.
 */
public final class Outages {
    private static final Logger LOG = LoggerFactory.getLogger(Outages.class);

    /** How long a record may be down before what waits is given back; a server's restart takes seconds. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration FIRST = Duration.ofMillis(250);
    private static final Duration LONGEST = Duration.ofSeconds(15);

    /** How often in a row a story is tried again. */
    static final int MOST = 20;

    private int failures;
    private long since;
    private long last;

    /** Whether a failure may go away by itself, as a lack of threads does. */
    static boolean isTransient(Throwable failure) {
        return failure instanceof RetriableException
                || failure instanceof StoreUnavailableException
                || failure instanceof OutOfMemoryError;
    }

    /** The record has not answered; whether to try it again. */
    public boolean mayPass(StoreException failure) {
        long now = System.nanoTime();
        if (!isTransient(failure)) {
            return false;
        }
        if (failures++ == 0) {
            since = now;
            LOG.warn("the record does not answer, and is asked again: {}", failure.getMessage());
        }
        last = now;
        return now - since < LIMIT.toNanos();
    }

    /** The record has answered. */
    public void ended() {
        if (failures > 0) {
            failures = 0;
            LOG.warn("the record answers again");
        }
    }

    /** How long to wait before the record is asked again; empty when it answers. */
    public Optional<Duration> pause() {
        if (failures == 0) {
            return Optional.empty();
        }
        Duration left = delay(failures).minusNanos(System.nanoTime() - last);
        return Optional.of(left.isNegative() ? Duration.ZERO : left);
    }

    /** Whether it is too early to ask the record again. */
    boolean mustWait() {
        return pause().filter(left -> !left.isZero()).isPresent();
    }

    private static Duration delay(int failures) {
        Duration doubled = FIRST.multipliedBy(1L << Math.min(failures - 1, 10));
        return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }

    /** Completed when a story that has failed so often in a row is to be tried again. */
    static CompletableFuture<?> later(int failures) {
        return Threads.after(delay(failures));
    }
}
