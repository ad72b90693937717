package io.maestro.internal;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one helper for what must be done to its end although the calling thread is interrupted. An instance is for several waits
 * of the calling thread, which must ask between them whether to stop; {@link #close} hands the interrupt on that came
 * meanwhile. {@link #until}, {@link #pause} and {@link #isEnded} are single waits. {@link #run}, {@link #get} and
 * {@link #closing} are for work that an interrupt would break, such as the programs that it runs. Instances are for one thread.
 */
public final class Uninterrupted implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Uninterrupted.class);

    private boolean interrupted;

    /** Begins; nothing has interrupted yet. */
    public Uninterrupted() {}

    /**
     * A wait that can be begun again.
     *
     * @param <T> what it waits for
     */
    public interface Wait<T> {
        /**
         * Waits.
         *
         * @return what was waited for
         * @throws InterruptedException when the thread is interrupted
         */
        T await() throws InterruptedException;
    }

    /**
     * A wait with a limit that can be begun again.
     *
     * @param <T> what it waits for
     */
    public interface TimedWait<T> {
        /**
         * Waits.
         *
         * @param nanos for how long at most; 0 or less is no time at all
         * @return what was waited for
         * @throws InterruptedException when the thread is interrupted
         */
        T await(long nanos) throws InterruptedException;
    }

    /**
     * Waits; an interrupt neither ends the wait nor makes it longer.
     *
     * @param deadline in terms of {@link System#nanoTime()}
     * @param wait what to wait for
     * @return what was waited for
     */
    public static <T> T until(long deadline, TimedWait<T> wait) {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            return uninterrupted.again(() -> wait.await(deadline - System.nanoTime()));
        }
    }

    /**
     * Sleeps.
     *
     * @param time how long
     */
    public static void pause(Duration time) {
        boolean unused = until(System.nanoTime() + time.toNanos(), nanos -> {
            TimeUnit.NANOSECONDS.sleep(nanos);
            return true;
        });
    }

    /**
     * Waits for a task.
     *
     * @param task the task
     * @param limit how long to wait
     * @return whether it ended, well or not, within the time
     */
    public static boolean isEnded(Future<?> task, Duration limit) {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            return uninterrupted.await(task, limit);
        }
    }

    /**
     * Waits, again after each interrupt.
     *
     * @param wait has no time limit, or knows when its time is over
     * @return what was waited for
     */
    public <T> T again(Wait<T> wait) {
        while (true) {
            try {
                return wait.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /**
     * Sleeps.
     *
     * @param millis how long
     */
    public void sleep(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean unused = again(() -> {
            TimeUnit.NANOSECONDS.sleep(deadline - System.nanoTime());
            return true;
        });
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
        return again(() -> {
            try {
                task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                return true;
            } catch (ExecutionException | CancellationException e) {
                return true;
            } catch (TimeoutException e) {
                return false;
            }
        });
    }

    /** Notes an interrupt that was caught elsewhere. */
    public void interrupted() {
        interrupted = true;
    }

    /**
     * Whether an interrupt came.
     *
     * @return true from the first one on
     */
    public boolean wasInterrupted() {
        return interrupted;
    }

    /** Sets the thread's interrupt status when an interrupt came. */
    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Does something on a thread that nobody interrupts, or on this one when it is such a thread, and waits for its end.
     *
     * @param action gives a result that is not null; what it throws is thrown
     * @return its result
     */
    public static <T> T get(Supplier<T> action) {
        if (Thread.currentThread() instanceof Worker) {
            return action.get();
        }
        Worker<T> worker = new Worker<>(action);
        worker.start();
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            return uninterrupted.again(() -> {
                worker.join();
                return worker.outcome();
            });
        }
    }

    /**
     * Does something without a result on such a thread.
     *
     * @param action what it throws is thrown
     */
    public static void run(Runnable action) {
        boolean unused = get(() -> {
            action.run();
            return true;
        });
    }

    /**
     * Closes something on such a thread. A failure is logged: what that comes to changes no result.
     *
     * @param what names it in the log
     * @param closed what to close
     */
    public static void closing(String what, AutoCloseable closed) {
        try {
            run(() -> {
                try {
                    closed.close();
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn("{} could not be closed, what is left of it is removed later: {}", what, e.getMessage());
        }
    }

    /** A thread that nobody interrupts, because nobody knows it. */
    private static final class Worker<T> extends Thread {
        private final Supplier<T> action;
        private final AtomicReference<@Nullable T> result = new AtomicReference<>();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Worker(Supplier<T> action) {
            super("maestro-uninterrupted");
            setDaemon(true);
            setContextClassLoader(currentThread().getContextClassLoader());
            this.action = action;
        }

        @Override
        public void run() {
            try {
                result.set(action.get());
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        }

        T outcome() {
            Throwable thrown = failure.get();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
            T value = result.get();
            if (value == null) {
                throw new IllegalStateException("an action without a result");
            }
            return value;
        }
    }
}
