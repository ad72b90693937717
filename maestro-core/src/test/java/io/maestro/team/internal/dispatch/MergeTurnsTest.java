package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreUnavailableException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MergeTurnsTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    @TempDir
    Path directory;

    private Store store;
    private LeaseKeeper keeper;
    private MergeTurns turns;
    private final List<MaestroEvent> told = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        Samples.begin(store);
        for (String id : List.of("a", "b", "c")) {
            store.saveStory(Samples.story(id, 1, CoderState.AWAIT_MERGE));
        }
        keeper = new LeaseKeeper(store.leases(), "s1", LONG, true);
        turns = new MergeTurns(store.merges(), keeper, "s1", 1, told::add, PATIENCE);
        List.of("a", "b").forEach(this::lease);
    }

    @AfterEach
    void close() {
        turns.close();
        keeper.close();
        store.close();
    }

    private void lease(String id) {
        assertThat(keeper.acquire(List.of(Leases.story(id)))).isPresent();
        keeper.hold(Leases.story(id), () -> {});
    }

    /** The row of a story that is merged goes with its state. */
    private void merged(String id) {
        store.recordTransition(
                Samples.transition(id, 1, CoderState.AWAIT_MERGE, CoderState.DONE),
                Samples.story(id, 1, CoderState.DONE));
        turns.end(id, MergeTurns.TurnEnd.MERGED);
    }

    private void take(String id) {
        turns.take(id, 1, "coder-001", "main");
    }

    private CompletableFuture<?> parked(String id) {
        try {
            take(id);
        } catch (ParkedException e) {
            return e.until();
        }
        throw new AssertionError(id + " is not parked");
    }

    @Test
    void oneIsMergedAtATimeInTheirOrder() throws Exception {
        take("a");
        take("a");
        CompletableFuture<?> until = parked("b");
        assertThat(turns.has("a")).isTrue();
        assertThat(turns.has("b")).isFalse();
        assertThat(turns.isWanted("main")).isTrue();
        assertThat(turns.isWanted("release")).isFalse();
        assertThat(told).hasSize(1);
        assertThat(((MaestroEvent.MergeQueued) told.get(0)).place()).isEqualTo(2);
        assertThat(until).isNotDone();

        merged("a");
        until.get(10, TimeUnit.SECONDS);
        take("b");
        assertThat(turns.isWanted("main")).isFalse();
        merged("b");
    }

    @Test
    void whoStandsAsideComesBackAtItsPlace() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        turns.end("a", MergeTurns.TurnEnd.ASIDE);
        b.get(10, TimeUnit.SECONDS);
        take("b");
        CompletableFuture<?> a = parked("a");
        lease("c");
        CompletableFuture<?> c = parked("c");
        turns.end("b", MergeTurns.TurnEnd.ASIDE);
        a.get(10, TimeUnit.SECONDS);
        assertThat(c).isNotDone();
        take("a");
    }

    @Test
    void branchesDoNotWaitForEachOther() {
        take("a");
        turns.take("b", 1, "coder-002", "release");
        assertThat(turns.has("a")).isTrue();
        assertThat(turns.has("b")).isTrue();
    }

    /** Another session, with a turn that it does not renew. */
    @Test
    void theTurnOfAProcessThatHasDiedComesBack() throws Exception {
        store.beginSession(Samples.session("s2"));
        assertThat(store.leases().acquire(List.of(Leases.merge("main")), "s2", Duration.ofSeconds(2)))
                .isPresent();
        parked("a").get(30, TimeUnit.SECONDS);
        take("a");
    }

    @Test
    void whatAnotherSessionHasLeasedIsNotGivenATurnHere() {
        store.beginSession(Samples.session("s2"));
        assertThat(store.leases().acquire(List.of(Leases.story("c")), "s2", LONG))
                .isPresent();
        store.merges().enter("c", 1, "s2", "main");
        assertThatThrownBy(() -> take("a")).isInstanceOf(ParkedException.class);
        assertThat(turns.has("c")).isFalse();
    }

    /** After a restart it comes soon, and is not passed by those who are faster. */
    @Test
    void whoIsLeasedByNobodyIsWaitedForAWhile() throws Exception {
        lease("c");
        store.merges().enter("c", 1, "s1", "main");
        keeper.giveBack(Leases.story("c"));
        CompletableFuture<?> a = parked("a");
        assertThat(turns.has("a")).isFalse();
        lease("c");
        take("c");
        turns.end("c", MergeTurns.TurnEnd.ASIDE);
        a.get(10, TimeUnit.SECONDS);
    }

    @Test
    void whoIsLeasedByNobodyForLongHoldsNobodyUp() throws Exception {
        lease("c");
        store.merges().enter("c", 1, "s1", "main");
        keeper.giveBack(Leases.story("c"));
        parked("a").get(30, TimeUnit.SECONDS);
        take("a");
    }

    @Test
    void whoDoesNotTakeItsTurnStandsAside() throws Exception {
        store.merges().enter("b", 1, "s1", "main");
        CompletableFuture<?> a = parked("a");
        assertThat(turns.has("b")).isTrue();
        a.get(30, TimeUnit.SECONDS);
        take("a");
        assertThat(store.mergeQueue())
                .filteredOn(one -> !one.waits())
                .extracting(AuditLog.QueuedMerge::storyId)
                .containsExactly("b");
    }

    @Test
    void whoComesNextTestsWithWhatIsPredicted() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        assertThat(turns.beginAhead("b")).isEmpty();
        turns.predict("a", "tree-a");
        b.get(10, TimeUnit.SECONDS);
        assertThat(turns.beginAhead("b")).contains("tree-a");
        turns.predict("b", "tree-b");
        assertThat(turns.finishAhead("b", true)).isFalse();
        assertThat(turns.beginAhead("b")).as("once").isEmpty();
        merged("a");
        take("b");
    }

    @Test
    void whatIsOfNoUseAnyMoreIsEnded() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        turns.predict("a", "tree-a");
        b.get(10, TimeUnit.SECONDS);
        assertThat(turns.beginAhead("b")).isPresent();
        turns.end("a", MergeTurns.TurnEnd.ASIDE);
        assertThat(turns.isUseless("b")).isTrue();
        assertThat(turns.finishAhead("b", false)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        // It had the turn while it tested.
        assertThat(turns.has("b")).isTrue();
    }

    @Test
    void aTurnThatComesWhileItsStoryIsParkedStays() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        merged("a");
        // As whoever has parked it gives it back.
        turns.end("b", MergeTurns.TurnEnd.ASIDE);
        b.get(10, TimeUnit.SECONDS);
        assertThat(turns.has("b")).isTrue();
        assertThat(store.mergeQueue()).allMatch(AuditLog.QueuedMerge::waits);
    }

    @Test
    void aTurnWhoseLeaseWasLostForAWhileComesAgain() {
        AtomicBoolean down = new AtomicBoolean();
        Leases failing = mock(Leases.class, call -> {
            if (down.get() && call.getMethod().getName().equals("renew")) {
                throw new StoreUnavailableException("down", null);
            }
            return delegatesTo(store.leases()).answer(call);
        });
        try (LeaseKeeper other = new LeaseKeeper(failing, "s1", Duration.ofMillis(600), true);
                MergeTurns own = new MergeTurns(store.merges(), other, "s1", 0, told::add, LONG)) {
            own.take("a", 1, "coder-001", "main");
            down.set(true);
            Await.until("it is lost", () -> !own.has("a"));
            down.set(false);
            Await.until("its turn comes again", () -> {
                try {
                    own.take("a", 1, "coder-001", "main");
                    return true;
                } catch (ParkedException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void whoIsPausedHoldsNobodyUp() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        lease("c");
        CompletableFuture<?> c = parked("c");
        turns.pass("b");
        assertThat(b).isDone();
        merged("a");
        c.get(10, TimeUnit.SECONDS);
        turns.pass("c");
        take("b");
    }

    @Test
    void whatAProcessHasLeftIsWaitedForAtTheSameTime() throws Exception {
        for (String id : List.of("d", "e", "f")) {
            store.saveStory(Samples.story(id, 1, CoderState.AWAIT_MERGE));
            lease(id);
            store.merges().enter(id, 1, "s1", "main");
            keeper.giveBack(Leases.story(id));
        }
        long begin = System.nanoTime();
        parked("a").get(30, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE.multipliedBy(3));
    }

    @Test
    void whoHasFailedAheadIsNotTestedAheadAgain() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        turns.predict("a", "tree-a");
        b.get(10, TimeUnit.SECONDS);
        assertThat(turns.beginAhead("b")).isPresent();
        assertThat(turns.finishAhead("b", false)).isFalse();
        merged("a");
        assertThat(turns.beginAhead("b")).isEmpty();
        take("b");
    }

    @Test
    void whoComesLaterThanThePredictionIsTestedAhead() throws Exception {
        take("a");
        turns.predict("a", "tree-a");
        parked("b").get(10, TimeUnit.SECONDS);
        assertThat(turns.beginAhead("b")).contains("tree-a");
        assertThat(turns.finishAhead("b", true)).isFalse();
    }

    @Test
    void whoIsOvertakenTestsForNothing() throws Exception {
        take("a");
        CompletableFuture<?> b = parked("b");
        turns.predict("a", "tree-a");
        b.get(10, TimeUnit.SECONDS);
        assertThat(turns.beginAhead("b")).isPresent();
        lease("c");
        CompletableFuture<?> c = parked("c");
        store.merges().moveToHead("c");
        merged("a");
        c.get(10, TimeUnit.SECONDS);
        assertThat(turns.isUseless("b")).isTrue();
        assertThat(turns.finishAhead("b", true)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whoeverIsStoppedByACloseComesFirstAgain() {
        take("a");
        parked("b");
        turns.close();
        turns.end("a", MergeTurns.TurnEnd.ASIDE);
        assertThat(store.mergeQueue()).allMatch(AuditLog.QueuedMerge::waits);
        assertThat(store.leases().acquire(List.of(Leases.merge("main")), "s1", LONG))
                .isPresent();
    }
}
