package io.maestro.team.internal.loop;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** A stopwatch of work; it runs from the beginning. Safe for use by several threads. */
final class WorkClock {
    private final ReentrantLock lock = new ReentrantLock();
    private Duration before;
    private long startedNanos = System.nanoTime();
    private boolean runs = true;

    WorkClock(Duration before) {
        this.before = before;
    }

    void start() {
        lock.lock();
        try {
            if (!runs) {
                runs = true;
                startedNanos = System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            before = elapsed();
            runs = false;
        } finally {
            lock.unlock();
        }
    }

    Duration elapsed() {
        lock.lock();
        try {
            return runs ? before.plusNanos(System.nanoTime() - startedNanos) : before;
        } finally {
            lock.unlock();
        }
    }
}
