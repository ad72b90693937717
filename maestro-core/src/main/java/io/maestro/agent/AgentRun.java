package io.maestro.agent;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An agent's work in the background. Safe for use by several threads. */
public final class AgentRun {
    private final Agent agent;
    private final FutureTask<AgentResult> work;
    private final Thread thread;

    AgentRun(Agent agent, FutureTask<AgentResult> work, Thread thread) {
        this.agent = agent;
        this.work = work;
        this.thread = thread;
    }

    /**
     * The agent that works.
     *
     * @return the agent that was asked
     */
    public Agent agent() {
        return agent;
    }

    /**
     * Whether the work has ended.
     *
     * @return false while it goes on
     */
    public boolean isDone() {
        return work.isDone();
    }

    /**
     * Waits for the end.
     *
     * @return how it ended
     * @throws InterruptedException when the waiting thread is interrupted; the work goes on
     * @throws io.maestro.error.MaestroException what the work has thrown
     */
    public AgentResult await() throws InterruptedException {
        try {
            return work.get();
        } catch (ExecutionException e) {
            throw rethrown(e);
        }
    }

    /**
     * Waits for the end, not longer than a limit.
     *
     * @param limit how long
     * @return how it ended; empty when the work goes on
     * @throws InterruptedException when the waiting thread is interrupted; the work goes on
     * @throws io.maestro.error.MaestroException what the work has thrown
     */
    public Optional<AgentResult> await(Duration limit) throws InterruptedException {
        try {
            return Optional.of(work.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw rethrown(e);
        }
    }

    /** Ends the work; its result says so. Fine when it has ended. Does not wait. */
    public void cancel() {
        thread.interrupt();
    }

    private static RuntimeException rethrown(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
    }
}
