package io.maestro.runtime.internal;

import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Runs tools on threads of their own, so that one that hangs can be left behind. Safe for use by several threads. */
public final class ToolThreads implements AutoCloseable {
    /** In nanoseconds: time that is left may stand still for long. */
    private static final long LEAST_WAIT = 10_000_000;

    private final ExecutorService executor = Threads.newExecutor("maestro-tool");
    private final Duration grace;

    /**
     * Creates the threads' pool.
     *
     * @param grace how long a tool that was interrupted may take to stop; zero or more
     */
    public ToolThreads(Duration grace) {
        this.grace = grace;
    }

    /** How a run ended. */
    public enum Ending {
        /** By itself. */
        FINISHED,
        /** At its time limit. */
        TIMED_OUT,
        /** Because the thread that waited for it was interrupted. */
        CANCELLED
    }

    /**
     * What came of a run.
     *
     * @param ending how it ended
     * @param result what it returned, even when it was stopped; or null
     * @param failure what it threw, or null
     * @param stillRunning whether it was interrupted and has not stopped
     */
    public record Outcome(
            Ending ending,
            @Nullable ToolResult result,
            @Nullable Throwable failure,
            boolean stillRunning) {}

    /**
     * Runs a piece of work and waits for it. When the calling thread is interrupted, so is the work, and the thread's
     * interrupt status is set again.
     *
     * @param work what to run
     * @param limit after what time it is interrupted
     * @return what came of it
     * @throws java.util.concurrent.RejectedExecutionException when this was closed
     */
    public Outcome run(Callable<@Nullable ToolResult> work, Duration limit) {
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
        return run(work, () -> deadline - System.nanoTime());
    }

    /**
     * The same with a limit that can move.
     *
     * @param work what to run
     * @param left asked for how many nanoseconds the work may go on; at 0 or less it is interrupted
     * @return what came of it
     * @throws java.util.concurrent.RejectedExecutionException when this was closed
     */
    Outcome run(Callable<@Nullable ToolResult> work, LongSupplier left) {
        Run run = new Run(work);
        executor.execute(run::onThread);
        Ending ending = Ending.TIMED_OUT;
        boolean interrupted = false;
        try {
            for (long nanos = left.getAsLong(); nanos > 0; nanos = left.getAsLong()) {
                if (run.ended.await(Math.max(nanos, LEAST_WAIT), TimeUnit.NANOSECONDS)) {
                    return run.outcome(Ending.FINISHED);
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
            ending = Ending.CANCELLED;
        }
        run.task.cancel(true);
        // Also when it is interrupted: the caller is to know whether the tool has stopped.
        boolean unused = Uninterrupted.until(
                System.nanoTime() + grace.toNanos(), nanos -> run.ended.await(nanos, TimeUnit.NANOSECONDS));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return run.outcome(ending);
    }

    /** Interrupts what still runs and waits for it, as long as a tool may take to stop. */
    @Override
    public void close() {
        executor.shutdownNow();
        try {
            executor.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One piece of work; a {@link FutureTask} never interrupts a thread that has gone on to other work. */
    private static final class Run {
        private final CountDownLatch ended = new CountDownLatch(1);
        private final FutureTask<?> task = new FutureTask<>(this::run, null);
        private final Callable<@Nullable ToolResult> work;
        private final @Nullable Map<String, String> logContext = MDC.getCopyOfContextMap();
        private final @Nullable ClassLoader contextLoader =
                Thread.currentThread().getContextClassLoader();
        private volatile boolean begun;
        private volatile @Nullable ToolResult result;
        private volatile @Nullable Throwable failure;

        Run(Callable<@Nullable ToolResult> work) {
            this.work = work;
        }

        private void run() {
            begun = true;
            // The pool's threads would otherwise keep the loader of whoever happened to call first.
            Thread.currentThread().setContextClassLoader(contextLoader);
            if (logContext != null) {
                MDC.setContextMap(logContext);
            }
            try {
                result = work.call();
            } catch (Throwable e) { // a tool is foreign code: whatever it throws is an answer
                failure = e;
            } finally {
                Thread.currentThread().setContextClassLoader(null);
                MDC.clear();
            }
        }

        /** Also what was cancelled before it began has ended. */
        void onThread() {
            try {
                task.run();
            } finally {
                ended.countDown();
            }
        }

        Outcome outcome(Ending ending) {
            boolean stillRunning = begun && ended.getCount() > 0;
            return new Outcome(ending, result, failure, stillRunning);
        }
    }
}
