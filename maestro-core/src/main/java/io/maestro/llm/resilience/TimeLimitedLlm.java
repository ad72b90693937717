package io.maestro.llm.resilience;

import io.maestro.internal.Threads;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the time of each call, even of a client that has no limit of its own and ignores interrupts: the call runs on a thread
 * of its own, which is interrupted when the time is over or the caller is interrupted, and nobody waits for it any longer. Safe
 * for use by several threads.
 *
 * <p>A client that ignores the interrupt keeps its (daemon) thread until it comes back by itself; what it then says is thrown
 * away. What the caller keeps in thread-locals, such as a logging context, is not there.
 */
public final class TimeLimitedLlm extends Decorator {
    private static final Logger LOG = LoggerFactory.getLogger(TimeLimitedLlm.class);

    private final Duration limit;
    /** Platform threads: a client that blocks in its own way must not take a carrier of virtual ones with it. */
    private final ThreadFactory threads = Threads.platformFactory("maestro-llm-call");

    private TimeLimitedLlm(LlmClient client, Duration limit) {
        super(client);
        this.limit = limit;
    }

    /**
     * Limits a client.
     *
     * @param client who is asked
     * @param limit how long a call may take; more than zero, at most a day
     * @return the limited client
     * @throws IllegalArgumentException when the limit is out of its range
     */
    public static TimeLimitedLlm of(LlmClient client, Duration limit) {
        return new TimeLimitedLlm(client, Checks.duration("time limit", limit));
    }

    @Override
    LlmResponse around(LlmRequest request, LlmStreamListener listener, RepeatableCall call) {
        checkInterrupted();
        Relay relay = new Relay(listener);
        FutureTask<LlmResponse> task = new FutureTask<>(() -> {
            try {
                return call.make(relay);
            } finally {
                relay.end();
            }
        });
        threads.newThread(task).start();
        try {
            relay.tellAll(limit.toNanos());
            return task.get();
        } catch (TimeoutException e) {
            LOG.warn("{} did not answer within {} ms; its call is interrupted", model(), limit.toMillis());
            throw new LlmUnavailableException(
                    model() + " did not answer within " + limit.toMillis() + " ms", null, null);
        } catch (InterruptedException e) {
            throw interrupted("while " + model() + " was asked", e);
        } catch (ExecutionException e) {
            throw thrown(e);
        } finally {
            relay.close();
            // Does nothing to a call that has ended.
            task.cancel(true);
        }
    }

    private static RuntimeException thrown(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        if (e.getCause() instanceof LlmInterruptedException) {
            // The status was set on the other thread.
            Thread.currentThread().interrupt();
        }
        if (e.getCause() instanceof RuntimeException failure) {
            throw failure;
        }
        throw new IllegalStateException("a call of a model throws nothing that is checked", e);
    }
}
