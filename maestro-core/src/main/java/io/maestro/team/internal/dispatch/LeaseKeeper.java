package io.maestro.team.internal.dispatch;

import io.maestro.internal.Threads;
import io.maestro.record.internal.Leases;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of a session: acquires them, renews them while somebody holds them, and gives them back, later when the record
 * does not take it now. It has a thread of its own, so that nothing that takes its time in this Maestro keeps a lease from
 * being renewed. Where several processes share the record, one that could not be renewed for its whole time, by this machine's
 * clock, counts as lost. Safe for use by
 * several threads.
 */
public final class LeaseKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    /** How soon it is tried again to give a lease back. */
    private static final Duration RETRY = Duration.ofMillis(500);

    private final Leases leases;
    private final String sessionId;
    private final Duration leaseTime;
    private final boolean shared;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Held while a lease is acquired, or given back late: otherwise the second could give back what the first has acquired. */
    private final ReentrantLock releasing = new ReentrantLock();

    /** What is held, with what is to be done when it is lost. */
    private final Map<String, Runnable> held = new HashMap<>();

    /** Leases that may be this session's although nobody works on them: giving them back has failed. */
    private final Set<String> unreleased = new LinkedHashSet<>();

    private long renewedAt = System.nanoTime();
    private boolean closed;

    /**
     * The leases of a session; none yet.
     *
     * @param shared whether other processes may lease, too; where none can, no lease is ever lost
     */
    public LeaseKeeper(Leases leases, String sessionId, Duration leaseTime, boolean shared) {
        this.shared = shared;
        this.leases = leases;
        this.sessionId = sessionId;
        this.leaseTime = leaseTime;
        Threads.platformFactory("maestro-leases").newThread(this::keep).start();
    }

    /** How long a lease lasts that is not renewed. */
    Duration leaseTime() {
        return leaseTime;
    }

    /** Leases one of several. */
    public Optional<String> acquire(List<String> wanted) {
        releasing.lock();
        try {
            Optional<String> leased = leases.acquire(wanted, sessionId, leaseTime);
            leased.ifPresent(this::released);
            return leased;
        } catch (RuntimeException | Error e) {
            // It may have been written all the same, and what this session holds it cannot lease.
            unreleased(wanted);
            throw e;
        } finally {
            releasing.unlock();
        }
    }

    /**
     * Renews a lease that was acquired, until it is given back.
     *
     * @param onLost called once, on the keeper's thread, when somebody else has it
     */
    public void hold(String lease, Runnable onLost) {
        lock.lock();
        try {
            if (held.isEmpty()) {
                // Nothing was renewed while there was nothing: this lease was just acquired.
                renewedAt = System.nanoTime();
            }
            held.put(lease, onLost);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Gives a lease back: now, or when the record can be written again. */
    public void giveBack(String lease) {
        lock.lock();
        try {
            held.remove(lease);
        } finally {
            lock.unlock();
        }
        try {
            leases.release(lease, sessionId);
            released(lease);
        } catch (RuntimeException | Error e) {
            LOG.debug("the lease {} is given back later: {}", lease, e.getMessage());
            unreleased(List.of(lease));
        }
    }

    private void unreleased(List<String> names) {
        lock.lock();
        try {
            unreleased.addAll(names);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void released(String name) {
        lock.lock();
        try {
            unreleased.remove(name);
        } finally {
            lock.unlock();
        }
    }

    // ---- The keeper's own thread

    private void keep() {
        while (awaitNext()) {
            try {
                giveBackAll();
                renew();
            } catch (RuntimeException | Error e) {
                LOG.warn("the leases of session {} could not be renewed: {}", sessionId, e.getMessage());
                loseWhatHasExpired();
            }
        }
    }

    /** Waits until there is something to do; false when this was closed. */
    @SuppressWarnings("WaitNotInLoop") // keep() is the loop
    private boolean awaitNext() {
        lock.lock();
        try {
            if (!closed) {
                Duration since = Duration.ofNanos(System.nanoTime() - renewedAt);
                changed.await(pause(!unreleased.isEmpty(), since, leaseTime).toNanos(), TimeUnit.NANOSECONDS);
            }
            return !closed;
        } catch (InterruptedException e) {
            // Nobody interrupts this thread but by mistake; it ends when it is closed.
            LOG.debug("the keeper of leases was interrupted");
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Until leases are to be renewed, which is in a third of their time, or one is to be given back. */
    static Duration pause(boolean someUnreleased, Duration sinceRenewal, Duration leaseTime) {
        Duration third = leaseTime.dividedBy(3);
        Duration most = someUnreleased && RETRY.compareTo(third) < 0 ? RETRY : third;
        Duration left = third.minus(sinceRenewal);
        return !left.isNegative() && !left.isZero() && left.compareTo(most) < 0 ? left : most;
    }

    private void giveBackAll() {
        List<String> again;
        lock.lock();
        try {
            again = List.copyOf(unreleased);
        } finally {
            lock.unlock();
        }
        again.forEach(this::giveBackUnlessHeld);
    }

    /** Somebody may have acquired it again meanwhile. */
    private void giveBackUnlessHeld(String lease) {
        releasing.lock();
        try {
            if (isUnreleased(lease)) {
                giveBack(lease);
            }
        } finally {
            releasing.unlock();
        }
    }

    private boolean isUnreleased(String lease) {
        lock.lock();
        try {
            return unreleased.contains(lease);
        } finally {
            lock.unlock();
        }
    }

    private void renew() {
        Set<String> asked;
        lock.lock();
        try {
            long now = System.nanoTime();
            if (held.isEmpty()) {
                renewedAt = now;
                return;
            }
            if (now - renewedAt < leaseTime.dividedBy(3).toNanos()) {
                return;
            }
            asked = Set.copyOf(held.keySet());
        } finally {
            lock.unlock();
        }
        long before = System.nanoTime();
        Set<String> renewed = leases.renew(sessionId, leaseTime);
        lock.lock();
        try {
            renewedAt = before;
        } finally {
            lock.unlock();
        }
        asked.stream().filter(lease -> !renewed.contains(lease)).forEach(this::lost);
    }

    private void loseWhatHasExpired() {
        Set<String> expired;
        lock.lock();
        try {
            boolean over = shared && System.nanoTime() - renewedAt >= leaseTime.toNanos();
            expired = over ? Set.copyOf(held.keySet()) : Set.of();
        } finally {
            lock.unlock();
        }
        expired.forEach(this::lost);
    }

    private void lost(String lease) {
        Runnable onLost;
        lock.lock();
        try {
            onLost = held.remove(lease);
        } finally {
            lock.unlock();
        }
        if (onLost != null) {
            LOG.warn("the lease {} is lost: what it was for is stopped here", lease);
            onLost.run();
            // Where nobody has taken it since, it would be renewed with the others, and be nobody's.
            unreleased(List.of(lease));
        }
    }

    /** Leases that are still held are left to expire. */
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
