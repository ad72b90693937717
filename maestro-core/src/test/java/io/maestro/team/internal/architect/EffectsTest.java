package io.maestro.team.internal.architect;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Reply;
import io.maestro.agent.Architect.Request;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.settings.PeopleOptions;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.team.internal.DyingStore;
import io.maestro.team.internal.MortalStore;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.coder.TestHandlers;
import io.maestro.team.internal.coder.TestRun;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.testing.Await;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to the architect, across lives and time limits, with a real record. */
class EffectsTest {
    private static final Map<String, String> FACTS = Map.of(Request.PLAN, "the plan");

    @TempDir
    Path directory;

    private Store store;
    private final List<MaestroEvent> events = Collections.synchronizedList(new ArrayList<>());
    private final List<Request> asked = Collections.synchronizedList(new ArrayList<>());
    private Limits limits = Limits.defaults();
    private Function<Request, Reply> architect = request -> new Reply(request.id(), Decision.APPROVED, "fine");
    private final List<Effects> open = new ArrayList<>();
    private final List<String> abandoned = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        store.beginSession(new AuditLog.Session("session", "r", Instant.now(), 1, null));
        store.saveStory(run().toRecord(CoderState.PLAN_REVIEW));
    }

    @AfterEach
    void close() {
        open.forEach(Effects::close);
        store.close();
    }

    /** Whether an architect of the host's is asked, and not the model. */
    boolean people() {
        return false;
    }

    private List<MaestroEvent> replies() {
        return events.stream()
                .filter(MaestroEvent.ArchitectReplied.class::isInstance)
                .toList();
    }

    /** The effects of a new life. */
    private Effects effects(Store seen) {
        Architect person = new Architect() {
            @Override
            public String id() {
                return "person";
            }

            @Override
            public Reply reply(Request request) {
                asked.add(request);
                return architect.apply(request);
            }
        };
        Effects effects = new Effects(
                seen,
                people() ? PeopleOptions.defaults().architect(person) : PeopleOptions.defaults(),
                () -> people() ? null : person,
                limits,
                text -> text,
                new Events(List.of(events::add)),
                abandoned::add);
        open.add(effects);
        return effects;
    }

    private static StoryAttempt run() {
        return run(2, 3);
    }

    private static StoryAttempt run(int attempt, int step) {
        StoryProgress progress = StoryProgress.fromJson("{\"step\":" + step + "}");
        progress.comesBackTo(CoderState.CODING);
        progress.turns().asked("which?");
        return TestRun.of(Story.builder("042", "T").content("C").build(), attempt, progress, CoderState.PLAN_REVIEW);
    }

    /** Without a workspace to show a change from. */
    private static Requester requester(StoryAttempt run) {
        Requester requester = mock(Requester.class, delegatesTo(run));
        doAnswer(call -> call.getArgument(1)).when(requester).factsForPeople(any(), any(), any());
        return requester;
    }

    private static Reply hang() {
        try {
            new CountDownLatch(1).await();
            throw new AssertionError();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MaestroException("interrupted");
        }
    }

    @Test
    void theReplyThatIsInTheRecordIsTakenAndNobodyIsAskedAgain() {
        architect = request -> new Reply(request.id(), Decision.NEEDS_CHANGES, "smaller");
        Reply first = effects(store).ask(requester(run()), Kind.PLAN_REVIEW, FACTS);
        Reply second = effects(store).ask(requester(run()), Kind.PLAN_REVIEW, FACTS);

        assertThat(first).isEqualTo(new Reply("042/2/3", Decision.NEEDS_CHANGES, "smaller"));
        assertThat(second).isEqualTo(first);
        assertThat(asked).hasSize(1);
        // Listeners of the next life are told what people have replied before.
        assertThat(replies()).hasSize(people() ? 2 : 1);
        assertThat(store.effects("042"))
                .singleElement()
                .satisfies(effect -> assertThat(effect.attempt()).isEqualTo(2));
    }

    @Test
    void aRequestWhoseReplyGotLostIsSentAgainWithTheSameId() {
        Store dying =
                MortalStore.before(store, (method, arguments) -> method.equals(people() ? "reply" : "completeEffect"));
        assertThatThrownBy(() -> effects(dying).ask(requester(run()), Kind.PLAN_REVIEW, FACTS))
                .isInstanceOf(DyingStore.KilledException.class);
        assertThat(replies()).isEmpty();

        Reply reply = effects(store).ask(requester(run()), Kind.PLAN_REVIEW, FACTS);

        assertThat(reply.decision()).isEqualTo(Decision.APPROVED);
        assertThat(asked).extracting(Request::id).containsExactly("042/2/3", "042/2/3");
        assertThat(store.effects("042")).hasSize(1).allMatch(effect -> effect.reply() != null);
    }

    @Test
    void aRequestIsInTheRecordBeforeItIsSent() {
        architect = request -> {
            assertThat(store.effects("042")).extracting(AuditLog.Effect::id).containsExactly("042/2/3");
            return new Reply(request.id(), Decision.APPROVED, "");
        };
        effects(store).ask(requester(run()), Kind.PLAN_REVIEW, FACTS);
        Store dying =
                MortalStore.before(store, (method, arguments) -> method.equals(people() ? "open" : "recordEffect"));
        StoryAttempt next = run(2, 4);
        assertThatThrownBy(() -> effects(dying).ask(next, Kind.PLAN_REVIEW, FACTS))
                .isInstanceOf(DyingStore.KilledException.class);
        assertThat(asked).hasSize(1);
    }

    @Test
    void anotherStepOrAttemptIsAnotherRequest() {
        Effects effects = effects(store);
        effects.ask(requester(run()), Kind.PLAN_REVIEW, FACTS);
        effects.ask(run(2, 4), Kind.PLAN_REVIEW, FACTS);
        assertThat(asked).extracting(Request::id).containsExactly("042/2/3", "042/2/4");
        StoryAttempt attempt = run(3, 4);
        store.saveStory(attempt.toRecord(CoderState.PLAN_REVIEW));
        effects.ask(attempt, Kind.PLAN_REVIEW, FACTS);
        assertThat(asked).extracting(Request::id).endsWith("042/3/4");
    }

    @Test
    void anArchitectWhoseServiceIsDownIsAskedAgainWithTheSameId() {
        architect = request -> {
            if (asked.size() == 1) {
                throw new LlmUnavailableException("down", null, null);
            }
            return new Reply(request.id(), Decision.APPROVED, "up again");
        };
        Effects effects = effects(store);
        StoryAttempt run = run();
        assertThatThrownBy(() -> effects.ask(run, Kind.PLAN_REVIEW, FACTS)).isInstanceOf(LlmUnavailableException.class);
        assertThat(effects.ask(run, Kind.PLAN_REVIEW, FACTS).message()).isEqualTo("up again");
        assertThat(asked).extracting(Request::id).containsExactly("042/2/3", "042/2/3");
    }

    // Time limits

    private void limit(Kind kind) {
        limits = Limits.builder().replyTime(kind, Duration.ofMillis(600)).build();
    }

    @Test
    void aQuestionThatIsNotAnsweredInTimeLetsTheCoderGoOn() {
        limit(Kind.QUESTION);
        architect = request -> hang();
        StoryAttempt run = run();
        Next<CoderState> next = TestHandlers.question(effects(store), run);
        assertThat(next).isEqualTo(new Next<>(CoderState.CODING, "not answered in time"));
        assertThat(run.guidance().untold())
                .singleElement()
                .asString()
                .contains("You asked: which?", "There is no answer", "Decide by yourself");

        // The same is so in the next life, where nobody is asked again.
        architect = request -> new Reply(request.id(), Decision.APPROVED, "too late");
        StoryAttempt again = run();
        assertThat(TestHandlers.question(effects(store), again)).isEqualTo(next);
        assertThat(again.guidance().untold()).isEqualTo(run.guidance().untold());
        assertThat(asked).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void everythingElseThatIsNotRepliedToInTimeFailsAndSaysWhichLimit() {
        architect = request -> hang();
        int step = 3;
        for (Kind kind : List.of(Kind.PLAN_REVIEW, Kind.CODE_REVIEW, Kind.BUDGET_REVIEW, Kind.MERGE)) {
            limit(kind);
            Requester run = requester(run(2, ++step));
            for (int life = 1; life <= 2; life++) {
                assertThatThrownBy(() -> effects(store).ask(run, kind, FACTS))
                        .isInstanceOf(ReplyTimeoutException.class)
                        .hasMessageContaining("person has not replied to the " + kind)
                        .hasMessageContaining("Limits.replyTime");
            }
        }
        // On a busy machine the time may be over before anybody is asked.
        assertThat(asked).extracting(Request::id).doesNotHaveDuplicates();
        assertThat(replies()).isEmpty();
    }

    @Test
    void theLimitOfOneKindIsNotThatOfAnother() {
        limit(Kind.MERGE);
        CountDownLatch other = new CountDownLatch(1);
        architect = request -> {
            if (request.kind() == Kind.MERGE) {
                return hang();
            }
            await(other);
            return new Reply(request.id(), Decision.APPROVED, "took its time");
        };
        Effects effects = effects(store);
        CompletableFuture<Reply> review =
                CompletableFuture.supplyAsync(() -> effects.ask(requester(run()), Kind.CODE_REVIEW, FACTS));
        Requester merging = requester(run(2, 4));
        assertThatThrownBy(() -> effects.ask(merging, Kind.MERGE, FACTS)).isInstanceOf(ReplyTimeoutException.class);
        other.countDown();
        assertThat(review.orTimeout(30, TimeUnit.SECONDS).join().message()).isEqualTo("took its time");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Who says that there is no limit must not be told of an overflow. */
    @Test
    void theLongestLimitIsNone() {
        limits = Limits.builder().replyTime(Duration.ofSeconds(Long.MAX_VALUE)).build();
        assertThat(effects(store).ask(requester(run()), Kind.MERGE, FACTS).message())
                .isEqualTo("fine");
    }

    @Test
    void anArchitectThatIsTooLateIsInterrupted() throws Exception {
        limit(Kind.MERGE);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        architect = request -> {
            try {
                return hang();
            } finally {
                interrupted.complete(Thread.currentThread().isInterrupted());
            }
        };
        assertThatThrownBy(() -> effects(store).ask(requester(run()), Kind.MERGE, FACTS))
                .isInstanceOf(ReplyTimeoutException.class);
        assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void anArchitectThatHearsNoInterruptDoesNotHoldTheStoryUp() {
        limit(Kind.MERGE);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Reply> late = new CompletableFuture<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        architect = request -> {
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            }
            Reply reply = new Reply(request.id(), Decision.APPROVED, "interrupted: " + interrupted);
            late.complete(reply);
            return reply;
        };
        try {
            assertThatThrownBy(() -> effects(store).ask(requester(run()), Kind.MERGE, FACTS))
                    .isInstanceOf(ReplyTimeoutException.class);
            assertThat(late).isNotDone();
            // Whoever still thinks must not add to the conversation that the next request goes on with.
            Await.until("the architect is interrupted", interrupted::get);
            Await.until("the architect is given up", () -> abandoned.equals(people() ? List.of() : List.of("042")));
        } finally {
            released.countDown();
        }
        // What it says when nobody listens any more changes nothing.
        assertThat(late.orTimeout(30, TimeUnit.SECONDS).join().message()).isEqualTo("interrupted: true");
        assertThatThrownBy(() -> effects(store).ask(requester(run()), Kind.MERGE, FACTS))
                .isInstanceOf(ReplyTimeoutException.class);
    }

    @Test
    void aStoryThatIsCancelledWhileTheArchitectThinksEndsAndTheArchitectToo() throws Exception {
        CompletableFuture<Thread> thinking = new CompletableFuture<>();
        CompletableFuture<Boolean> architectEnded = new CompletableFuture<>();
        architect = request -> {
            thinking.complete(Thread.currentThread());
            try {
                return hang();
            } finally {
                architectEnded.complete(Thread.currentThread().isInterrupted());
            }
        };
        Effects effects = effects(store);
        CompletableFuture<Object> end = new CompletableFuture<>();
        Thread story = new Thread(() -> {
            try {
                end.complete(effects.ask(requester(run()), Kind.MERGE, FACTS));
            } catch (CancelledException e) {
                end.complete(Thread.currentThread().isInterrupted());
            }
        });
        story.start();
        thinking.get(30, TimeUnit.SECONDS);
        story.interrupt();
        assertThat(end.get(30, TimeUnit.SECONDS)).isEqualTo(true);
        story.join();
        assertThat(architectEnded.get(30, TimeUnit.SECONDS)).isTrue();
        // It was not decided on: whoever goes on asks again.
        assertThat(store.effects("042"))
                .singleElement()
                .satisfies(effect -> assertThat(effect.reply()).isNull());
    }

    @Test
    void aReplyToAnotherRequestIsRefused() {
        architect = request -> new Reply("042/2/2", Decision.APPROVED, "");
        assertThatThrownBy(() -> effects(store).ask(requester(run()), Kind.MERGE, FACTS))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("replied to request 042/2/2 instead of 042/2/3");
        assertThat(store.effects("042")).allMatch(effect -> effect.reply() == null);
    }

    // Long waits

    @Test
    void aStoryThatWaitsLongIsParkedAndGoesOnWithTheReply() throws Exception {
        limits = Limits.builder().parkAfter(Duration.ofMillis(1)).build();
        CountDownLatch replies = new CountDownLatch(1);
        architect = request -> {
            await(replies);
            return new Reply(request.id(), Decision.APPROVED, "after days");
        };
        Effects effects = effects(store);
        ParkedException parked =
                catchThrowableOfType(ParkedException.class, () -> effects.ask(requester(run()), Kind.MERGE, FACTS));
        assertThat(parked.until()).isNotDone();
        // Whoever asks again meanwhile waits for the same reply.
        assertThatThrownBy(() -> effects.ask(requester(run()), Kind.MERGE, FACTS))
                .isInstanceOf(ParkedException.class);
        replies.countDown();
        parked.until().get(30, TimeUnit.SECONDS);
        assertThat(effects.ask(requester(run()), Kind.MERGE, FACTS).message()).isEqualTo("after days");
        assertThat(asked).hasSize(1);
    }

    @Test
    void aTimeLimitEndsTheWaitOfAParkedStory() throws Exception {
        limits = Limits.builder()
                .parkAfter(Duration.ofMillis(1))
                .replyTime(Duration.ofSeconds(1))
                .build();
        architect = request -> hang();
        Effects effects = effects(store);
        ParkedException parked =
                catchThrowableOfType(ParkedException.class, () -> effects.ask(requester(run()), Kind.MERGE, FACTS));
        assertThatThrownBy(() -> parked.until().get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(ReplyTimeoutException.class);
        assertThatThrownBy(() -> effects.ask(requester(run()), Kind.MERGE, FACTS))
                .isInstanceOf(ReplyTimeoutException.class);
        assertThat(asked).hasSize(1);
    }
}
