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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StoppableTaskTest {
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
        StoppableTask<StoryResult> task = new StoppableTask<>(this::untilCancelled);
        thread.execute(task);
        begun.await();
        assertThat(task.awaitEnd(Duration.ofMillis(1))).isFalse();
        task.stop(StopCause.CANCELLED);
        assertThat(end(task)).isSameAs(RESULT);
        assertThat(task.awaitEnd(Duration.ZERO)).isTrue();
        task.stop(StopCause.CANCELLED);
        assertThat(end(task)).isSameAs(RESULT);
    }

    @Test
    void aStoryThatIsCancelledBeforeItBeginsIsInterruptedAtOnce() {
        StoppableTask<StoryResult> task = new StoppableTask<>(this::untilCancelled);
        task.stop(StopCause.CANCELLED);
        thread.execute(task);
        assertThat(end(task)).isSameAs(RESULT);
    }

    @Test
    void theThreadGoesBackUninterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        StoppableTask<StoryResult> task = new StoppableTask<>(signal -> {
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

    private static StoryResult end(StoppableTask<StoryResult> task) {
        return task.done().join();
    }
}
