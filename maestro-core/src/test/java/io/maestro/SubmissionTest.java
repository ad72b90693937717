package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.machine.BackgroundWork;
import io.maestro.team.internal.machine.EventQueues;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a host holds of a story that goes on in the background. */
@Timeout(120)
class SubmissionTest {
    @TempDir
    Path directory;

    private TestRepository repository;
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch reply = new CountDownLatch(1);

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
    }

    /** Replies to the first story when the test says so, and to all others at once. */
    private final Architect waiting = new Approving() {
        @Override
        public Reply reply(Request request) {
            if (request.storyId().equals("1")) {
                asked.countDown();
                try {
                    reply.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new MaestroException("interrupted");
                }
            }
            return super.reply(request);
        }
    };

    private Maestro maestro() {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(ScriptedLlm.builder("coder")
                        .story("1", script -> script.repeat(done()))
                        .story("2", script -> script.repeat(done()))
                        .build())
                .architect(waiting)
                .maxCoders(2)
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .build();
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "nothing to do"));
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    @Test
    void nothingThatIsDoneToAFutureTouchesTheWork() throws Exception {
        try (Maestro maestro = maestro()) {
            Submission<StoryResult> work = maestro.submit(story("1"));
            asked.await();
            CompletableFuture<StoryResult> future = work.future();
            assertThat(future.cancel(true)).isTrue();
            assertThat(work.future().completeExceptionally(new IllegalStateException("not me")))
                    .isTrue();
            assertThat(work.future().complete(null)).isTrue();
            assertThat(work.future()).isNotDone();
            assertThat(work.result()).isEmpty();
            assertThat(work).hasToString("1 (goes on)");

            reply.countDown();

            StoryResult result = work.await();
            assertThat(result.outcome()).isEqualTo(Outcome.NO_CHANGE);
            assertThat(work.result()).contains(result);
            assertThat(work.future()).isCompletedWithValue(result);
            assertThat(work).hasToString("1 (ended)");
            work.cancel();
            assertThat(work.result()).contains(result);
        }
    }

    @Test
    void aCancelledStoryHasAResult() throws Exception {
        try (Maestro maestro = maestro()) {
            Submission<StoryResult> work = maestro.submit(story("1"));
            asked.await();
            work.cancel();
            assertThat(work.await().outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(work.result().orElseThrow().outcome()).isEqualTo(Outcome.CANCELLED);
        }
    }

    @Test
    void whoWaitsAndIsInterruptedCancelsTheWorkAndStillHasItsEnd() throws Exception {
        try (Maestro maestro = maestro()) {
            Submission<StoryResult> work = maestro.submit(story("1"));
            asked.await();
            AtomicReference<Boolean> interrupted = new AtomicReference<>();
            CompletableFuture<StoryResult> end = new CompletableFuture<>();
            Thread host = new Thread(() -> {
                end.complete(work.await());
                interrupted.set(Thread.currentThread().isInterrupted());
            });
            host.start();
            host.interrupt();
            assertThat(end.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.CANCELLED);
            host.join();
            assertThat(interrupted).hasValue(true);
        }
    }

    @Test
    void eachIsToldOfItsOwnStory() throws Exception {
        List<String> first = Collections.synchronizedList(new ArrayList<>());
        List<CoderState> second = Collections.synchronizedList(new ArrayList<>());
        try (Maestro maestro = maestro()) {
            Submission<StoryResult> one = maestro.submit(story("1")).listen(event -> first.add(event.storyId()));
            asked.await();
            Submission<StoryResult> two = maestro.submit(story("2"));
            two.listen(event -> {
                assertThat(event.storyId()).isEqualTo("2");
                if (event instanceof MaestroEvent.StateChanged changed) {
                    second.add(changed.to());
                }
                throw new IllegalStateException("a listener that throws does no harm");
            });
            assertThat(two.await().outcome()).isEqualTo(Outcome.NO_CHANGE);
            reply.countDown();
            assertThat(one.await().outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
        assertThat(first).isNotEmpty().containsOnly("1");
        assertThat(second).endsWith(CoderState.CODE_REVIEW, CoderState.DONE);
    }

    @Test
    void aListenerThatIsGivenWithTheStoryMissesNothing() throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        MaestroListener listener = event -> {
            if (event instanceof MaestroEvent.StateChanged changed) {
                told.add(changed.storyId() + " " + changed.from() + "->" + changed.to());
            }
        };
        List<String> recorded;
        try (Maestro maestro = maestro()) {
            assertThat(maestro.submit(story("2"), listener).await().outcome()).isEqualTo(Outcome.NO_CHANGE);
            recorded = maestro.auditLog().transitions("2").stream()
                    .map(changed -> "2 " + changed.from() + "->" + changed.to())
                    .toList();
        }
        assertThat(told).startsWith("2 WAITING->SETUP").isEqualTo(recorded);
    }

    @Test
    void whoWaitsForATimeLeavesTheWorkAlone() throws Exception {
        try (Maestro maestro = maestro()) {
            Submission<StoryResult> work = maestro.submit(story("1"));
            asked.await();
            assertThat(work.await(Duration.ofMillis(1))).isEmpty();
            assertThat(work.await(Duration.ofSeconds(-1))).isEmpty();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> work.await(Duration.ofSeconds(60))).isInstanceOf(InterruptedException.class);
            assertThat(work.future()).isNotDone();

            reply.countDown();

            StoryResult result = work.await(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow();
            assertThat(result.outcome()).isEqualTo(Outcome.NO_CHANGE);
            assertThat(work.await(Duration.ZERO)).contains(result);
        }
    }

    @Test
    void whatIsClosedGoesOnInTheNextLife() throws Exception {
        Maestro maestro = maestro();
        Submission<StoryResult> running = maestro.submit(story("1"));
        Submission<StoryResult> waits = maestro.submit(Story.builder("2", "Story 2")
                .content("do it")
                .express()
                .dependsOn("1")
                .build());
        asked.await();
        maestro.close();
        assertThatThrownBy(running::await)
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("this Maestro was closed while story 1 was in CODE_REVIEW");
        assertThatThrownBy(waits::await).hasMessageContaining("this Maestro was closed before story 2 had ended");
        assertThatThrownBy(() -> maestro.submit(story("3"))).hasMessageContaining("closed");

        reply.countDown();
        try (Maestro next = maestro()) {
            List<Submission<?>> resumed = next.resume();
            assertThat(resumed).extracting(Submission::id).containsExactlyInAnyOrder("1", "2");
            for (Submission<?> submission : resumed) {
                StoryResult result = (StoryResult) submission.await();
                assertThat(result.outcome()).isEqualTo(Outcome.NO_CHANGE);
                assertThat(result.attempt()).isEqualTo(1);
            }
            assertThat(next.auditLog().transitions("1"))
                    .extracting(AuditLog.StateTransition::to)
                    .doesNotContain(CoderState.ERROR);
        }
    }

    /** Work that ends at once when it is cancelled. */
    private static final class Work extends BackgroundWork<String> {
        Work() {
            super("1");
        }

        @Override
        public void cancel() {
            end(() -> "cancelled");
        }
    }

    private static Submission<String> submitted(Work work) {
        return new Submission<>(work, new EventQueues());
    }

    @Test
    void whoIsInterruptedBeforeTheWaitCancelsTheWorkAndStillWaitsForItsEnd() {
        Thread.currentThread().interrupt();
        assertThat(submitted(new Work()).await()).isEqualTo("cancelled");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theEndComesAfterWhatListenersAreYetToBeTold() throws Exception {
        Work work = new Work();
        try (EventQueues queues = new EventQueues()) {
            Submission<String> submitted = new Submission<>(work, queues);
            CountDownLatch slow = new CountDownLatch(1);
            List<MaestroEvent> told = Collections.synchronizedList(new ArrayList<>());
            submitted.listen(event -> {
                awaitUninterruptibly(slow);
                told.add(event);
            });
            MaestroEvent event = new MaestroEvent.EventsLost(1, Instant.EPOCH);
            work.onEvent(event);
            work.end(() -> "done");
            assertThat(work.done()).isCompletedWithValue("done");
            assertThat(submitted.await(Duration.ofMillis(1))).isEmpty();
            assertThat(submitted.result()).isEmpty();
            slow.countDown();
            assertThat(submitted.await()).isEqualTo("done");
            assertThat(told).containsExactly(event);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aKnownFailureIsThrownAsItIsAndAFaultIsNamed() throws Exception {
        MaestroException known = new MaestroException("closed");
        Work work = new Work();
        Submission<String> closed = submitted(work);
        assertThat(closed.await(Duration.ofMillis(1))).isEmpty();
        work.fail(known);
        assertThatThrownBy(closed::await).isSameAs(known);
        assertThatThrownBy(() -> closed.await(Duration.ZERO)).isSameAs(known);
        for (Throwable fault : new Throwable[] {new IllegalStateException("disk"), new StackOverflowError("deep")}) {
            Work failed = new Work();
            failed.fail(fault);
            assertThatThrownBy(() -> submitted(failed).await())
                    .isInstanceOf(MaestroException.class)
                    .hasMessage("it ended by a fault in Maestro itself: " + fault)
                    .hasCause(fault);
        }
    }
}
