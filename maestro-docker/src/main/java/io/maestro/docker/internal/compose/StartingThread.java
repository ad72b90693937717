package io.maestro.docker.internal.compose;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The thread that starts services, so that their end can end its client, too. Safe for use by several threads. */
final class StartingThread {
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;

    /** The calling thread starts services. */
    void begins() {
        set(Thread.currentThread());
    }

    /** The calling thread has ended to start services: from here on nobody interrupts it. */
    void ends() {
        set(null);
    }

    private void set(@Nullable Thread now) {
        lock.lock();
        try {
            thread = now;
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
