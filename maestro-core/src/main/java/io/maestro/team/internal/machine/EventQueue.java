package io.maestro.team.internal.machine;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The events that one listener is yet to be told. Holds a thread only while there are some. */
final class EventQueue implements MaestroListener {
    /** How many events wait for a listener at most; it is told how many more there were. */
    static final int MOST = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(EventQueue.class);
    private static final ThreadLocal<EventQueue> TOLD_HERE = new ThreadLocal<>();
    private static final ThreadFactory AFTER_CLOSE = Threads.platformFactory("maestro-events-end");

    private final MaestroListener listener;
    private final Executor threads;
    private final Set<EventQueue> busy;

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<MaestroEvent> events = new ArrayDeque<>();
    private final Queue<EventWaiter> waiting = new ArrayDeque<>();
    private long taken;
    private long told;
    private long lost;
    private boolean running;
    private boolean closed;

    /** Somebody waits until so many events have been told. */
    private record EventWaiter(long number, CompletableFuture<?> told) {}

    EventQueue(MaestroListener listener, Executor threads, Set<EventQueue> busy) {
        this.listener = listener;
        this.threads = threads;
        this.busy = busy;
    }

    @Override
    public void onEvent(MaestroEvent event) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (events.size() >= MOST) {
                lost++;
                return;
            }
            if (lost > 0) {
                add(new MaestroEvent.EventsLost(lost, Instant.now()));
                lost = 0;
            }
            add(event);
            if (!running) {
                busy.add(this);
                Threads.execute(threads, this::tell);
                running = true;
            }
        } catch (RejectedExecutionException e) {
            // Closed: nobody is told any more.
            busy.remove(this);
            events.clear();
        } finally {
            lock.unlock();
        }
    }

    private void add(MaestroEvent event) {
        events.add(event);
        taken++;
    }

    private void tell() {
        TOLD_HERE.set(this);
        try {
            for (MaestroEvent event = first(); event != null; event = next()) {
                tell(event);
            }
        } finally {
            TOLD_HERE.remove();
        }
    }

    private @Nullable MaestroEvent first() {
        lock.lock();
        try {
            return events.peek();
        } finally {
            lock.unlock();
        }
    }

    private void tell(MaestroEvent event) {
        try {
            Events.tell(List.of(listener), event);
        } catch (Throwable e) { // whatever it is: what comes after it is told all the same
            LOG.error("listener {} failed on {}", this, event.getClass().getSimpleName(), e);
        }
        // What it has left behind is not for the next one.
        boolean unused = Thread.interrupted();
    }

    /** One has been told: what is told next; null when there is nothing more. */
    private @Nullable MaestroEvent next() {
        List<CompletableFuture<?>> reached = new ArrayList<>();
        MaestroEvent event;
        lock.lock();
        try {
            events.poll();
            told++;
            if (events.isEmpty() && lost > 0) {
                add(new MaestroEvent.EventsLost(lost, Instant.now()));
                lost = 0;
            }
            event = events.peek();
            for (EventWaiter one = waiting.peek(); one != null && one.number() <= told; one = waiting.peek()) {
                reached.add(waiting.remove().told());
            }
            if (event == null) {
                running = false;
                busy.remove(this);
            }
        } finally {
            lock.unlock();
        }
        if (!reached.isEmpty()) {
            end(reached);
        }
        return event;
    }

    /** What a host does at the end of some work is not done by the thread that tells a listener. */
    private void end(List<CompletableFuture<?>> reached) {
        Runnable all = () -> reached.forEach(one -> one.complete(null));
        Threads.execute(
                task -> {
                    try {
                        threads.execute(task);
                    } catch (RejectedExecutionException e) {
                        task.run();
                    }
                },
                all);
    }

    /** Nobody is told any more, and nobody waits for that. */
    void close() {
        List<EventWaiter> left;
        lock.lock();
        try {
            closed = true;
            events.clear();
            lost = 0;
            left = List.copyOf(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        if (!left.isEmpty()) {
            // Not one of the queues' threads, which are interrupted now.
            AFTER_CLOSE
                    .newThread(() -> left.forEach(one -> one.told().complete(null)))
                    .start();
        }
    }

    /** Whether the calling thread is the one that tells this listener something. */
    boolean isToldHere() {
        return TOLD_HERE.get() == this;
    }

    /** Completed when what has happened until now is told. */
    CompletableFuture<?> delivered() {
        CompletableFuture<?> all = new CompletableFuture<>();
        lock.lock();
        try {
            if (running && !closed) {
                waiting.add(new EventWaiter(taken, all));
                return all;
            }
        } finally {
            lock.unlock();
        }
        all.complete(null);
        return all;
    }

    /** The listener's class. */
    @Override
    public String toString() {
        return listener.getClass().getName();
    }
}
