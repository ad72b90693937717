package io.maestro.mcp.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One call of a tool, on the thread that runs it. Only that thread is interrupted, and only while it runs this call. */
final class Call implements Runnable {
    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable work;
    private final Runnable onCancel;
    private final Consumer<Call> onEnd;
    private @Nullable Thread thread;
    private boolean cancelled;
    private boolean ended;

    /**
     * @param work calls the tool and answers
     * @param onCancel tells the client; called once, before the tool has noticed
     * @param onEnd forgets the call; may be called twice
     */
    Call(Runnable work, Runnable onCancel, Consumer<Call> onEnd) {
        this.work = work;
        this.onCancel = onCancel;
        this.onEnd = onEnd;
    }

    /** Its id is free again. To be called before it is answered, since the client may use the id again then. */
    void forget() {
        onEnd.accept(this);
    }

    @Override
    public void run() {
        try {
            if (begin()) {
                work.run();
            }
        } finally {
            forget();
            lock.lock();
            try {
                ended = true;
                thread = null;
                // The next task on this thread was not cancelled.
                boolean ignored = Thread.interrupted();
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean begin() {
        lock.lock();
        try {
            thread = cancelled ? null : Thread.currentThread();
            return !cancelled;
        } finally {
            lock.unlock();
        }
    }

    /** Ends it, if it has not ended. */
    void cancel() {
        lock.lock();
        try {
            if (cancelled || ended) {
                return;
            }
            cancelled = true;
        } finally {
            lock.unlock();
        }
        // Before the interrupt, so that what the interrupted tool answers comes too late.
        onCancel.run();
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean runsOn(Thread candidate) {
        lock.lock();
        try {
            return thread == candidate;
        } finally {
            lock.unlock();
        }
    }
}
