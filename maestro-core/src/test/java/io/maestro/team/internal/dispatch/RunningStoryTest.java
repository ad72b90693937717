package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.mockito.Mockito.mock;

import io.maestro.record.internal.Leases;
import io.maestro.team.internal.machine.StopCause;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stops the work on a story, and what does so no more. */
@Timeout(60)
class RunningStoryTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final LeaseKeeper leases = new LeaseKeeper(mock(Leases.class), "session", Duration.ofHours(1), false);
    private final Mailbox mailbox = new Mailbox();
    private final CountDownLatch never = new CountDownLatch(1);

    @BeforeEach
    void postOnTheCallingThread() {
        mailbox.close();
    }

    @AfterEach
    void close() {
        leases.close();
        threads.shutdownNow();
    }

    private RunningStory story() {
        return new RunningStory("1", null, 1, leases, mailbox);
    }

    /** Works on a story until it may end or is stopped; completed with the cause of that. */
    private CompletableFuture<Optional<StopCause>> begin(RunningStory story, CountDownLatch end) {
        CompletableFuture<Optional<StopCause>> stopped = new CompletableFuture<>();
        story.begin(
                threads,
                stop -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        // The cause says why.
                    }
                    stopped.complete(stop.cause());
                    return story.notBegun("the end");
                },
                result -> {},
                stopped::completeExceptionally);
        return stopped;
    }

    @Test
    void aStoryThatGoesOnAfterAPauseIsNotStoppedByIt() throws Exception {
        RunningStory story = story();
        CompletableFuture<Optional<StopCause>> first = begin(story, never);
        story.pause();
        assertThat(first.get(30, TimeUnit.SECONDS)).contains(StopCause.PAUSED);
        story.goOn();
        assertThat(begin(story, new CountDownLatch(0)).get(30, TimeUnit.SECONDS))
                .isEmpty();
    }

    @Test
    void whatWasSaidBeforeTheWorkBeginsStopsIt() throws Exception {
        Map<StopCause, Consumer<RunningStory>> said = Map.of(
                StopCause.CANCELLED, RunningStory::cancel,
                StopCause.PAUSED, RunningStory::pause,
                StopCause.CLOSED, RunningStory::close);
        for (Map.Entry<StopCause, Consumer<RunningStory>> one : said.entrySet()) {
            RunningStory story = story();
            one.getValue().accept(story);
            assertThat(begin(story, never).get(30, TimeUnit.SECONDS)).contains(one.getKey());
        }
    }
}
