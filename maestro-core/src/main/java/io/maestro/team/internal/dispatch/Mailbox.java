package io.maestro.team.internal.dispatch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What other threads want the dispatcher's thread to do. Safe for use by several threads. */
final class Mailbox {
    private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Runnable> posted = new ArrayDeque<>();
    private boolean woken;
    private boolean closed;

    /** Has something done on the dispatcher's thread, or on this one when that thread has ended. */
    void post(Runnable action) {
        lock.lock();
        try {
            if (!closed) {
                posted.add(action);
                changed.signalAll();
                return;
            }
        } finally {
            lock.unlock();
        }
        run(action);
    }

    /** Has the dispatcher look at its tickets. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until somebody wants something, but not longer than that, and does it. */
    void work(Duration limit) {
        next(limit).forEach(Mailbox::run);
    }

    private List<Runnable> next(Duration limit) {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (posted.isEmpty() && !woken && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Nobody interrupts this thread but by mistake; it ends when it is closed.
            LOG.debug("the dispatcher was interrupted");
        } finally {
            woken = false;
            lock.unlock();
        }
        return taken();
    }

    private List<Runnable> taken() {
        lock.lock();
        try {
            List<Runnable> all = new ArrayList<>(posted);
            posted.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The dispatcher's thread ends. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        taken().forEach(Mailbox::run);
    }

    private static void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("the dispatcher failed", e);
        }
    }
}
