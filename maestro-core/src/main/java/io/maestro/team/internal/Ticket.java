package io.maestro.team.internal;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A story that this Maestro is to see to its end. Safe for use by several threads. */
public final class Ticket {
    private final String storyId;
    private final @Nullable Story story;
    private final Dispatcher dispatcher;
    private final List<MaestroListener> listeners = new CopyOnWriteArrayList<>();

    final CompletableFuture<StoryResult> done = new CompletableFuture<>();

    /** The story runs here. Set by the dispatcher, which looks at {@link #cancelled} after that. */
    volatile @Nullable CancellableTask<StoryResult> task;

    /** The order in which stories were submitted. */
    long number;

    /** Guarded by the dispatcher's lock: it was seen whether the story depends on itself. */
    boolean circleChecked;

    /** Guarded by the dispatcher's lock: it was said that the story waits for one that is not there. */
    boolean toldOfUnknown;

    volatile boolean cancelled;

    /** The story's row is in the store. */
    volatile boolean admitted;

    /** Others than the one who submitted the story wait for its end, too. */
    volatile boolean watched;

    Ticket(String storyId, @Nullable Story story, Dispatcher dispatcher) {
        this.storyId = storyId;
        this.story = story;
        this.dispatcher = dispatcher;
    }

    /** The story's id. */
    public String storyId() {
        return storyId;
    }

    /** As the host gave it; null when only the record has it. */
    @Nullable
    Story story() {
        return story;
    }

    /** Completed with the result, or with the MaestroException that kept the story from running. */
    public CompletableFuture<StoryResult> done() {
        return done.copy();
    }

    /** Adds someone who is told of this story. */
    public void listen(MaestroListener listener) {
        listeners.add(listener);
    }

    void onEvent(MaestroEvent event) {
        Events.tell(listeners, event);
    }

    /** Ends the story; its result comes all the same. */
    public void cancel() {
        dispatcher.cancel(this);
    }
}
