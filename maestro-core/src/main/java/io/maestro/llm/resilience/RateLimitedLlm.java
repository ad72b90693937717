package io.maestro.llm.resilience;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import java.time.Duration;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * Holds back calls so that a service's limits on requests and tokens in a minute are kept. Safe for use by several threads:
 * give the same object to all agents that share a limit.
 *
 * <p>Each limit is a bucket that holds what a minute brings and fills up evenly. Who comes first is served first, also when
 * somebody behind needs less. A call books an estimate of its tokens, which its answer corrects, so a bucket can be overdrawn for
 * a while; a call that needs more than the bucket holds waits until it is full. A call that was held back for too long ends by
 * an {@link io.maestro.llm.LlmUnavailableException} that says when to come back. What failed keeps its booking, unless the
 * service refused the request or was not asked.
 */
public final class RateLimitedLlm extends Decorator {
    private final RateGate gate;
    private final Duration longestWait;
    private final ToLongFunction<LlmRequest> estimate;
    private final boolean countCacheReads;

    private RateLimitedLlm(Builder builder) {
        super(builder.client);
        this.gate = new RateGate(builder.requestsPerMinute, builder.tokensPerMinute, builder.clock);
        this.longestWait = builder.longestWait;
        this.estimate = builder.tokensPerMinute == Builder.NO_LIMIT ? request -> 0 : builder.estimate;
        this.countCacheReads = builder.countCacheReads;
    }

    /**
     * Starts without a limit; at least one must be set.
     *
     * @param client who is asked
     * @return a builder
     */
    public static Builder builder(LlmClient client) {
        return new Builder(client);
    }

    @Override
    LlmResponse around(LlmRequest request, LlmStreamListener listener, RepeatableCall call) {
        checkInterrupted();
        RateGate.Booking booking = book(request);
        try {
            LlmResponse response = call.make(listener);
            Usage usage = response.usage();
            if (usage != null) {
                booking.used(tokens(usage));
            }
            return response;
        } catch (NotAskedException e) {
            booking.cancel();
            throw e;
        } catch (LlmException e) {
            booking.used(0);
            throw e;
        }
    }

    private RateGate.Booking book(LlmRequest request) {
        long tokens = Math.max(0, estimate.applyAsLong(request));
        try {
            return gate.book(tokens, longestWait);
        } catch (RateGate.HeldBackException e) {
            throw new NotAskedException(
                    model() + " was not asked: its rate limit held the call back for " + longestWait.toMillis()
                            + " ms; come back in " + e.left().toMillis() + " ms",
                    e.left());
        } catch (InterruptedException e) {
            throw interrupted("while a rate limit held back a call of " + model(), e);
        }
    }

    private long tokens(Usage usage) {
        return usage.totalTokens() - (countCacheReads ? 0 : usage.cacheReadTokens());
    }

    /** Collects the settings of a {@link RateLimitedLlm}. Not safe for use by several threads. */
    public static final class Builder {
        static final int NO_LIMIT = Integer.MAX_VALUE;

        private final LlmClient client;
        private int requestsPerMinute = NO_LIMIT;
        private int tokensPerMinute = NO_LIMIT;
        private Duration longestWait = Duration.ofMinutes(2);
        private ToLongFunction<LlmRequest> estimate = TokenEstimate::of;
        private boolean countCacheReads;
        private CallClock clock = CallClock.SYSTEM;

        private Builder(LlmClient client) {
            this.client = Objects.requireNonNull(client, "client");
        }

        /**
         * Sets how many requests may go out in a minute; no limit unless set.
         *
         * @param requests 1 or more
         * @return this
         */
        public Builder requestsPerMinute(int requests) {
            this.requestsPerMinute = Checks.atLeast(1, "requests in a minute", requests);
            return this;
        }

        /**
         * Sets how many tokens, read and written, may be used in a minute; no limit unless set.
         *
         * @param tokens 1 or more
         * @return this
         */
        public Builder tokensPerMinute(int tokens) {
            this.tokensPerMinute = Checks.atLeast(1, "tokens in a minute", tokens);
            return this;
        }

        /**
         * Sets how long a call may be held back; 2 minutes unless set.
         *
         * @param wait more than zero, at most a day
         * @return this
         */
        public Builder longestWait(Duration wait) {
            this.longestWait = Checks.duration("longest wait", wait);
            return this;
        }

        /**
         * Sets how many tokens a request is thought to use before its answer tells; a quarter of its characters and of its
         * {@code maxTokens} unless set.
         *
         * @param tokens an estimate; less than zero counts as zero
         * @return this
         */
        public Builder estimate(ToLongFunction<LlmRequest> tokens) {
            this.estimate = Objects.requireNonNull(tokens, "tokens");
            return this;
        }

        /**
         * Sets whether tokens that were read from a prompt cache count; they do not unless set, as with Anthropic. With OpenAI
         * they do.
         *
         * @param count whether they count
         * @return this
         */
        public Builder countCacheReads(boolean count) {
            this.countCacheReads = count;
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
         * @throws IllegalArgumentException when no limit is set
         */
        public RateLimitedLlm build() {
            if (requestsPerMinute == NO_LIMIT && tokensPerMinute == NO_LIMIT) {
                throw new IllegalArgumentException("a rate limit needs requestsPerMinute or tokensPerMinute");
            }
            return new RateLimitedLlm(this);
        }
    }
}
