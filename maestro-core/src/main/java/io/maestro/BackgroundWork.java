package io.maestro;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Uninterrupted;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.dispatch.Ticket;
import io.maestro.team.internal.machine.EventQueues;
import io.maestro.team.internal.spec.SpecTicket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A story or a specification in the background. */
final class BackgroundWork<R> implements Submission<R> {
    private final String id;
    private final CompletableFuture<R> done;
    private final Runnable cancel;
    private final Consumer<MaestroListener> listen;

    BackgroundWork(String id, CompletableFuture<R> done, Runnable cancel, Consumer<MaestroListener> listen) {
        this.id = id;
        this.done = done;
        this.cancel = cancel;
        this.listen = listen;
    }

    /** Ends for whoever waits when listeners have been told. */
    static Submission<StoryResult> of(Ticket ticket, EventQueues queues) {
        return new BackgroundWork<>(
                ticket.storyId(),
                queues.after(ticket.done()),
                ticket::cancel,
                listener -> ticket.listen(queues.of(listener)));
    }

    /** Ends for whoever waits when listeners have been told. */
    static Submission<SpecResult> of(SpecTicket ticket, EventQueues queues) {
        return new BackgroundWork<>(
                ticket.specId(),
                queues.after(ticket.done()),
                ticket::cancel,
                listener -> ticket.listen(queues.of(listener)));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public R await() {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            return uninterrupted.again(() -> {
                try {
                    return done.get();
                } catch (InterruptedException e) {
                    // It still has a result, which is waited for.
                    cancel.run();
                    throw e;
                } catch (ExecutionException e) {
                    throw failure(e);
                }
            });
        }
    }

    @Override
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

    @Override
    public Optional<R> result() {
        return done.isDone() && !done.isCompletedExceptionally() ? Optional.of(done.join()) : Optional.empty();
    }

    @Override
    public CompletableFuture<R> future() {
        return done.copy();
    }

    @Override
    public void cancel() {
        cancel.run();
    }

    @Override
    public Submission<R> listen(MaestroListener listener) {
        listen.accept(listener);
        return this;
    }

    /** The id, and whether the work has ended. */
    @Override
    public String toString() {
        return id + (done.isDone() ? " (ended)" : " (goes on)");
    }
}
