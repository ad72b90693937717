package io.maestro;

import io.maestro.event.MaestroListener;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.dispatch.Ticket;
import io.maestro.team.internal.machine.Awaiting;
import io.maestro.team.internal.spec.SpecTicket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A story or a specification in the background. */
final class BackgroundWork<R> implements Submission<R> {
    private final String id;
    private final CompletableFuture<R> done;
    private final Runnable cancel;
    private final Consumer<MaestroListener> listen;

    private BackgroundWork(String id, CompletableFuture<R> done, Runnable cancel, Consumer<MaestroListener> listen) {
        this.id = id;
        this.done = done;
        this.cancel = cancel;
        this.listen = listen;
    }

    static Submission<StoryResult> of(Ticket ticket) {
        return new BackgroundWork<>(ticket.storyId(), ticket.done(), ticket::cancel, ticket::listen);
    }

    static Submission<SpecResult> of(SpecTicket ticket) {
        return new BackgroundWork<>(ticket.specId(), ticket.done(), ticket::cancel, ticket::listen);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public R await() {
        return Awaiting.end(done, cancel);
    }

    @Override
    public Optional<R> await(Duration limit) throws InterruptedException {
        return Awaiting.end(done, limit);
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
