package io.maestro.exec.internal;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits that an interruption does not shorten: clean-up must run to its end. {@link #close} hands the interruption on. */
public final class Uninterrupted implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Uninterrupted.class);

    private boolean interrupted;

    /** Begins; nothing has interrupted yet. */
    public Uninterrupted() {}

    /** Notes an interruption that was caught elsewhere. */
    public void interrupted() {
        interrupted = true;
    }

    /**
     * Whether an interruption came.
     *
     * @return true from the first one on
     */
    public boolean wasInterrupted() {
        return interrupted;
    }

    /**
     * Sleeps.
     *
     * @param millis how long
     */
    public void sleep(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.sleep(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /**
     * Waits for a task.
     *
     * @param task the task
     * @param limit how long to wait
     * @return whether it ended, well or not, within the time
     */
    public boolean await(Future<?> task, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                return true;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                LOG.debug("the streams of a command were closed with an error", e.getCause());
                return true;
            } catch (TimeoutException e) {
                return false;
            }
        }
    }

    /** Sets the thread's interrupt status when an interruption came. */
    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
