package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a tool, on the thread that runs it. Only that thread is interrupted, and only while the tool runs: an interrupt
 * that comes while the answer is written would close the connection.
 */
final class RunningCall implements Runnable {
    private final ReentrantLock lock = new ReentrantLock();
    private final Supplier<JsonNode> work;
    private final Consumer<JsonNode> answer;
    private final Runnable onCancel;
    private final Consumer<RunningCall> onEnd;
    private @Nullable Thread thread;
    private boolean cancelled;
    private boolean ended;

    /**
     * @param work calls the tool
     * @param answer tells the client what came of it
     * @param onCancel tells the client; called once, before the tool has noticed
     * @param onEnd frees the id of the call, before it is answered: the client may use the id again then
     */
    RunningCall(Supplier<JsonNode> work, Consumer<JsonNode> answer, Runnable onCancel, Consumer<RunningCall> onEnd) {
        this.work = work;
        this.answer = answer;
        this.onCancel = onCancel;
        this.onEnd = onEnd;
    }

    @Override
    public void run() {
        JsonNode response = null;
        try {
            if (begin()) {
                response = work.get();
            }
        } finally {
            end();
            onEnd.accept(this);
        }
        if (response != null) {
            answer.accept(response);
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

    private void end() {
        lock.lock();
        try {
            ended = true;
            thread = null;
            // What the tool, or who has cancelled it, leaves behind concerns nobody any more.
            boolean ignored = Thread.interrupted();
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
            return candidate.equals(thread);
        } finally {
            lock.unlock();
        }
    }
}
