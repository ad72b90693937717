package io.maestro.team.internal.dispatch;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StoppableTask;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A story that this Maestro is to see to its end. Safe for use by several threads. */
public final class Ticket {
    /** Where a story stands here. */
    enum Stage {
        /** Its row is being written. */
        COMES_IN,
        /** It waits for what it depends on, for a coder, or for another process. */
        WAITS,
        /** A coder works on it; the lease is held. */
        RUNS,
        /** It waits for a person, a check or a service that is down, without a coder; the lease is held. */
        IS_PARKED
    }

    private final String storyId;
    private final Dispatcher dispatcher;
    private final List<MaestroListener> listeners = new CopyOnWriteArrayList<>();

    final CompletableFuture<StoryResult> done = new CompletableFuture<>();

    /** The order in which stories were submitted. */
    final long number;

    /** As the host gave it; null when only the record has it. */
    volatile @Nullable Story story;

    volatile Stage stage;

    /** The work, once it has begun. Set by the dispatcher, which looks at {@link #cancelled} after that. */
    volatile @Nullable StoppableTask<StoryResult> task;

    volatile boolean cancelled;

    /** Who has cancelled it and for what reason, as in "by alice: not needed"; empty when nobody has said so. */
    volatile String why = "";

    /** The record says that somebody wants its end, which is looked up again once it is leased. */
    volatile boolean unwanted;

    /** It is not begun and not gone on with; what is cancelled ends all the same. */
    volatile boolean paused;

    /** Others than the one who submitted the story wait for its end, too. */
    volatile boolean watched;

    /** Written by the dispatcher's thread: this session has the story's lease. */
    volatile boolean leased;

    /** Used by the dispatcher's thread: the lease was lost while the story ran. */
    boolean leaseLost;

    /** Used by the dispatcher's thread: it was seen whether the story depends on itself. */
    boolean circleChecked;

    /** Used by the dispatcher's thread: it was said that the story waits for one that is not there. */
    boolean toldOfUnknown;

    /** Used by the dispatcher's thread: the record was read, and the story has not changed since, nor what it depends on. */
    boolean read;

    /** Used by the dispatcher's thread: the story might have begun when the record was read. */
    boolean ready;

    /** Used by the dispatcher's thread: what the story depended on when the record was read. */
    List<String> dependsOn = List.of();

    /** How often in a row the story could not be gone on with; what it has done since ends the row. */
    final AtomicInteger failures = new AtomicInteger();

    Ticket(String storyId, @Nullable Story story, Dispatcher dispatcher, long number) {
        this.storyId = storyId;
        this.story = story;
        this.dispatcher = dispatcher;
        this.number = number;
        this.stage = story == null ? Stage.WAITS : Stage.COMES_IN;
    }

    /** The story's id. */
    public String storyId() {
        return storyId;
    }

    /** Completed with the result, or with the MaestroException that kept the story from ending. */
    public CompletableFuture<StoryResult> done() {
        return done.copy();
    }

    /** Adds someone who is told of this story. */
    public void listen(MaestroListener listener) {
        listeners.add(listener);
    }

    void onEvent(MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged || event instanceof MaestroEvent.ModelAnswered) {
            failures.set(0);
        }
        Events.tell(listeners, event);
    }

    /** Ends the story; its result comes all the same. */
    public void cancel() {
        dispatcher.cancel(this, "");
    }
}
