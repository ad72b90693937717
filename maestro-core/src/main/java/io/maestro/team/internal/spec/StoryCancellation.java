package io.maestro.team.internal.spec;

import io.maestro.story.StoryResult;
import io.maestro.team.internal.dispatch.StoryDispatch;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the stories of a specification that will not be seen to its end. */
final class StoryCancellation {
    private static final Logger LOG = LoggerFactory.getLogger(StoryCancellation.class);

    /** After a cancellation a tool may take its grace, and git its time to end. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private StoryCancellation() {}

    /** Cancels all that are watched, and waits for their ends although the thread is interrupted. */
    static void cancelAll(SpecRun run, StoryDispatch desk) {
        run.watched.keySet().forEach(storyId -> cancel(desk, storyId));
        boolean interrupted = Thread.interrupted();
        try {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            for (Map.Entry<String, CompletableFuture<StoryResult>> story : run.watched.entrySet()) {
                interrupted |= await(run, story.getKey(), story.getValue(), deadline);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        run.watched.clear();
    }

    private static void cancel(StoryDispatch desk, String storyId) {
        try {
            desk.cancel(storyId);
        } catch (RuntimeException e) {
            // The others must be cancelled all the same.
            LOG.warn("story {} could not be cancelled: {}", storyId, e.getMessage());
        }
    }

    /** Whether the thread was interrupted meanwhile. */
    private static boolean await(SpecRun run, String storyId, CompletableFuture<StoryResult> story, long deadline) {
        boolean interrupted = false;
        while (true) {
            try {
                StoryResult result = story.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                run.progress.ended.put(storyId, SpecProgress.Ended.of(result));
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (TimeoutException e) {
                LOG.warn("story {} has not ended {} s after it was cancelled", storyId, LIMIT.toSeconds());
                return interrupted;
            } catch (ExecutionException | CancellationException e) {
                LOG.debug("story {} ended with {}", storyId, e.toString());
                return interrupted;
            }
        }
    }
}
