package io.maestro.team.internal.coder;

import io.maestro.internal.Threads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ends the waits for a forge before their time, when the host says that something has happened there. A forge tells of each check
 * and each comment, often several times: rings that come soon after another one are one later ring, so that nobody can make
 * Maestro ask without end. Safe for use by several threads.
 */
public final class ForgeBell {
    private final Duration least;
    private final Runnable onRing;
    private final Lock lock = new ReentrantLock();
    private CompletableFuture<?> next = new CompletableFuture<>();
    private long last;
    private boolean rung;

    /**
     * A bell that rings every five seconds at most.
     *
     * @param onRing done at each ring as well
     */
    public ForgeBell(Runnable onRing) {
        this(Duration.ofSeconds(5), onRing);
    }

    /** @param least the shortest time between two rings */
    ForgeBell(Duration least) {
        this(least, () -> {});
    }

    private ForgeBell(Duration least, Runnable onRing) {
        this.least = least;
        this.onRing = onRing;
        this.last = System.nanoTime() - least.toNanos();
    }

    /** The next ring from now on. To be asked for before the forge is: what happens between is not missed. */
    CompletableFuture<?> next() {
        lock.lock();
        try {
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Rings at once, or when it may. */
    public void ring() {
        lock.lock();
        try {
            if (rung) {
                return;
            }
            rung = true;
            long wait = least.toNanos() - (System.nanoTime() - last);
            if (wait > 0) {
                CompletableFuture<?> unused =
                        Threads.after(Duration.ofNanos(wait)).thenRun(this::now);
                return;
            }
        } finally {
            lock.unlock();
        }
        now();
    }

    private void now() {
        CompletableFuture<?> waited;
        lock.lock();
        try {
            waited = next;
            next = new CompletableFuture<>();
            last = System.nanoTime();
            rung = false;
        } finally {
            lock.unlock();
        }
        waited.complete(null);
        onRing.run();
    }
}
