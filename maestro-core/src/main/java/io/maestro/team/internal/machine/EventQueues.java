package io.maestro.team.internal.machine;

import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a host's listeners are yet to be told. Agents put events into queues and go on; each listener is told by one thread at a
 * time, in the order in which things happened, and one that is slow keeps nobody else waiting. Safe for use by several threads.
 */
public final class EventQueues implements AutoCloseable {
    /** How long the end of a story waits for listeners to be told of it. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(EventQueues.class);

    private final ExecutorService threads = Threads.newExecutor("maestro-events");

    /** Those that have something to tell. */
    private final Set<EventQueue> busy = ConcurrentHashMap.newKeySet();

    /** A listener that is told so. */
    public MaestroListener of(MaestroListener listener) {
        return new EventQueue(listener, threads, busy);
    }

    /** Listeners that are told so. */
    public List<MaestroListener> of(List<MaestroListener> listeners) {
        return listeners.stream().map(this::of).toList();
    }

    /**
     * Waits until listeners have been told of all that has happened, but not longer than {@link #PATIENCE}.
     *
     * @return completed then; never fails
     */
    public CompletableFuture<Object> delivered() {
        CompletableFuture<?> all = CompletableFuture.allOf(busy.stream()
                .filter(queue -> !queue.isToldHere())
                .map(EventQueue::delivered)
                .toArray(CompletableFuture<?>[]::new));
        return all.isDone() ? CompletableFuture.anyOf(all) : CompletableFuture.anyOf(all, Threads.after(PATIENCE));
    }

    /** The end of some work, once listeners have been told of it. */
    public <R> CompletableFuture<R> after(CompletableFuture<R> done) {
        return done.handle((result, failure) -> failure == null)
                .thenCompose(ended -> delivered())
                // Whatever becomes of listeners: the end of the work is told.
                .exceptionally(failure -> failure)
                .thenCompose(told -> done);
    }

    /** Whether the calling thread is one that tells a listener something. */
    public boolean tellsHere() {
        return busy.stream().anyMatch(EventQueue::isToldHere);
    }

    /** Waits for {@link #delivered} on the calling thread. */
    public void await() {
        CompletableFuture<?> told = delivered();
        boolean unused = Uninterrupted.until(System.nanoTime() + 2 * PATIENCE.toNanos(), nanos -> told(told, nanos));
    }

    private static boolean told(CompletableFuture<?> told, long nanos) throws InterruptedException {
        try {
            told.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return told.isDone();
        }
    }

    /** Nobody is told anything any more; what is untold after a while is lost. */
    @Override
    public void close() {
        await();
        busy.stream()
                .filter(queue -> !queue.isToldHere())
                .forEach(queue -> LOG.warn("{} is too slow: it is not told all that has happened", queue));
        busy.forEach(EventQueue::close);
        threads.shutdownNow();
    }
}
