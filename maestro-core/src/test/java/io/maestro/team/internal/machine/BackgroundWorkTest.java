package io.maestro.team.internal.machine;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.Usage;
import io.maestro.story.StoryResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackgroundWorkTest {
    private static final StoryResult RESULT = new StoryResult(
            "042",
            1,
            StoryResult.Outcome.CANCELLED,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Usage.NONE,
            Optional.empty(),
            Duration.ZERO);

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    private static final class Work extends BackgroundWork<StoryResult> implements Runnable {
        private final Function<StopSignal, StoryResult> work;

        Work(Function<StopSignal, StoryResult> work) {
            super("042");
            this.work = work;
        }

        @Override
        public void run() {
            end(() -> perform(work));
        }

        @Override
        public void cancel() {
            stop(StopCause.CANCELLED);
        }
    }

    /** Works until it is interrupted, and has a result all the same. */
    private StoryResult untilCancelled(StopSignal signal) {
        begun.countDown();
        try {
            never.await();
            throw new AssertionError("not cancelled");
        } catch (InterruptedException e) {
            return RESULT;
        }
    }

    @Test
    void aCancelledStoryHasAResult() throws Exception {
        Work task = new Work(this::untilCancelled);
        thread.execute(task);
        begun.await();
        assertThat(task.awaitEnd(Duration.ofMillis(1))).isFalse();
        task.cancel();
        assertThat(end(task)).isSameAs(RESULT);
        assertThat(task.awaitEnd(Duration.ZERO)).isTrue();
        task.cancel();
        assertThat(end(task)).isSameAs(RESULT);
    }

    @Test
    void aStoryThatIsCancelledBeforeItBeginsIsInterruptedAtOnce() {
        Work task = new Work(this::untilCancelled);
        task.cancel();
        thread.execute(task);
        assertThat(end(task)).isSameAs(RESULT);
    }

    @Test
    void theThreadGoesBackUninterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        Work task = new Work(signal -> {
            Thread.currentThread().interrupt();
            return RESULT;
        });
        thread.execute(task);
        end(task);
        Future<?> next =
                thread.submit(() -> interrupted.set(Thread.currentThread().isInterrupted()));
        next.get(10, TimeUnit.SECONDS);
        assertThat(interrupted).isFalse();
    }

    private static StoryResult end(Work task) {
        return task.done().join();
    }
}
