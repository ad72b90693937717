package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.maestro.record.internal.Leases;
import io.maestro.story.StoryResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever happens, whoever waits for a story goes on. */
@Timeout(60)
class CompletionsTest {
    private final AtomicInteger refusals = new AtomicInteger();
    private final ExecutorService threads =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MILLISECONDS, new SynchronousQueue<>(), task -> {
                if (refusals.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return new Thread(task);
            });
    private final LeaseKeeper leases = new LeaseKeeper(mock(Leases.class), "session", Duration.ofHours(1), false);
    private final ConcurrentHashMap<String, RunningStory> stories = new ConcurrentHashMap<>();
    private final Completions completions = new Completions(stories, threads, id -> {});
    private RunningStory running;

    @BeforeEach
    void watch() {
        running = new RunningStory("1", null, 1, leases, new Mailbox());
        stories.put("1", running);
    }

    @AfterEach
    void close() {
        leases.close();
        threads.shutdownNow();
    }

    private StoryResult ended() throws Exception {
        assertThat(stories).isEmpty();
        return running.done().get(30, TimeUnit.SECONDS);
    }

    private StoryResult result() {
        return running.notBegun("the end");
    }

    @Test
    void aResultComesAlthoughThereIsNoThreadForAWhile() throws Exception {
        refusals.set(3);
        completions.complete(running, this::result);
        assertThat(ended().error()).contains("the end");
        assertThat(refusals.get()).isNegative();
    }

    @Test
    void aFailureComesAlthoughThereIsNoThreadForAWhile() {
        refusals.set(3);
        completions.fail(running, new IllegalStateException("no"));
        assertThatThrownBy(this::ended).hasRootCauseMessage("no");
    }

    @Test
    void aResultComesAfterTheEndOfTheThreads() throws Exception {
        threads.shutdownNow();
        completions.complete(running, this::result);
        assertThat(ended().error()).contains("the end");
    }

    @Test
    void whatAResultThrowsIsTold() {
        for (Throwable failure : List.of(new StackOverflowError("no"), new IOException("no"))) {
            watch();
            completions.complete(running, () -> sneak(failure));
            assertThatThrownBy(this::ended).cause().isSameAs(failure);
        }
    }

    /** What another language can throw. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> StoryResult sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
