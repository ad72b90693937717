package io.maestro.team.internal.dispatch;

import io.maestro.story.StoryResult;
import java.util.concurrent.CompletableFuture;

/**
 * The coders' side, as the work on a specification sees it. A story whose dependency has failed stays WAITING: the dependency
 * may be tried again. Safe for use by several threads.
 */
public interface StoryDispatch {
    /**
     * Sees the latest attempt at a stored story to its end: it is run here or by another process, or has ended already.
     *
     * @return fails with a CancellationException or a MaestroException only
     */
    CompletableFuture<StoryResult> watch(String storyId);

    /**
     * Ends a story that runs or waits; the future of its watch completes all the same, with the result CANCELLED.
     *
     * @param why what is to be said of it, as in "by alice: not needed"; may be empty
     * @return false when it is not to be seen to its end here: nothing happens to it
     */
    boolean cancel(String storyId, String why);

    /** Ends a story that was not begun and will not be: WAITING to ERROR, for that reason. Otherwise nothing happens. */
    void giveUp(String storyId, String reason);
}
