package io.maestro.docker.internal.compose;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that starts services, so that their end, and the end of the time for preparing them, can end its client, too. Safe
 * for use by several threads.
 */
final class StartingThread {
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;

    /** Which of the threads that have begun is the one now. */
    private int count;

    private boolean preparing;
    private boolean late;

    /**
     * The calling thread starts services; it is interrupted when preparing them has not {@linkplain #endPreparing ended} in time.
     *
     * @param nanos how long that may take
     */
    void begins(long nanos) {
        int own;
        lock.lock();
        try {
            thread = Thread.currentThread();
            preparing = true;
            late = false;
            own = ++count;
        } finally {
            lock.unlock();
        }
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(() -> interruptLate(own));
    }

    private void interruptLate(int own) {
        lock.lock();
        try {
            if (preparing && own == count) {
                late = true;
                interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the time for preparing; false when it was over before. The thread was interrupted then. */
    boolean endPreparing() {
        lock.lock();
        try {
            preparing = false;
            return !late;
        } finally {
            lock.unlock();
        }
    }

    /** The calling thread has ended to start services: from here on nobody interrupts it. */
    void ends() {
        lock.lock();
        try {
            preparing = false;
            thread = null;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts it; does nothing when there is none. */
    void interrupt() {
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }
}
