package io.maestro.team.internal.loop;

import io.maestro.team.internal.machine.StopSignal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts the thread that has made it when a story's time is used up, and again until it is closed, as an interrupt may get
 * lost: a call of a tool has an alarm of its own within that of a program's turn. Never interrupts after it was closed. Closed
 * by that thread, else safe for use by several threads.
 */
final class TimeAlarm implements AutoCloseable {
    /** What is left stands still while somebody is asked about a call. */
    private static final Duration LEAST_WAIT = Duration.ofMillis(100);

    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final Meter meter;
    private final StopSignal stop;
    private final Thread thread = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();
    private CompletableFuture<Void> timer = new CompletableFuture<>();
    private Optional<String> reason = Optional.empty();
    private boolean closed;

    /**
     * Sets the alarm.
     *
     * @param stop why the thread is to stop, for which others interrupt it
     */
    TimeAlarm(Meter meter, StopSignal stop) {
        this.meter = meter;
        this.stop = stop;
        lock.lock();
        try {
            ringAfter(meter.timeLeft());
        } finally {
            lock.unlock();
        }
    }

    private void ringAfter(Duration time) {
        timer = new CompletableFuture<Void>()
                .completeOnTimeout(null, TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
        CompletableFuture<Void> unused = timer.thenRun(this::ring);
    }

    private void ring() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            reason = meter.outOfTime();
            if (reason.isPresent()) {
                thread.interrupt();
                ringAfter(AGAIN);
            } else {
                Duration left = meter.timeLeft();
                ringAfter(left.compareTo(LEAST_WAIT) < 0 ? LEAST_WAIT : left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** That the time is used up, with figures, when it has interrupted the thread. */
    Optional<String> reason() {
        lock.lock();
        try {
            return reason;
        } finally {
            lock.unlock();
        }
    }

    /** Clears its interrupt, and no other. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            timer.cancel(false);
        } finally {
            lock.unlock();
        }
        if (reason().isPresent()) {
            stop.dropOwn();
        }
    }
}
