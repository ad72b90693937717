package io.maestro;

import io.maestro.event.MaestroListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Work that was given to a {@link Maestro} and goes on in the background. Safe for use by several threads.
 *
 * @param <R> what comes of it: a {@link io.maestro.story.StoryResult} or a {@link io.maestro.story.SpecResult}
 */
public interface Submission<R> {
    /**
     * What was submitted.
     *
     * @return the id of the story or of the specification
     */
    String id();

    /**
     * Waits for the end. Interrupting the calling thread cancels the work; its end is awaited all the same, and the thread's
     * interrupt status is set again.
     *
     * @return how it ended; failing and being cancelled are results, too
     * @throws io.maestro.error.MaestroException when the work could not be done at all: the record cannot be written
     */
    R await();

    /**
     * Waits for the end, but not longer than a time. Unlike {@link #await()}, this leaves the work alone, however the wait ends.
     *
     * @param limit how long to wait; zero or less asks whether it has ended
     * @return how it ended; empty when it goes on
     * @throws InterruptedException when the calling thread is interrupted
     * @throws io.maestro.error.MaestroException as for {@link #await()}
     */
    Optional<R> await(Duration limit) throws InterruptedException;

    /**
     * The result, if there is one by now.
     *
     * @return empty while the work goes on, and when {@link #await} would throw
     */
    Optional<R> result();

    /**
     * The result as a future. Completing or cancelling this future does not touch the work.
     *
     * @return a new future; completed exceptionally with a {@link io.maestro.error.MaestroException} when {@link #await}
     *     would throw it
     */
    CompletableFuture<R> future();

    /**
     * Cancels the work: processes are ended, and the result says so. Nothing happens to work that has ended. What another process works
     * on is cancelled by {@link Maestro#cancellations}.
     */
    void cancel();

    /**
     * Adds someone who is told what happens from now on in this work. To miss nothing of it, give the listener to {@link
     * Maestro#submit(io.maestro.story.Story, MaestroListener) submit}; those of the builder are told of all work.
     *
     * @param listener called by a thread of Maestro's own; one that throws does no harm
     * @return this
     */
    Submission<R> listen(MaestroListener listener);
}
