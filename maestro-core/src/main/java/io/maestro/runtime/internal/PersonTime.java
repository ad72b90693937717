package io.maestro.runtime.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How long a call has waited for a person, by itself or in a call below it: no limit of time and no duration of a call counts that.
 * Safe for use by several threads.
 */
public final class PersonTime {
    private final @Nullable PersonTime above;
    private final ReentrantLock lock = new ReentrantLock();
    private int waiting;
    private long since;
    private long before;

    /**
     * Nobody was waited for yet.
     *
     * @param above of the call whose tool makes this one; null for a call of an agent
     */
    public PersonTime(@Nullable PersonTime above) {
        this.above = above;
    }

    /** Waits for a person. */
    <T> T waiting(Supplier<T> wait) {
        count(1);
        try {
            return wait.get();
        } finally {
            count(-1);
        }
    }

    private void count(int more) {
        lock.lock();
        try {
            long now = System.nanoTime();
            before += waiting > 0 ? now - since : 0;
            since = now;
            waiting += more;
        } finally {
            lock.unlock();
        }
        if (above != null) {
            above.count(more);
        }
    }

    /**
     * The time up to now. Waits that run side by side count once.
     *
     * @return nanoseconds
     */
    public long nanos() {
        lock.lock();
        try {
            return before + (waiting > 0 ? System.nanoTime() - since : 0);
        } finally {
            lock.unlock();
        }
    }
}
