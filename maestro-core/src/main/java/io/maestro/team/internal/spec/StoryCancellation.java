package io.maestro.team.internal.spec;

import io.maestro.internal.Uninterrupted;
import io.maestro.team.internal.dispatch.StoryDispatch;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the stories of a specification that will not be seen to its end. */
final class StoryCancellation {
    private static final Logger LOG = LoggerFactory.getLogger(StoryCancellation.class);

    /** After a cancellation a tool may take its grace, and git its time to end. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private StoryCancellation() {}

    /** Cancels all that are watched, for the same reason, and waits for their ends although the thread is interrupted. */
    static void cancelAll(SpecRun run, StoryDispatch dispatch, String why) {
        run.watched.keySet().forEach(storyId -> cancel(dispatch, storyId, why));
        long deadline = System.nanoTime() + LIMIT.toNanos();
        run.watched.forEach((storyId, story) -> {
            if (!Uninterrupted.isEnded(story, Duration.ofNanos(deadline - System.nanoTime()))) {
                LOG.warn("story {} has not ended {} s after it was cancelled", storyId, LIMIT.toSeconds());
            } else if (story.isCompletedExceptionally()) {
                LOG.debug("story {} ended with a failure", storyId);
            } else {
                run.progress.ended(story.join());
            }
        });
        run.watched.clear();
    }

    private static void cancel(StoryDispatch dispatch, String storyId, String why) {
        try {
            boolean unused = dispatch.cancel(storyId, why);
        } catch (RuntimeException e) {
            // The others must be cancelled all the same.
            LOG.warn("story {} could not be cancelled: {}", storyId, e.getMessage());
        }
    }
}
