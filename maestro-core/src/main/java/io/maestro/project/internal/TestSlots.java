package io.maestro.project.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * How many runs of a project's tests there may be at once: more than the machine can carry make all of them slow. Who is merged
 * next goes first, since others wait for it; of the same rank, who has come first. Safe for use by several threads.
 */
public final class TestSlots {
    /** The kinds of runs, in their order. */
    public enum Rank {
        /** A story that is merged next. */
        HEAD,
        /** A coder. */
        WORKER,
        /** A story that is merged later, if all comes as it is predicted. */
        AHEAD
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The runs that wait, in the order in which they have come. */
    private final List<WaitingRun> waiting = new ArrayList<>();

    private int free;

    private static final class WaitingRun {
        private final Supplier<Rank> rank;

        WaitingRun(Supplier<Rank> rank) {
            this.rank = rank;
        }

        Rank rank() {
            return rank.get();
        }
    }

    /** One run; to be closed when it has ended. */
    public interface TestSlot extends AutoCloseable {
        @Override
        void close();
    }

    /** @param most how many runs at once; 1 or more */
    public TestSlots(int most) {
        this.free = most;
    }

    /**
     * Waits until one more run may begin.
     *
     * @param rank asked while it waits, in which it may change
     * @throws InterruptedException when the thread is interrupted: then none has begun
     */
    public TestSlot take(Supplier<Rank> rank) throws InterruptedException {
        lock.lock();
        try {
            WaitingRun mine = new WaitingRun(rank);
            waiting.add(mine);
            try {
                while (free == 0 || Collections.min(waiting, Comparator.comparing(WaitingRun::rank)) != mine) {
                    changed.await();
                }
                free--;
            } finally {
                waiting.remove(mine);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        return this::giveBack;
    }

    private void giveBack() {
        lock.lock();
        try {
            free++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
