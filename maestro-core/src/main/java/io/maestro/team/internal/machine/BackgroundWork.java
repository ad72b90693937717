package io.maestro.team.internal.machine;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work on a story or a specification: who is told of it, the thread that does it, why that thread is to stop, and the end.
 * Unlike a cancelled {@link java.util.concurrent.Future}, stopped work still comes to an end of its own: with what has been done
 * and recorded until then. Safe for use by several threads.
 */
public abstract class BackgroundWork<R> {
    private final String id;
    private final List<MaestroListener> listeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<R> done = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private StopSignal signal = new StopSignal();
    private @Nullable Thread thread;

    /** Work that has not begun. */
    protected BackgroundWork(String id) {
        this.id = id;
    }

    /** The id of the story or the specification. */
    public final String id() {
        return id;
    }

    /** Completed with the result, or with the MaestroException that kept the work from ending. Completing it has no effect. */
    public final CompletableFuture<R> done() {
        return done.copy();
    }

    /** Adds someone who is told what happens. */
    public final void listen(MaestroListener listener) {
        listeners.add(listener);
    }

    /** Tells those who listen. */
    public void onEvent(MaestroEvent event) {
        Events.tell(listeners, event);
    }

    /** Ends the work; its result comes all the same. */
    public abstract void cancel();

    // ---- The thread

    /** Forgets that the work was stopped: what is performed next is stopped anew. */
    protected final void renew() {
        lock.lock();
        try {
            signal = new StopSignal();
        } finally {
            lock.unlock();
        }
    }

    /** Works on the calling thread, which has no interrupt status afterwards. */
    protected final R perform(Function<StopSignal, R> work) {
        try {
            return work.apply(begin());
        } finally {
            lock.lock();
            try {
                thread = null;
                // A late interruption was meant for the work; the thread goes back to a pool.
                Thread.interrupted();
            } finally {
                lock.unlock();
            }
        }
    }

    private StopSignal begin() {
        lock.lock();
        try {
            thread = Thread.currentThread();
            if (signal.cause().isPresent()) {
                thread.interrupt();
            }
            return signal;
        } finally {
            lock.unlock();
        }
    }

    /** Says why, and interrupts the work; it ends soon. Before the beginning, the work ends as soon as it begins. */
    public final void stop(StopCause cause) {
        stop(cause, "");
    }

    /** The same, with what is to be said of it, as in "by alice: not needed". */
    public final void stop(StopCause cause, String why) {
        lock.lock();
        try {
            signal.set(cause, why);
            interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts what is being done at this moment; nothing happens before the beginning or after the end. */
    protected final void interrupt() {
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether this is the thread that does the work. */
    public final boolean runsHere() {
        lock.lock();
        try {
            return Thread.currentThread().equals(thread);
        } finally {
            lock.unlock();
        }
    }

    // ---- The end

    /** Ends with a result, or with what is thrown in its place, whatever that is: nobody may wait for ever. */
    public final void end(Supplier<R> result) {
        try {
            done.complete(result.get());
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }

    /** Ends without a result. */
    public final void fail(Throwable failure) {
        done.completeExceptionally(failure);
    }

    /** Waits for the end, however it is and although the thread is interrupted; false when it has not come in time. */
    public final boolean awaitEnd(Duration limit) {
        return Uninterrupted.isEnded(done, limit);
    }
}
