package io.maestro.team.internal.dispatch;

import io.maestro.internal.Threads;
import io.maestro.story.StoryResult;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Takes stories out and ends them, whatever happens: with an Error, without a free thread, after the end of the dispatcher.
 * What a host does then never holds the dispatcher up. Safe for use by several threads.
 */
final class Completions {
    private final Map<String, RunningStory> stories;
    private final Executor threads;
    private final Consumer<String> left;

    /** @param left told of each story that is taken out */
    Completions(Map<String, RunningStory> stories, ExecutorService threads, Consumer<String> left) {
        this.stories = stories;
        this.left = left;
        ThreadFactory afterClose = Threads.platformFactory("maestro-story-end");
        this.threads = task -> {
            try {
                threads.execute(task);
            } catch (RejectedExecutionException e) {
                // Closed; not on the dispatcher's thread all the same.
                afterClose.newThread(task).start();
            }
        };
    }

    /** The story has ended. Its result may take a long look at the record. */
    void complete(RunningStory story, Supplier<StoryResult> result) {
        takeOut(story);
        outside(() -> story.end(result));
    }

    /** The story has not ended, and is not seen to here any more. */
    void fail(RunningStory story, Throwable failure) {
        takeOut(story);
        outside(() -> story.fail(failure));
    }

    private void takeOut(RunningStory story) {
        story.release();
        stories.remove(story.id(), story);
        left.accept(story.id());
    }

    /** Does something of the host's. */
    void outside(Runnable action) {
        Threads.execute(threads, action);
    }
}
