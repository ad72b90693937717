package io.maestro.runtime.internal;

import io.maestro.internal.Texts;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Runs tools on threads of their own, so that one that hangs can be left behind, and says how they have ended. Safe for use by several threads. */
public final class ToolThreads implements AutoCloseable {
    /** The answer to a call that was cancelled in time. */
    public static final ToolResult NOT_BEGUN =
            ToolResult.error("The call was cancelled before it began; nothing was run.");

    private static final Logger LOG = LoggerFactory.getLogger(ToolThreads.class);

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
    public enum RunEnd {
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
    public record RunOutcome(
            RunEnd ending,
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
    public RunOutcome run(Callable<@Nullable ToolResult> work, Duration limit) {
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
    public RunOutcome run(Callable<@Nullable ToolResult> work, LongSupplier left) {
        ToolRun run = new ToolRun(work);
        executor.execute(run::onThread);
        RunEnd ending = RunEnd.TIMED_OUT;
        boolean interrupted = false;
        try {
            for (long nanos = left.getAsLong(); nanos > 0; nanos = left.getAsLong()) {
                if (run.ended.await(Math.max(nanos, LEAST_WAIT), TimeUnit.NANOSECONDS)) {
                    return run.outcome(RunEnd.FINISHED);
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
            ending = RunEnd.CANCELLED;
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

    /**
     * What a tool has come to.
     *
     * @param call its call
     * @param outcome how it ended
     * @param cleaner takes secrets out of what is logged
     * @return the answer for the model
     */
    public ToolResult answer(ToolCall call, RunOutcome outcome, Cleaner cleaner) {
        return switch (outcome.ending()) {
            case FINISHED -> finished(call, outcome, cleaner);
            case TIMED_OUT ->
                stopped("'" + call.tool() + "' timed out after " + Texts.seconds(call.timeLimit()), outcome);
            case CANCELLED -> stopped("'" + call.tool() + "' was cancelled", outcome);
        };
    }

    private static ToolResult finished(ToolCall call, RunOutcome outcome, Cleaner cleaner) {
        Throwable failure = outcome.failure();
        if (failure instanceof ToolException) {
            return ToolResult.error(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof InterruptedException) {
            return ToolResult.error("'" + call.tool() + "' was interrupted before it had finished.");
        }
        if (failure != null) {
            if (LOG.isDebugEnabled()) {
                LOG.debug("The tool {} failed: {}", call.tool(), cleaner.text(Texts.stackTrace(failure)));
            }
            return ToolResult.error("'" + call.tool() + "' failed: " + Texts.describe(failure));
        }
        ToolResult result = outcome.result();
        return result != null
                ? result
                : ToolResult.error("'" + call.tool() + "' is broken: it returned null instead of an answer. What it did"
                        + " is unknown.");
    }

    /** Keeps what it still had to say, such as the output of a command up to its end. */
    private ToolResult stopped(String what, RunOutcome outcome) {
        if (outcome.stillRunning()) {
            return ToolResult.error(what + ", but has not stopped within " + Texts.seconds(grace)
                    + " of being interrupted: it may still be running, and what it does may still take effect.");
        }
        ToolResult partial = outcome.result();
        if (partial == null) {
            return ToolResult.error(what + " and has stopped.");
        }
        ToolResult.Builder result = ToolResult.builder(
                        what + " and has stopped. Its answer up to then:\n" + partial.text())
                .error();
        partial.data().forEach(result::data);
        partial.exitCode().ifPresent(result::exitCode);
        return result.build();
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
    private static final class ToolRun {
        private final CountDownLatch ended = new CountDownLatch(1);
        private final FutureTask<?> task = new FutureTask<>(this::run, null);
        private final Callable<@Nullable ToolResult> work;
        private final @Nullable Map<String, String> logContext = MDC.getCopyOfContextMap();
        private final @Nullable ClassLoader contextLoader =
                Thread.currentThread().getContextClassLoader();
        private volatile boolean begun;
        private volatile @Nullable ToolResult result;
        private volatile @Nullable Throwable failure;

        ToolRun(Callable<@Nullable ToolResult> work) {
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

        RunOutcome outcome(RunEnd ending) {
            boolean stillRunning = begun && ended.getCount() > 0;
            return new RunOutcome(ending, result, failure, stillRunning);
        }
    }
}
