package io.maestro.docker.internal.disk;

import io.maestro.docker.internal.DiskUse;
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
 * commands run, and as soon as a disk has lost a part of the quota, by whomever. Who holds too much gets containers
 * that are empty again; who then still grows is at the end. While less than the reserve is free, nobody may hold more than the
 * last time. Safe for use by several threads.
 */
final class DiskWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long TICK_SECONDS = 1;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** How long somebody may take to delete what is too much. */
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(10);

    private static final int PARTS = 16;

    private final DiskLimits disk;
    private final Supplier<Optional<Use>> measure;
    private final List<FileStore> stores;
    private final Consumer<String> renew;
    private final Consumer<String> end;

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
    private long held = -1;
    private long toldAt;
    private long most = Long.MAX_VALUE;

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
        this.disk = disk;
        this.measure = measure;
        this.stores = stores;
        this.renew = renew;
        this.end = end;
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
        boolean lost = Math.abs(freeThen - free) > tolerance() || free < disk.reserve();
        if (since < (lost ? 2 * tookNanos : Math.max(MINUTE, 10 * tookNanos)) || !lost && !isDirty()) {
            return;
        }
        freeThen = free;
        Optional<Use> use = timed();
        long sum = use.map(Use::sum).orElse(Long.MAX_VALUE);
        boolean scarce = free < disk.reserve();
        if (sum <= disk.quota() && !scarce) {
            most = Long.MAX_VALUE;
        }
        long slack = scarce ? Math.min(tolerance(), disk.reserve() / PARTS) : tolerance();
        long allowed = Math.min(disk.quota(), scarce && held >= 0 ? held + slack : Long.MAX_VALUE);
        // Many small steps are growth, too.
        held = scarce && held >= 0 ? Math.min(held, sum) : sum;
        if (sum <= allowed) {
            return;
        }
        String what = use.map(Use::toString).orElse("more files than can be counted");
        String why = scarce && sum <= disk.quota()
                ? "only " + DiskUse.megabytes(free) + " of the disk are free, " + DiskUse.megabytes(disk.reserve())
                        + " are kept (container.disk_reserve_mb), and this attempt goes on growing: it holds " + what
                : "this attempt holds " + what + " on disks, " + DiskUse.megabytes(disk.quota())
                        + " are allowed (container.disk_mb)";
        if (most == Long.MAX_VALUE) {
            renew.accept(why + "; delete what is not needed, a limit can be raised by a person only");
            // As it was before: who was told may write again at once.
            held = use.map(Use::kept).orElse(Long.MAX_VALUE - tolerance() - 1);
            toldAt = System.nanoTime();
            most = held <= allowed ? Long.MAX_VALUE : held + slack;
        } else if (sum > most) {
            end.accept(why + "; it has been told, and has grown since then");
        } else if (System.nanoTime() - toldAt > PATIENCE) {
            end.accept(why + "; it has been told, and has not deleted enough since then");
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

    private long tolerance() {
        return disk.quota() / PARTS;
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
