package io.maestro.llm.resilience;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.internal.RestartingListener;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a model again when it was {@linkplain LlmUnavailableException unavailable}, after waits of random length that grow, or
 * that the service asks for. Nothing else is tried again: neither a refused request nor an interrupted one. Safe for use by
 * several threads.
 *
 * <p>{@link io.maestro.llm.AnthropicClient} tries again by itself; this is for clients that do not, and for what stands around
 * a client, such as a {@link CircuitBreakerLlm}.
 */
public final class RetryingLlm extends Decorator {
    private static final Logger LOG = LoggerFactory.getLogger(RetryingLlm.class);
    /** Keeps the product in the range of a duration; a first wait of a millisecond has passed every longest wait by then. */
    private static final int MOST_DOUBLINGS = 30;

    private final int maxRetries;
    private final Duration firstWait;
    private final Duration longestWait;
    private final Duration totalTimeLimit;
    private final CallClock clock;

    private RetryingLlm(Builder builder) {
        super(builder.client);
        this.maxRetries = builder.maxRetries;
        this.firstWait = builder.firstWait;
        this.longestWait = builder.longestWait;
        this.totalTimeLimit = builder.totalTimeLimit;
        this.clock = builder.clock;
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

    @Override
    LlmResponse around(LlmRequest request, LlmStreamListener listener, RepeatableCall call) {
        long start = clock.nanoTime();
        RestartingListener told = new RestartingListener(listener);
        boolean charged = false;
        for (int tries = 1; ; tries++) {
            checkInterrupted();
            told.begin();
            try {
                return call.make(told);
            } catch (LlmUnavailableException e) {
                charged |= e.mayBeCharged();
                Duration wait = waitAfter(tries, e);
                Duration left = totalTimeLimit.minusNanos(clock.nanoTime() - start);
                if (tries > maxRetries || wait.compareTo(left) >= 0) {
                    throw givenUp(tries, start, e, charged);
                }
                LOG.info("{}; trying again in {} ms", e.getMessage(), wait.toMillis());
                sleep(wait);
            } catch (LlmException e) {
                throw charged && !e.mayBeCharged() ? charged(e) : e;
            }
        }
    }

    private static LlmException charged(LlmException refused) {
        return refused instanceof LlmContextOverflowException
                ? new LlmContextOverflowException(refused.getMessage(), refused, true)
                : new LlmException(refused.getMessage(), refused, true);
    }

    /** Never shorter than the service asks; the random part keeps agents that failed together from coming back together. */
    private Duration waitAfter(int tries, LlmUnavailableException failure) {
        if (failure.retryAfter().isPresent()) {
            return failure.retryAfter().get().plus(randomPart(firstWait));
        }
        long factor = 1L << Math.min(tries - 1, MOST_DOUBLINGS);
        Duration most = firstWait.multipliedBy(factor);
        return randomPart(most.compareTo(longestWait) < 0 ? most : longestWait);
    }

    private Duration randomPart(Duration most) {
        return Duration.ofNanos((long) (most.toNanos() * clock.random()));
    }

    private void sleep(Duration wait) {
        try {
            clock.sleep(wait);
        } catch (InterruptedException e) {
            throw interrupted("while " + model() + " was about to be asked again", e);
        }
    }

    private LlmUnavailableException givenUp(int tries, long start, LlmUnavailableException last, boolean charged) {
        long millis = (clock.nanoTime() - start) / 1_000_000;
        return new LlmUnavailableException(
                last.getMessage() + "; gave up after " + tries + (tries == 1 ? " attempt" : " attempts") + " in "
                        + millis + " ms",
                last,
                last.retryAfter().orElse(null),
                charged);
    }

    /** Collects the settings of a {@link RetryingLlm}. Not safe for use by several threads. */
    public static final class Builder {
        private final LlmClient client;
        private int maxRetries = 4;
        private Duration firstWait = Duration.ofMillis(500);
        private Duration longestWait = Duration.ofSeconds(30);
        private Duration totalTimeLimit = Duration.ofMinutes(15);
        private CallClock clock = CallClock.SYSTEM;

        private Builder(LlmClient client) {
            this.client = Objects.requireNonNull(client, "client");
        }

        /**
         * Sets how often a call is repeated; 4 times unless set.
         *
         * @param retries 0 or more
         * @return this
         */
        public Builder maxRetries(int retries) {
            this.maxRetries = Checks.atLeast(0, "number of retries", retries);
            return this;
        }

        /**
         * Sets the longest first wait; half a second unless set. Each wait may be twice as long as the one before, and is a
         * random part of what it may be. Where the service says when to come back, a random part of this is added to it.
         *
         * @param wait more than zero, at most a day
         * @return this
         */
        public Builder firstWait(Duration wait) {
            this.firstWait = Checks.duration("first wait", wait);
            return this;
        }

        /**
         * Sets how long a wait may become; 30 seconds unless set. It does not shorten what the service asks for.
         *
         * @param wait more than zero, at most a day
         * @return this
         */
        public Builder longestWait(Duration wait) {
            this.longestWait = Checks.duration("longest wait", wait);
            return this;
        }

        /**
         * Sets how long all attempts and waits may take; 15 minutes unless set. A wait that would go beyond it is not begun; an
         * attempt that was begun is not cut short, which is what {@link TimeLimitedLlm} is for.
         *
         * @param limit more than zero, at most a day
         * @return this
         */
        public Builder totalTimeLimit(Duration limit) {
            this.totalTimeLimit = Checks.duration("total time limit", limit);
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
         * @return the client
         */
        public RetryingLlm build() {
            return new RetryingLlm(this);
        }
    }
}
