package io.maestro.llm.internal;

import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmUnavailableException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Tries again what may pass, with growing waits of random length, until a limit is reached. */
final class RetryLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RetryLoop.class);
    private static final Duration FIRST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final String model;
    private final CallLimits limits;
    private final RetryClock clock;
    private volatile boolean failing;

    RetryLoop(String model, CallLimits limits, RetryClock clock) {
        this.model = model;
        this.limits = limits;
        this.clock = clock;
    }

    /** One attempt, which must end within the limit. */
    @FunctionalInterface
    interface Attempt<T> {
        T run(Duration limit) throws AttemptException, InterruptedException;
    }

    <T> T run(Attempt<T> attempt) {
        long start = clock.nanoTime();
        boolean charged = false;
        try {
            for (int tries = 1; ; tries++) {
                try {
                    Duration left = left(start);
                    T answer = attempt.run(left.compareTo(limits.attempt()) < 0 ? left : limits.attempt());
                    failing = false;
                    return answer;
                } catch (AttemptException e) {
                    charged |= e.mayBeCharged();
                    Duration wait = wait(tries, e);
                    if (!e.isWorthRetrying() || tries > limits.maxRetries() || wait.compareTo(left(start)) >= 0) {
                        throw givenUp(e, tries, start, charged);
                    }
                    // An outage is told once: it may last for hours, and many agents ask.
                    LOG.atLevel(failing ? Level.DEBUG : Level.INFO)
                            .log("{}: {}; trying again in {} ms", model, e.getMessage(), wait.toMillis());
                    failing = true;
                    clock.sleep(wait);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LlmInterruptedException("interrupted while " + model + " was asked", e);
        }
    }

    private Duration left(long start) {
        return limits.total().minusNanos(clock.nanoTime() - start);
    }

    /** Never shorter than the server asks; the random part keeps agents that failed together from coming back together. */
    private Duration wait(int tries, AttemptException failure) {
        if (failure.retryAfter().isPresent()) {
            return failure.retryAfter().get().plus(randomPart(FIRST_WAIT));
        }
        // The exponent is bounded: more doublings than these are beyond the longest wait anyway.
        Duration most = FIRST_WAIT.multipliedBy(1L << Math.min(tries - 1, 16));
        return randomPart(most.compareTo(LONGEST_WAIT) < 0 ? most : LONGEST_WAIT);
    }

    private Duration randomPart(Duration most) {
        return Duration.ofMillis((long) (most.toMillis() * clock.random()));
    }

    private RuntimeException givenUp(AttemptException e, int tries, long start, boolean charged) {
        String message = model + ": " + e.getMessage();
        if (e.kind() == AttemptException.FaultKind.OVERFLOW) {
            return new LlmContextOverflowException(message, e.getCause(), charged);
        }
        if (e.kind() == AttemptException.FaultKind.LASTING) {
            return new LlmException(message, e.getCause(), charged);
        }
        long millis = (clock.nanoTime() - start) / 1_000_000;
        message += "; gave up after " + tries + (tries == 1 ? " attempt" : " attempts") + " in " + millis + " ms";
        return new LlmUnavailableException(message, e.getCause(), e.retryAfter().orElse(null), charged);
    }
}
