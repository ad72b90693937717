package io.maestro.team.internal.dispatch;

import io.maestro.story.StoryResult;
import java.util.concurrent.CompletableFuture;

/** The coders' side by the dispatcher. */
public final class DispatchedStories implements StoryDispatch {
    private final Dispatcher dispatcher;

    public DispatchedStories(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public CompletableFuture<StoryResult> watch(String storyId) {
        return dispatcher.watch(storyId, event -> {}).done();
    }

    @Override
    public void cancel(String storyId, String why) {
        boolean unused = dispatcher.cancel(storyId, why);
    }

    @Override
    public void giveUp(String storyId, String reason) {
        dispatcher.giveUp(storyId, reason);
    }
}
