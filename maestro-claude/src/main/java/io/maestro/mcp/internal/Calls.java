package io.maestro.mcp.internal;

import io.maestro.internal.Threads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a server: those that run its calls, those that read its connections, and the clock. */
public final class Calls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Calls.class);

    /** Longer than a tool runtime gives an interrupted tool. */
    private static final long CLOSE_SECONDS = 5;

    private final ExecutorService threads = Threads.newExecutor("maestro-mcp");
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-mcp-clock"));
    private final Semaphore free;
    private final Set<RunningCall> running = ConcurrentHashMap.newKeySet();

    /**
     * Starts no thread yet.
     *
     * @param most how many calls may run at the same time
     */
    public Calls(int most) {
        this.free = new Semaphore(most);
        clock.setRemoveOnCancelPolicy(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs a call on a thread of its own; false when too many run. */
    boolean start(RunningCall call) {
        if (!free.tryAcquire()) {
            return false;
        }
        running.add(call);
        try {
            threads.execute(() -> {
                try {
                    call.run();
                } finally {
                    running.remove(call);
                    free.release();
                }
            });
        } catch (RejectedExecutionException e) {
            running.remove(call);
            free.release();
            throw e;
        }
        return true;
    }

    /**
     * Does something on a thread of its own, for example reading a connection.
     *
     * @param task what to do
     * @throws RejectedExecutionException when the server is being closed
     */
    void execute(Runnable task) {
        threads.execute(task);
    }

    /** Does something again and again. The clock itself never waits for a client that does not read. */
    Future<?> repeat(Duration first, Duration interval, Runnable task) {
        return clock.scheduleAtFixedRate(
                () -> {
                    try {
                        threads.execute(task);
                    } catch (RejectedExecutionException e) {
                        LOG.trace("The server is being closed", e);
                    }
                },
                first.toNanos(),
                interval.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** Cancels what runs and waits for it for a short while; but not when it is called by a tool that runs here. */
    @Override
    public void close() {
        clock.shutdownNow();
        boolean own = running.stream().anyMatch(call -> call.runsOn(Thread.currentThread()));
        running.forEach(RunningCall::cancel);
        threads.shutdown();
        boolean interrupted = false;
        try {
            if (!own
                    && !(threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                            && clock.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS))) {
                LOG.warn(
                        "An MCP server was closed, but {} of its calls ignore that they were interrupted and go on.",
                        running.size());
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
