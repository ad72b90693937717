package io.maestro;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Uninterrupted;
import io.maestro.team.internal.machine.BackgroundWork;
import io.maestro.team.internal.machine.EventQueues;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Work that was given to a {@link Maestro} and goes on in the background. Safe for use by several threads.
 *
 * @param <R> what comes of it: a {@link io.maestro.story.StoryResult} or a {@link io.maestro.story.SpecResult}
 */
public final class Submission<R> {
    private final BackgroundWork<R> work;
    private final EventQueues queues;

    /** The end as the host sees it: listeners have been told of what came before it. */
    private final CompletableFuture<R> done;

    Submission(BackgroundWork<R> work, EventQueues queues) {
        this.work = work;
        this.queues = queues;
        this.done = queues.after(work.done());
    }

    /**
     * What was submitted.
     *
     * @return the id of the story or of the specification
     */
    public String id() {
        return work.id();
    }

    /**
     * Waits for the end. Interrupting the calling thread cancels the work; its end is awaited all the same, and the thread's
     * interrupt status is set again.
     *
     * @return how it ended; failing and being cancelled are results, too
     * @throws io.maestro.error.MaestroException when the work could not be done at all: the record cannot be written
     */
    public R await() {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            return uninterrupted.again(() -> {
                try {
                    return done.get();
                } catch (InterruptedException e) {
                    // It still has a result, which is waited for.
                    cancel();
                    throw e;
                } catch (ExecutionException e) {
                    throw failure(e);
                }
            });
        }
    }

    /**
     * Waits for the end, but not longer than a time. Unlike {@link #await()}, this leaves the work alone, however the wait ends.
     *
     * @param limit how long to wait; zero or less asks whether it has ended
     * @return how it ended; empty when it goes on
     * @throws InterruptedException when the calling thread is interrupted
     * @throws io.maestro.error.MaestroException as for {@link #await()}
     */
    public Optional<R> await(Duration limit) throws InterruptedException {
        try {
            return Optional.of(done.get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private static MaestroException failure(ExecutionException ended) {
        Throwable failure = ended.getCause() == null ? ended : ended.getCause();
        return failure instanceof MaestroException known
                ? known
                : new MaestroException("it ended by a fault in Maestro itself: " + failure, failure);
    }

    /**
     * The result, if there is one by now.
     *
     * @return empty while the work goes on, and when {@link #await} would throw
     */
    public Optional<R> result() {
        return done.isDone() && !done.isCompletedExceptionally() ? Optional.of(done.join()) : Optional.empty();
    }

    /**
     * The result as a future. Completing or cancelling this future does not touch the work.
     *
     * @return a new future; completed exceptionally with a {@link io.maestro.error.MaestroException} when {@link #await}
     *     would throw it
     */
    public CompletableFuture<R> future() {
        return done.copy();
    }

    /**
     * Cancels the work: processes are ended, and the result says so. Nothing happens to work that has ended. What another process works
     * on is cancelled by {@link Maestro#cancellations}.
     */
    public void cancel() {
        work.cancel();
    }

    /**
     * Adds someone who is told what happens from now on in this work. To miss nothing of it, give the listener to {@link
     * Maestro#submit(io.maestro.story.Story, MaestroListener) submit}; those of the builder are told of all work.
     *
     * @param listener called by a thread of Maestro's own; one that throws does no harm
     * @return this
     */
    public Submission<R> listen(MaestroListener listener) {
        work.listen(queues.of(listener));
        return this;
    }

    /** The id, and whether the work has ended. */
    @Override
    public String toString() {
        return work.id() + (done.isDone() ? " (ended)" : " (goes on)");
    }
}
