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

    /** Whether what is to be started was prepared in time, as soon as that is decided. */
    private CompletableFuture<Boolean> prepared = CompletableFuture.completedFuture(true);

    /**
     * The calling thread starts services; it is interrupted when preparing them has not {@linkplain #endPreparing ended} in time.
     *
     * @param nanos how long that may take
     */
    void begins(long nanos) {
        CompletableFuture<Boolean> own = new CompletableFuture<>();
        lock.lock();
        try {
            thread = Thread.currentThread();
            prepared = own;
        } finally {
            lock.unlock();
        }
        var unused = own.completeOnTimeout(false, nanos, TimeUnit.NANOSECONDS).thenAccept(inTime -> {
            if (!inTime) {
                interrupt(own);
            }
        });
    }

    /** Ends the time for preparing; false when it was over before. */
    boolean endPreparing() {
        CompletableFuture<Boolean> own = current();
        own.complete(true);
        return own.join();
    }

    private CompletableFuture<Boolean> current() {
        lock.lock();
        try {
            return prepared;
        } finally {
            lock.unlock();
        }
    }

    /** The calling thread has ended to start services: from here on nobody interrupts it. */
    void ends() {
        lock.lock();
        try {
            thread = null;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts it; does nothing when there is none. */
    void interrupt() {
        interrupt(current());
    }

    /** A late timer is not for whoever starts services now. */
    private void interrupt(CompletableFuture<Boolean> of) {
        lock.lock();
        try {
            if (thread != null && prepared == of) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }
}
