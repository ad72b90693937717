package io.maestro;

import io.maestro.internal.Uninterrupted;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.team.internal.Team;
import io.maestro.team.internal.machine.EventQueues;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back all that a Maestro holds, once, whatever fails of it. Whoever comes while that goes on waits for its end, unless it may
 * wait for him. Safe for use by several threads.
 */
final class Shutdown implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    /** Longer than the end takes, unless something of the host's hangs. */
    private static final Duration LONGEST = Duration.ofMinutes(3);

    /** Set on the thread that gives all back, and on those that it starts for that. */
    private final InheritableThreadLocal<Boolean> here = new InheritableThreadLocal<>();

    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final String sessionId;
    private final Team team;
    private final EventQueues queues;
    private final Runnable borrowed;
    private final Store store;
    private final ProjectLock lock;

    /**
     * The end of a Maestro.
     *
     * @param borrowed gives back what tools and pages hold
     */
    Shutdown(String sessionId, Team team, EventQueues queues, Runnable borrowed, Store store, ProjectLock lock) {
        this.sessionId = sessionId;
        this.team = team;
        this.queues = queues;
        this.borrowed = borrowed;
        this.store = store;
        this.lock = lock;
    }

    /** Closes what was opened for a Maestro that cannot be made. */
    static void giveBack(Iterable<AutoCloseable> opened, Throwable failure) {
        for (AutoCloseable one : opened) {
            try {
                one.close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
    }

    @Override
    public void run() {
        if (!begun.compareAndSet(false, true)) {
            if (here.get() == null && !team.runsHere() && !queues.tellsHere()) {
                boolean unused = Uninterrupted.isEnded(ended, LONGEST);
            }
            return;
        }
        here.set(true);
        try {
            giveBack();
        } finally {
            here.remove();
            ended.complete(true);
        }
    }

    private void giveBack() {
        try {
            team.close();
        } finally {
            try {
                queues.close();
                borrowed.run();
                store.endSession(sessionId, Instant.now());
            } catch (StoreException e) {
                // Whoever ran a story knows by now; the rest must be given back all the same.
                LOG.warn("the end of session {} is not in the record: {}", sessionId, e.getMessage());
            } finally {
                try {
                    store.close();
                } finally {
                    lock.close();
                }
            }
        }
    }
}
