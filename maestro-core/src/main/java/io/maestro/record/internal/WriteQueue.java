package io.maestro.record.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A bounded queue that hands out its writes in batches and, once closed, takes no more. */
final class WriteQueue {
    private static final int CAPACITY = 1024;
    private static final int BATCH = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final Condition notFull = lock.newCondition();
    private final Queue<PendingWrite> waiting = new ArrayDeque<>();
    private boolean closed;

    /** What became of an offer. */
    enum OfferResult {
        TAKEN,
        FULL,
        CLOSED
    }

    /** Waits for a place until the time is over. */
    OfferResult offer(PendingWrite write, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (!closed && waiting.size() >= CAPACITY) {
                if (left <= 0) {
                    return OfferResult.FULL;
                }
                left = notFull.awaitNanos(left);
            }
            if (closed) {
                return OfferResult.CLOSED;
            }
            waiting.add(write);
            notEmpty.signal();
            return OfferResult.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for writes; an empty batch means that the queue is closed and empty. */
    List<PendingWrite> nextBatch() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                notEmpty.awaitUninterruptibly();
            }
            List<PendingWrite> batch = new ArrayList<>();
            while (batch.size() < BATCH && !waiting.isEmpty()) {
                batch.add(waiting.remove());
            }
            notFull.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more; what was taken is still handed out. */
    void close() {
        lock.lock();
        try {
            closed = true;
            notEmpty.signal();
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
