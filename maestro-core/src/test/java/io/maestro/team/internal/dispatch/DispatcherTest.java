package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.DyingStore;
import io.maestro.team.internal.MortalStore;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who works when, with a real record and work that the tests let end. */
@Timeout(120)
class DispatcherTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private Store store;
    private Dispatcher dispatcher;
    private LeaseKeeper leases;
    private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
    private final Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
    private final List<String> names = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger atWork = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        begin("session");
        begin("other");
        dispatcher = dispatcher(store, 1);
    }

    @AfterEach
    void close() {
        dispatcher.close();
        leases.close();
        store.close();
    }

    private void begin(String session) {
        store.beginSession(new AuditLog.Session(session, "r", Instant.now(), 1, null));
    }

    private Dispatcher dispatcher(Store seen, int maxCoders) {
        leases = new LeaseKeeper(seen.leases(), "session", LEASE, true);
        return new Dispatcher(
                seen,
                leases,
                text -> text,
                "session",
                null,
                new CoderNames(store, new WorkspaceMarkers(directory), maxCoders),
                this::work,
                row -> StoryRows.result(store, (model, usage) -> Optional.empty(), row));
    }

    private void coders(int maxCoders) {
        dispatcher.close();
        leases.close();
        dispatcher = dispatcher(store, maxCoders);
    }

    /** A coder that waits at the story's gate, if there is one. */
    private StoryResult work(AuditLog.StoryRecord row, Story story, String agentId, StopSignal stop) {
        int now = atWork.incrementAndGet();
        most.accumulateAndGet(now, Math::max);
        Outcome outcome = outcomes.getOrDefault(story.id(), Outcome.MERGED);
        try {
            names.add(agentId);
            begun.add(story.id());
            CountDownLatch gate = gates.get(story.id());
            if (gate != null) {
                gate.await();
            }
            CancelledException.check();
        } catch (InterruptedException | CancelledException e) {
            Thread.currentThread().interrupt();
            outcome = Outcome.CANCELLED;
        } finally {
            atWork.decrementAndGet();
        }
        StoryProgress progress = StoryProgress.fromJson(row.data());
        progress.ended(outcome);
        CoderState end = outcome == Outcome.MERGED ? CoderState.DONE : CoderState.ERROR;
        String error = outcome == Outcome.MERGED ? null : "it went wrong";
        store.recordTransition(
                new AuditLog.StateTransition(
                        "session", story.id(), row.attempt(), agentId, row.state(), end, "", Instant.now()),
                StoryRows.of(
                        story,
                        row.specId(),
                        "session",
                        row.attempt(),
                        end,
                        new StoryRows.WorkSoFar(agentId, null, null, error),
                        progress));
        return new StoryResult(
                story.id(),
                row.attempt(),
                outcome,
                Optional.empty(),
                Optional.empty(),
                Optional.ofNullable(error),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO);
    }

    private CountDownLatch gate(String story) {
        CountDownLatch gate = new CountDownLatch(1);
        gates.put(story, gate);
        return gate;
    }

    private static Story story(String id, String... dependencies) {
        return Story.builder(id, "Story " + id)
                .content("do " + id)
                .dependsOn(dependencies)
                .build();
    }

    private static StoryResult end(RunningStory work) throws Exception {
        return work.done().get(60, TimeUnit.SECONDS);
    }

    private String next() throws InterruptedException {
        return begun.poll(60, TimeUnit.SECONDS);
    }

    @Test
    void aStoryThatWaitsForOneThatNobodyHasSubmittedSaysSoOnce() throws Exception {
        LinkedBlockingQueue<MaestroEvent> told = new LinkedBlockingQueue<>();
        dispatcher.listen(told::add);
        RunningStory waiting = dispatcher.submit(story("2", "1"), event -> {});
        assertThat(told.poll(60, TimeUnit.SECONDS))
                .usingRecursiveComparison()
                .ignoringFields("at")
                .isEqualTo(new MaestroEvent.DependencyUnknown("2", "dispatcher", "1", Instant.EPOCH));
        dispatcher.submit(story("1"), event -> {});
        assertThat(end(waiting).outcome()).isEqualTo(Outcome.MERGED);
        assertThat(told)
                .filteredOn(MaestroEvent.DependencyUnknown.class::isInstance)
                .isEmpty();
    }

    // What only waits

    /** A record that counts the calls of each of its methods. */
    private Store counted(Map<String, AtomicInteger> calls) {
        return mock(Store.class, withSettings().stubOnly().defaultAnswer(call -> {
            calls.computeIfAbsent(call.getMethod().getName(), name -> new AtomicInteger())
                    .incrementAndGet();
            return delegatesTo(store).answer(call);
        }));
    }

    /** One coder is at work, and some wait for it, others for a story that another process works on. */
    @Test
    void whatCannotBeginIsReadOnceHoweverLongItWaits() throws Exception {
        Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
        dispatcher.close();
        leases.close();
        dispatcher = dispatcher(counted(calls), 1);
        CountDownLatch gate = gate("first");
        assertThat(store.leases().acquire(List.of(Leases.story("theirs")), "other", LEASE))
                .isPresent();
        AuditLog.StoryRecord theirs = StoryRows.waiting(story("theirs"), null, null, "other");
        store.saveStory(theirs);
        List<RunningStory> running = new ArrayList<>(List.of(dispatcher.submit(story("first"), event -> {})));
        assertThat(next()).isEqualTo("first");
        for (int i = 0; i < 50; i++) {
            for (Story waits : List.of(story("coder-" + i), story("dependency-" + i, "theirs"))) {
                store.saveStory(StoryRows.waiting(waits, null, null, "session"));
                running.add(dispatcher.watch(waits.id(), event -> {}));
            }
        }
        awaitLooks(calls);
        int reads = calls.get("story").get();
        awaitLooks(calls);
        assertThat(calls.get("story")).hasValue(reads);

        // Another process ends its story, and one that waits here.
        store.recordTransition(
                StoryRows.transition(theirs, "other", "coder-001", CoderState.DONE, "merged"),
                StoryRows.of(
                        story("theirs"),
                        null,
                        "other",
                        1,
                        CoderState.DONE,
                        StoryRows.WorkSoFar.NONE,
                        new StoryProgress()));
        AuditLog.StoryRecord ended = store.story("coder-49").orElseThrow();
        store.recordTransition(
                StoryRows.transition(ended, "other", "coder-001", CoderState.ERROR, "ended there"),
                StoryRows.ended(ended, "other", "coder-001", "ended there", new StoryProgress()));
        assertThat(end(running.get(running.size() - 2)).error()).contains("ended there");
        gate.countDown();
        for (RunningStory work : running) {
            end(work);
        }
        assertThat(begun).hasSize(99).doesNotContain("coder-49");
    }

    private void awaitLooks(Map<String, AtomicInteger> calls) {
        AtomicInteger looks = calls.computeIfAbsent("changedStories", name -> new AtomicInteger());
        int before = looks.get();
        Await.until("it looks again", () -> dispatcher.goOn("first") && looks.get() >= before + 2);
    }

    // Order and number

    @Test
    void oneCoderTakesTheStoriesInTheOrderInWhichTheyWereSubmitted() throws Exception {
        CountDownLatch gate = gate("c");
        List<RunningStory> running = new ArrayList<>();
        for (String id : List.of("c", "a", "d", "b")) {
            running.add(dispatcher.submit(story(id), event -> {}));
        }
        assertThat(next()).isEqualTo("c");
        gate.countDown();
        for (RunningStory work : running) {
            assertThat(end(work).outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(begun).containsExactly("a", "d", "b");
        assertThat(most).hasValue(1);
        assertThat(names).containsOnly("coder-001");
    }

    @Test
    void asManyWorkAtOnceAsThereAreCodersAndEachHasANameOfItsOwn() throws Exception {
        coders(2);
        List<RunningStory> running = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            gate(id);
            running.add(dispatcher.submit(story(id), event -> {}));
        }
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("a", "b");
        assertThat(names).containsExactlyInAnyOrder("coder-001", "coder-002");
        gates.get("b").countDown();
        assertThat(next()).isEqualTo("c");
        assertThat(names.get(2)).isEqualTo(names.get(names.get(0).equals("coder-001") ? 1 : 0));
        gates.values().forEach(CountDownLatch::countDown);
        for (RunningStory work : running) {
            end(work);
        }
        assertThat(most).hasValue(2);
    }

    // Dependencies

    @Test
    void aStoryWaitsForAllThatItDependsOnAlsoWhenTheyComeLater() throws Exception {
        RunningStory last = dispatcher.submit(story("last", "one", "two"), event -> {});
        RunningStory two = dispatcher.submit(story("two"), event -> {});
        assertThat(end(two).outcome()).isEqualTo(Outcome.MERGED);
        CountDownLatch gate = gate("one");
        RunningStory one = dispatcher.submit(story("one"), event -> {});
        assertThat(List.of(next(), next())).containsExactly("two", "one");
        assertThat(last.done()).isNotDone();
        gate.countDown();
        assertThat(end(one).outcome()).isEqualTo(Outcome.MERGED);
        assertThat(end(last).outcome()).isEqualTo(Outcome.MERGED);
    }

    @Test
    void aStoryWhoseDependencyFailsFailsAndNamesIt() throws Exception {
        outcomes.put("bad", Outcome.FAILED);
        RunningStory after = dispatcher.submit(story("after", "bad"), event -> {});
        RunningStory later = dispatcher.submit(story("later", "after"), event -> {});
        RunningStory bad = dispatcher.submit(story("bad"), event -> {});

        assertThat(end(bad).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end(after).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end(after).error()).contains("it depends on story bad, which has failed");
        assertThat(end(later).error()).contains("it depends on story after, which has failed");
        assertThat(begun).containsExactly("bad");
        assertThat(store.transitions("after"))
                .extracting(row -> row.from() + "->" + row.to() + " by " + row.agentId())
                .containsExactly("WAITING->ERROR by dispatcher");

        // All of them can be tried again, in any order.
        outcomes.clear();
        RunningStory badAgain = dispatcher.submit(story("bad"), event -> {});
        assertThat(end(badAgain).attempt()).isEqualTo(2);
        assertThat(end(dispatcher.submit(story("after", "bad"), event -> {})).outcome())
                .isEqualTo(Outcome.MERGED);
    }

    @Test
    void storiesThatDependOnEachOtherFailAndNameTheCircle() throws Exception {
        RunningStory a = dispatcher.submit(story("a", "b"), event -> {});
        RunningStory outside = dispatcher.submit(story("outside", "a"), event -> {});
        RunningStory b = dispatcher.submit(story("b", "c", "free"), event -> {});
        RunningStory free = dispatcher.submit(story("free"), event -> {});
        assertThat(end(free).outcome()).isEqualTo(Outcome.MERGED);
        assertThat(a.done()).isNotDone();

        RunningStory c = dispatcher.submit(story("c", "a"), event -> {});

        assertThat(end(c).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end(c).error()).contains("it depends on itself: c -> a -> b -> c");
        assertThat(end(b).error()).contains("it depends on story c, which has failed");
        assertThat(end(a).error()).contains("it depends on story b, which has failed");
        assertThat(end(outside).error()).contains("it depends on story a, which has failed");
        assertThat(begun).containsExactly("free");

        // The circle can be broken.
        assertThat(end(dispatcher.submit(story("c"), event -> {})).outcome()).isEqualTo(Outcome.MERGED);
        assertThat(end(dispatcher.submit(story("b", "c", "free"), event -> {})).outcome())
                .isEqualTo(Outcome.MERGED);
    }

    /** As in a record that two processes have filled. */
    @Test
    void aCircleInTheRecordIsFoundWhenItIsWatched() throws Exception {
        store.saveStory(StoryRows.waiting(story("a", "b"), null, null, "other"));
        store.saveStory(StoryRows.waiting(story("b", "a"), null, null, "other"));
        RunningStory a = dispatcher.watch("a", event -> {});
        RunningStory b = dispatcher.watch("b", event -> {});
        assertThat(end(a).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end(b).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end(a).error().orElseThrow() + end(b).error().orElseThrow()).contains("it depends on itself: ");
        assertThat(begun).isEmpty();
    }

    @Test
    void aDiamondIsNoCircle() throws Exception {
        RunningStory top = dispatcher.submit(story("top", "left", "right"), event -> {});
        dispatcher.submit(story("left", "base"), event -> {});
        dispatcher.submit(story("right", "base"), event -> {});
        dispatcher.submit(story("base"), event -> {});
        assertThat(end(top).outcome()).isEqualTo(Outcome.MERGED);
        assertThat(begun).containsExactly("base", "left", "right", "top");
    }

    // The same story twice

    @Test
    void aStoryThatRunsIsNotTakenTwice() throws Exception {
        CountDownLatch gate = gate("a");
        RunningStory first = dispatcher.submit(story("a"), event -> {});
        assertThatThrownBy(() -> dispatcher.submit(story("a"), event -> {}))
                .isInstanceOf(MaestroException.class)
                .hasMessage("story a is running already in this Maestro");
        assertThat(dispatcher.watch("a", event -> {})).isSameAs(first);
        gate.countDown();
        assertThat(end(first).attempt()).isEqualTo(1);

        // Done is done; the result of then comes.
        RunningStory again = dispatcher.submit(story("a"), event -> {});
        assertThat(end(again).outcome()).isEqualTo(Outcome.MERGED);
        assertThat(end(again).attempt()).isEqualTo(1);
        assertThat(begun).containsExactly("a");
    }

    @Test
    void aRefusedStoryLeavesNothingBehind() throws Exception {
        end(dispatcher.submit(story("a"), event -> {}));
        Story other = Story.builder("a", "Another").content("text").build();
        assertThatThrownBy(() -> dispatcher.submit(other, event -> {})).hasMessageContaining("an id of its own");
        assertThat(end(dispatcher.submit(story("a"), event -> {})).outcome()).isEqualTo(Outcome.MERGED);
    }

    @Test
    void aStoryThatIsNotInTheRecordCannotBeWatched() {
        assertThatThrownBy(() -> end(dispatcher.watch("nowhere", event -> {})))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("there is no story nowhere in the record");
    }

    // Cancelling

    @Test
    void aCancelledStoryThatWaitsForACoderEndsAtOnce() throws Exception {
        CountDownLatch gate = gate("a");
        RunningStory running = dispatcher.submit(story("a"), event -> {});
        assertThat(next()).isEqualTo("a");
        RunningStory waiting = dispatcher.submit(story("b"), event -> {});
        waiting.cancel();
        assertThat(end(waiting).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(running.done()).isNotDone();
        gate.countDown();
        assertThat(end(running).outcome()).isEqualTo(Outcome.MERGED);
        // It has not taken the name of the coder at work.
        assertThat(names).containsExactly("coder-001", "dispatcher");
    }

    @Test
    void aCancelledStoryThatWaitsForAnotherEndsAtOnce() throws Exception {
        RunningStory waiting = dispatcher.submit(story("b", "missing"), event -> {});
        waiting.cancel();
        assertThat(end(waiting).outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void aCancelledStoryThatRunsEndsAndOthersGoOn() throws Exception {
        coders(2);
        gate("a");
        CountDownLatch gate = gate("b");
        RunningStory a = dispatcher.submit(story("a"), event -> {});
        RunningStory b = dispatcher.submit(story("b"), event -> {});
        next();
        next();
        dispatcher.cancel("a", "");
        assertThat(end(a).outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(b.done()).isNotDone();
        gate.countDown();
        assertThat(end(b).outcome()).isEqualTo(Outcome.MERGED);
        a.cancel();
        dispatcher.cancel("a", "");
        assertThat(store.story("a").orElseThrow().attempt()).isEqualTo(1);
    }

    @Test
    void aStoryThatAnotherProcessWorksOnIsLeftToItWhenItIsCancelledHere() throws Exception {
        store.saveStory(StoryRows.waiting(story("a"), null, null, "other"));
        assertThat(store.leases().acquire(List.of(Leases.story("a")), "other", LEASE))
                .isPresent();
        RunningStory work = dispatcher.submit(story("a"), event -> {});
        work.cancel();
        StoryResult result = end(work);
        assertThat(result.outcome()).isEqualTo(Outcome.CANCELLED);
        assertThat(result.error()).contains("cancelled here; another process works on it");
        assertThat(store.story("a").orElseThrow().state()).isEqualTo(CoderState.WAITING);
        assertThat(store.transitions("a")).isEmpty();
        assertThat(begun).isEmpty();
    }

    @Test
    void theEndThatAnotherProcessWroteIsTheResult() throws Exception {
        store.saveStory(StoryRows.waiting(story("a"), null, null, "other"));
        store.leases().acquire(List.of(Leases.story("a")), "other", LEASE);
        RunningStory work = dispatcher.submit(story("a"), event -> {});
        AuditLog.StoryRecord row = store.story("a").orElseThrow();
        store.recordTransition(
                StoryRows.transition(row, "other", "dispatcher", CoderState.ERROR, "the other gave it up"),
                StoryRows.ended(row, "other", "dispatcher", "the other gave it up", new StoryProgress()));
        StoryResult result = end(work);
        assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(result.error()).contains("the other gave it up");
        assertThat(begun).isEmpty();
    }

    @Test
    void closingStopsWhatRunsAndGivesBackWhatWaits() throws Exception {
        gate("a");
        RunningStory a = dispatcher.submit(story("a"), event -> {});
        next();
        RunningStory b = dispatcher.submit(story("b"), event -> {});
        RunningStory c = dispatcher.submit(story("c", "missing"), event -> {});
        dispatcher.close();
        leases.close();
        assertThat(a.done()).isDone();
        for (RunningStory work : List.of(b, c)) {
            assertThatThrownBy(() -> end(work))
                    .hasMessageContaining("this Maestro was closed before story " + work.id() + " had ended");
            assertThat(store.story(work.id()).orElseThrow().state()).isEqualTo(CoderState.WAITING);
        }
        assertThat(atWork).hasValue(0);
        assertThatThrownBy(() -> dispatcher.submit(story("d"), event -> {}))
                .hasMessage("this Maestro is closed; build a new one to run story d");
        assertThat(store.story("d")).isEmpty();
        assertThat(store.leases().acquire(List.of(Leases.story("a")), "other", LEASE))
                .as("the lease is given back")
                .isPresent();
    }

    /** Nobody waits for the end of a story that was never taken in. */
    @Test
    void closingDoesNotWaitForAStoryThatIsRefusedMeanwhile() throws Exception {
        CountDownLatch saving = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        dispatcher.close();
        leases.close();
        dispatcher = dispatcher(
                MortalStore.before(store, (method, arguments) -> {
                    if (!method.equals("saveStory")) {
                        return false;
                    }
                    saving.countDown();
                    try {
                        return closing.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }),
                1);
        Thread submitting = new Thread(() -> assertThatThrownBy(() -> dispatcher.submit(story("a"), event -> {}))
                .isInstanceOf(MaestroException.class));
        submitting.start();
        assertThat(saving.await(60, TimeUnit.SECONDS)).isTrue();
        RunningStory work = dispatcher.watch("a", event -> {});
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        closing.countDown();
        submitting.join();
        assertThatThrownBy(() -> work.done().get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        closer.join();
    }

    // What hosts see

    @Test
    void whoWatchesAStoryIsToldOfItAndOfNoOther() throws Exception {
        CountDownLatch gate = gate("a");
        RunningStory a = dispatcher.submit(story("a"), event -> {});
        RunningStory b = dispatcher.submit(story("b"), event -> {});
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        a.listen(event -> seen.add("a: " + event.storyId()));
        b.listen(event -> seen.add("b: " + event.storyId()));
        for (String story : List.of("a", "b", "unknown")) {
            dispatcher.tell(new MaestroEvent.ModelCalled(story, "coder-001", 1, "CODING", "m", Instant.EPOCH));
        }
        assertThat(seen).containsExactly("a: a", "b: b");
        gate.countDown();
        end(a);
        end(b);
        dispatcher.tell(new MaestroEvent.ModelCalled("a", "coder-001", 1, "CODING", "m", Instant.EPOCH));
        assertThat(seen).hasSize(2);
    }

    @Test
    void whoeverHoldsAFutureCannotEndTheWorkWithIt() throws Exception {
        CountDownLatch gate = gate("a");
        RunningStory work = dispatcher.submit(story("a"), event -> {});
        next();
        assertThat(work.done().cancel(true)).isTrue();
        work.done().completeExceptionally(new IllegalStateException("not me"));
        assertThat(work.done()).isNotDone();
        gate.countDown();
        assertThat(end(work).outcome()).isEqualTo(Outcome.MERGED);
    }

    /** A host may wait for one story in the callback of another. */
    @Test
    void whatAHostDoesAtTheEndOfAStoryDoesNotHoldOthersUp() throws Exception {
        CountDownLatch inCallback = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        gate("a");
        RunningStory a = dispatcher.submit(story("a"), event -> {});
        a.done().thenRun(() -> {
            inCallback.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        gates.get("a").countDown();
        try {
            assertThat(inCallback.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(end(dispatcher.submit(story("b"), event -> {})).outcome())
                    .isEqualTo(Outcome.MERGED);
        } finally {
            release.countDown();
        }
    }

    @Test
    void aRecordThatCannotBeReadFailsWhatWaitsAndSaysSo() throws Exception {
        dispatcher.close();
        leases.close();
        AtomicBoolean broken = new AtomicBoolean();
        dispatcher =
                dispatcher(MortalStore.before(store, (method, arguments) -> method.equals("story") && broken.get()), 1);
        gate("a");
        RunningStory a = dispatcher.submit(story("a"), event -> {});
        next();
        broken.set(true);
        assertThatThrownBy(() -> dispatcher.submit(story("b"), event -> {}))
                .isInstanceOf(DyingStore.KilledException.class);
        RunningStory waiting = dispatcher.watch("c", event -> {});
        assertThatThrownBy(() -> end(waiting)).hasRootCauseInstanceOf(DyingStore.KilledException.class);
        gates.get("a").countDown();
        // What ran ends as it does: its work sees a record of its own here.
        assertThat(end(a).outcome()).isEqualTo(Outcome.MERGED);
    }
}
