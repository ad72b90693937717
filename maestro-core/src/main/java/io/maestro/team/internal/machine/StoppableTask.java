package io.maestro.team.internal.machine;

import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Work on a story or a specification, on a thread of its own. Unlike a cancelled
 * {@link java.util.concurrent.Future}, stopped work still comes to an end of its own: with what has been done and recorded until
 * then.
 */
public final class StoppableTask<R> implements Runnable {
    private final Function<StopSignal, R> work;
    private final StopSignal signal = new StopSignal();
    private final CompletableFuture<R> done = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private boolean stopped;

    /** Work that is told by its signal why it is stopped. */
    public StoppableTask(Function<StopSignal, R> work) {
        this.work = work;
    }

    @Override
    public void run() {
        try {
            begin();
            done.complete(work.apply(signal));
        } catch (Throwable e) {
            done.completeExceptionally(e);
        } finally {
            lock.lock();
            try {
                thread = null;
                // A late interruption was meant for the work; the thread goes back to a pool.
                Thread.interrupted();
            } finally {
                lock.unlock();
            }
        }
    }

    private void begin() {
        lock.lock();
        try {
            thread = Thread.currentThread();
            if (stopped) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says why, and interrupts the work; it ends soon. Before the beginning, the work ends as soon as it begins. */
    public void stop(StopCause cause) {
        stop(cause, "");
    }

    /** The same, with what is to be said of it, as in "by alice: not needed". */
    public void stop(StopCause cause, String why) {
        lock.lock();
        try {
            signal.set(cause, why);
            stopped = true;
            interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts what is being done at this moment; nothing happens before the beginning or after the end. */
    public void interrupt() {
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether this is the thread that does the work. */
    public boolean runsHere() {
        lock.lock();
        try {
            return Thread.currentThread().equals(thread);
        } finally {
            lock.unlock();
        }
    }

    /** Ends work that was never begun. */
    public void refuse(Throwable reason) {
        done.completeExceptionally(reason);
    }

    /** Completed at the end, with the result or with what was thrown. */
    public CompletableFuture<R> done() {
        return done;
    }

    /** Waits for the end, however it is and although the thread is interrupted; false when it has not come in time. */
    public boolean awaitEnd(Duration limit) {
        return Uninterrupted.isEnded(done, limit);
    }
}
