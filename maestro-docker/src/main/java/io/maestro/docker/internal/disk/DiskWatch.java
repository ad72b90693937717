package io.maestro.docker.internal.disk;

import io.maestro.docker.internal.DiskUse.Usage;
import io.maestro.internal.Threads;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what an attempt holds on disks below its quota, and the disks above their reserve. It is measured each minute in which
 * commands run, and as soon as a disk has lost a part of the quota, by whomever; what follows is said by {@link DiskRule}. Where a
 * disk loses of its reserve, nothing of the attempt runs until that is done: the reserve must only last for as long as it takes to
 * see that and to stop the containers. Safe for use by several threads.
 */
final class DiskWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long OFTEN = SECOND / 10;

    /** Bytes that no disk takes in a second. */
    private static final long MOST_A_SECOND = 8L << 30;

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final DiskRule rule;
    private final Disks disks;
    private final long reserve;

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
    private boolean paused;

    /**
     * Nothing is measured yet.
     *
     * @param renew is told why all containers are to be made anew
     * @param end is told why none is to run any more
     */
    DiskWatch(Disks disks, Consumer<String> renew, Consumer<String> end) {
        this.rule = new DiskRule(disks.limits(), renew, end);
        this.disks = disks;
        this.reserve = disks.limits().reserve();
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
            freeThen = disks.free().getAsLong();
        } catch (UncheckedIOException e) {
            LOG.warn("the disks are asked again: {}", e.getMessage());
        }
        long free = freeThen;
        try {
            while (awaitTick(free - reserve > MOST_A_SECOND ? SECOND : OFTEN)) {
                try {
                    free = disks.free().getAsLong();
                    tick(free);
                } catch (RuntimeException e) {
                    LOG.warn("what is held on disks could not be measured, which is tried again: {}", e.getMessage());
                    measuredAt = System.nanoTime();
                    free = Long.MAX_VALUE;
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("closed");
        }
    }

    private boolean awaitTick(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void tick(long free) {
        resume();
        long since = System.nanoTime() - measuredAt;
        boolean scarce = free < reserve;
        boolean falls = scarce && freeThen - free > rule.slack();
        // What has become more says who holds less.
        boolean lost = Math.abs(freeThen - free) > rule.tolerance() || scarce;
        if (!falls && since < (lost ? 2 * tookNanos : Math.max(MINUTE, 10 * tookNanos)) || !lost && !isDirty()) {
            return;
        }
        freeThen = free;
        if (!falls) {
            rule.judge(timed(), free, System.nanoTime());
            return;
        }
        paused = true;
        try {
            disks.pause().run();
            rule.judge(timed(), free, System.nanoTime());
        } finally {
            resume();
        }
    }

    /** Tried again until it was done. */
    private void resume() {
        if (paused) {
            disks.resume().run();
            paused = false;
        }
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

    private Optional<Usage> timed() {
        long begin = System.nanoTime();
        try {
            return disks.measure().get();
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
