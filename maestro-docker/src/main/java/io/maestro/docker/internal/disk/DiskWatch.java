package io.maestro.docker.internal.disk;

import io.maestro.docker.internal.DiskUse.Use;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.nio.file.FileStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what an attempt holds on disks below its quota, and the disks above their reserve. It is measured each minute in which
 * commands run, and as soon as a disk has lost a part of the quota, by whomever; what follows is said by {@link DiskRule}. Safe
 * for use by several threads.
 */
final class DiskWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long TICK_SECONDS = 1;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final DiskRule rule;
    private final long reserve;
    private final Supplier<Optional<Use>> measure;
    private final List<FileStore> stores;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int running;
    private boolean dirty;
    private boolean closed;
    private @Nullable Thread thread;

    // Of the thread.
    private long measuredAt = System.nanoTime() - MINUTE / 2;
    private long tookNanos;
    private long freeThen;

    /**
     * Nothing is measured yet.
     *
     * @param measure empty when nobody could measure it in time
     * @param stores the disks whose free space this machine sees
     * @param renew is told why all containers are to be made anew
     * @param end is told why none is to run any more
     */
    DiskWatch(
            DiskLimits disk,
            Supplier<Optional<Use>> measure,
            List<FileStore> stores,
            Consumer<String> renew,
            Consumer<String> end) {
        this.rule = new DiskRule(disk, renew, end);
        this.reserve = disk.reserve();
        this.measure = measure;
        this.stores = stores;
    }

    /** A command begins. */
    void begin() {
        lock.lock();
        try {
            running++;
            dirty = true;
            if (thread == null && !closed) {
                thread = Threads.newWaitingFactory("maestro-disk").newThread(this::watch);
                thread.start();
            }
        } finally {
            lock.unlock();
        }
    }

    /** It has ended; without this it counts as running. */
    void ended() {
        lock.lock();
        try {
            running--;
        } finally {
            lock.unlock();
        }
    }

    private void watch() {
        try {
            freeThen = free();
        } catch (IOException e) {
            LOG.warn("how much is free on {} is not known: {}", stores, e.toString());
        }
        try {
            while (awaitTick()) {
                try {
                    tick();
                } catch (RuntimeException e) {
                    LOG.warn("what is held on disks could not be measured, which is tried again: {}", e.getMessage());
                    measuredAt = System.nanoTime();
                } catch (IOException e) {
                    LOG.warn("how much is free on {} is not known: {}", stores, e.toString());
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("closed");
        }
    }

    private boolean awaitTick() throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(TICK_SECONDS);
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private long free() throws IOException {
        long free = Long.MAX_VALUE;
        for (FileStore store : stores) {
            free = Math.min(free, store.getUsableSpace());
        }
        return free;
    }

    private void tick() throws IOException {
        long free = free();
        long since = System.nanoTime() - measuredAt;
        // What has become more says who holds less.
        boolean lost = Math.abs(freeThen - free) > rule.tolerance() || free < reserve;
        if (since < (lost ? 2 * tookNanos : Math.max(MINUTE, 10 * tookNanos)) || !lost && !isDirty()) {
            return;
        }
        freeThen = free;
        Optional<Use> use = timed();
        rule.judge(use, free, System.nanoTime());
    }

    /** Whether a command has run since the last time. */
    private boolean isDirty() {
        lock.lock();
        try {
            boolean was = dirty;
            dirty = running > 0;
            return was;
        } finally {
            lock.unlock();
        }
    }

    private Optional<Use> timed() {
        long begin = System.nanoTime();
        try {
            return measure.get();
        } finally {
            measuredAt = System.nanoTime();
            tookNanos = measuredAt - begin;
        }
    }

    /** Measures no more. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
