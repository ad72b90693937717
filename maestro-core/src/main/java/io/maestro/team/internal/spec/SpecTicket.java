package io.maestro.team.internal.spec;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.machine.StoppableTask;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/** A specification that this Maestro is to see to its end. Safe for use by several threads. */
public final class SpecTicket {
    private final String specId;
    private final List<MaestroListener> listeners = new CopyOnWriteArrayList<>();
    final StoppableTask<SpecResult> task;

    /** Whether this process leads the work. */
    volatile boolean leads;

    private final AtomicBoolean cancelled = new AtomicBoolean();

    SpecTicket(Spec spec, BiFunction<SpecTicket, StopSignal, SpecResult> work) {
        this.specId = spec.id();
        this.task = new StoppableTask<>(stop -> work.apply(this, stop));
    }

    /** The specification's id. */
    public String specId() {
        return specId;
    }

    /** Completed with the result, or with the MaestroException that kept the specification from being worked on. */
    public CompletableFuture<SpecResult> done() {
        return task.done().copy();
    }

    /** Adds someone who is told of the specification and its stories. */
    public void listen(MaestroListener listener) {
        listeners.add(listener);
    }

    void onEvent(MaestroEvent event) {
        String storyId = event.storyId();
        if (storyId.equals(specId) || SpecStories.isOf(specId, storyId)) {
            Events.tell(listeners, event);
        }
    }

    /** Ends the work and its stories; the result comes all the same. */
    public void cancel() {
        task.stop(StopCause.CANCELLED);
    }

    /** The same, once, with what is to be said of it, as in "by alice: not needed". */
    void cancel(String why) {
        if (cancelled.compareAndSet(false, true)) {
            task.stop(StopCause.CANCELLED, why);
        }
    }
}
