package io.maestro.team.internal.machine;

import io.maestro.error.RetriableException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outage of a service that a run waits for, and its clock: the one place that decides how long a run is suspended. The
 * clock starts with the first failure after the last good answer. It is in memory only, so a host that was off has not
 * waited. A time that the service itself has named, such as the end of a usage limit, is waited for in full and not counted.
 * Used by one thread.
 */
public final class Outage {
    /** How often the log says that it still lasts. */
    static final Duration REPORTED = Duration.ofMinutes(5);

    /** How much of such times is believed in one outage. */
    static final Duration MOST_NAMED = Duration.ofDays(8);

    private final LongSupplier clock;
    private @Nullable RetriableException cause;
    private long since;
    private long toldAt;
    private int failures;
    private Duration slept = Duration.ZERO;

    Outage() {
        this(System::nanoTime);
    }

    /** With another clock, in nanoseconds. */
    Outage(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * A service has not answered.
     *
     * @param workedAt when it has answered last, by the clock; null when that is not known
     */
    void failed(RetriableException failure, @Nullable Long workedAt) {
        if (failures > 0 && workedAt != null && workedAt - since > 0) {
            ended();
        }
        if (failures++ == 0) {
            since = clock.getAsLong();
        }
        cause = failure;
    }

    /** Whatever was down is up again. */
    void ended() {
        failures = 0;
        cause = null;
        slept = Duration.ZERO;
    }

    /** What the service said last; null when nothing is down, and after a restart. */
    @Nullable
    RetriableException cause() {
        return cause;
    }

    /** Whether the log is to say that something is down: at the first failure, and now and then while it lasts. */
    boolean isWorthALine() {
        long now = clock.getAsLong();
        if (failures > 1 && now - toldAt < REPORTED.toNanos()) {
            return false;
        }
        toldAt = now;
        return true;
    }

    /**
     * A wait before the next try.
     *
     * @param time how long
     * @param counted whether it counts against the limit; not where the service has named a later end
     */
    record Pause(Duration time, boolean counted) {}

    /**
     * How long to wait before the next try.
     *
     * @param limit how long an outage may last
     * @param interval how long to wait where the service names no time
     * @return null when the outage has lasted too long. The first failure is always followed by a try, however short the limit
     */
    @Nullable
    Pause pause(Duration limit, Duration interval) {
        Duration left = limit.minusNanos(clock.getAsLong() - since);
        Duration named = named();
        if (!named.isZero() && named.compareTo(left) > 0 && slept.plus(named).compareTo(MOST_NAMED) <= 0) {
            return new Pause(named, false);
        }
        if (failures > 1 && (left.isNegative() || left.isZero())) {
            return null;
        }
        Duration wanted = named.compareTo(interval) > 0 ? named : interval;
        return new Pause(wanted.compareTo(left) < 0 ? wanted : left, true);
    }

    /** A pause is over. */
    void waited(Pause pause) {
        if (!pause.counted()) {
            since += pause.time().toNanos();
            slept = slept.plus(pause.time());
        }
    }

    private Duration named() {
        RetriableException failure = cause;
        return failure == null ? Duration.ZERO : failure.retryAfter().orElse(Duration.ZERO);
    }
}
