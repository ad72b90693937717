package io.maestro.llm.resilience;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops asking a model that is down, so that all who use it learn of it at once instead of each by its own time-outs. Safe for
 * use by several threads: give the same object to all agents.
 *
 * <p>Closed, it passes everything on. When so many calls in a row were {@linkplain LlmUnavailableException unavailable} within
 * a window of time, it opens: calls are answered at once by an {@link LlmUnavailableException} that says when to come back.
 * After a while it lets one call through as a probe, while others are still refused: if that goes well it closes, otherwise it
 * stays open for as long again. A refused request ({@link LlmException}) is an answer, so the service is up; an interrupted
 * call, one that a limit of this package held back, or a fault in the program says nothing.
 *
 * <p>A probe that never ends keeps the others out: put this around a client whose calls end, such as a {@link TimeLimitedLlm}.
 */
public final class CircuitBreakerLlm extends Decorator {
    private static final Logger LOG = LoggerFactory.getLogger(CircuitBreakerLlm.class);

    private final int maxFailures;
    private final long windowNanos;
    private final long openNanos;
    private final CallClock clock;

    private final ReentrantLock lock = new ReentrantLock();
    /** When the last calls failed, oldest first; none of them succeeded since. */
    private final Deque<Long> failures = new ArrayDeque<>();

    private State state = State.CLOSED;
    private long openedAt;
    /** Counts the changes of state: a call that began before the last one has nothing to say any more. */
    private long period;

    private String lastFailure = "";

    private CircuitBreakerLlm(Builder builder) {
        super(builder.client);
        this.maxFailures = builder.maxFailures;
        this.windowNanos = builder.window.toNanos();
        this.openNanos = builder.openTime.toNanos();
        this.clock = builder.clock;
    }

    /** Whether calls go through. */
    public enum State {
        /** They do. */
        CLOSED,
        /** They do not. */
        OPEN,
        /** One does, to see whether the service is up again. */
        HALF_OPEN
    }

    /**
     * Starts with the defaults.
     *
     * @param client who is asked
     * @return a builder
     */
    public static Builder builder(LlmClient client) {
        return new Builder(client);
    }

    /**
     * Whether calls go through at this moment. An open one becomes half-open by the first call that comes after its time.
     *
     * @return the state
     */
    public State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    @Override
    LlmResponse around(LlmRequest request, LlmStreamListener listener, RepeatableCall call) {
        checkInterrupted();
        long began = admit();
        try {
            LlmResponse response = call.make(listener);
            answered(began);
            return response;
        } catch (NotAskedException e) {
            unknown(began);
            throw e;
        } catch (LlmUnavailableException e) {
            failed(began, e);
            throw e;
        } catch (LlmException e) {
            answered(began);
            throw e;
        } catch (RuntimeException | Error e) {
            unknown(began);
            throw e;
        }
    }

    /** Lets a call through, in the period that is returned, or throws. */
    private long admit() {
        lock.lock();
        try {
            switch (state) {
                case CLOSED -> {
                    return period;
                }
                case OPEN -> {
                    long left = openedAt + openNanos - clock.nanoTime();
                    if (left > 0) {
                        throw refused(left);
                    }
                    become(State.HALF_OPEN);
                    return period;
                }
                default -> throw refused(openNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private NotAskedException refused(long nanos) {
        return new NotAskedException(
                model() + " was not asked, as it was unavailable " + maxFailures + " times in a row, at last: "
                        + lastFailure + "; it is tried again in " + nanos / 1_000_000 + " ms",
                Duration.ofNanos(nanos));
    }

    private void answered(long began) {
        lock.lock();
        try {
            if (began == period) {
                failures.clear();
                if (state == State.HALF_OPEN) {
                    become(State.CLOSED);
                    LOG.info("{} answers again", model());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void failed(long began, LlmUnavailableException failure) {
        lock.lock();
        try {
            if (began != period) {
                return;
            }
            long now = clock.nanoTime();
            failures.addLast(now);
            while (now - failures.getFirst() > windowNanos) {
                failures.removeFirst();
            }
            if (state == State.HALF_OPEN || failures.size() >= maxFailures) {
                lastFailure = failure.getMessage();
                openedAt = now;
                failures.clear();
                become(State.OPEN);
                LOG.warn("{} is not asked for {} ms: {}", model(), openNanos / 1_000_000, lastFailure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The call came to no end that says something: when it was the probe, the next one is. */
    private void unknown(long began) {
        lock.lock();
        try {
            if (began == period && state == State.HALF_OPEN) {
                become(State.OPEN);
            }
        } finally {
            lock.unlock();
        }
    }

    private void become(State next) {
        state = next;
        period++;
    }

    /** Collects the settings of a {@link CircuitBreakerLlm}. Not safe for use by several threads. */
    public static final class Builder {
        private final LlmClient client;
        private int maxFailures = 5;
        private Duration window = Duration.ofMinutes(1);
        private Duration openTime = Duration.ofSeconds(30);
        private CallClock clock = CallClock.SYSTEM;

        private Builder(LlmClient client) {
            this.client = Objects.requireNonNull(client, "client");
        }

        /**
         * Sets how many calls in a row must fail for it to open; 5 unless set.
         *
         * @param failures 1 or more
         * @return this
         */
        public Builder maxFailures(int failures) {
            this.maxFailures = Checks.atLeast(1, "number of failures", failures);
            return this;
        }

        /**
         * Sets within which time they must fail; a minute unless set. Calls that take long to fail need a longer one.
         *
         * @param time more than zero, at most a day
         * @return this
         */
        public Builder window(Duration time) {
            this.window = Checks.duration("window", time);
            return this;
        }

        /**
         * Sets after which time it lets a probe through; 30 seconds unless set.
         *
         * @param time more than zero, at most a day
         * @return this
         */
        public Builder openTime(Duration time) {
            this.openTime = Checks.duration("open time", time);
            return this;
        }

        /** For tests. */
        Builder clock(CallClock timeAndChance) {
            this.clock = timeAndChance;
            return this;
        }

        /**
         * Makes the client.
         *
         * @return the client, closed
         */
        public CircuitBreakerLlm build() {
            return new CircuitBreakerLlm(this);
        }
    }
}
