package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.testing.Await;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A dispatcher on a real record that fails now and then. */
@Timeout(50)
class DispatcherFaultTest {
    private static final String SESSION = "session-1";

    @TempDir
    Path directory;

    private Store store;
    private final List<LeaseKeeper> keepers = new ArrayList<>();

    /** Called before each method of the store and its leases; throws to make it fail. */
    private volatile Consumer<Method> fault = method -> {};

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        store.beginSession(new AuditLog.Session(SESSION, "url", Instant.now(), 1, null));
    }

    @AfterEach
    void close() {
        keepers.forEach(LeaseKeeper::close);
        store.close();
    }

    private <T> T faulty(Class<T> type, T real) {
        return mock(type, call -> {
            fault.accept(call.getMethod());
            Object result = delegatesTo(real).answer(call);
            return result instanceof Leases leases ? faulty(Leases.class, leases) : result;
        });
    }

    private LeaseKeeper leases(Duration leaseTime) {
        LeaseKeeper keeper = new LeaseKeeper(faulty(Leases.class, store.leases()), SESSION, leaseTime, true);
        keepers.add(keeper);
        return keeper;
    }

    private Dispatcher dispatcher(Duration leaseTime, Dispatcher.DispatchedWork work) {
        return new Dispatcher(
                faulty(Store.class, store),
                leases(leaseTime),
                text -> text,
                SESSION,
                null,
                new CoderNames(store, new WorkspaceMarkers(directory), 2),
                work,
                row -> StoryRows.result(store, (model, usage) -> Optional.empty(), row));
    }

    private static Story story(String content) {
        return Story.builder("042", "A story").content(content).build();
    }

    /** Work that comes to nothing. */
    private StoryResult fail(AuditLog.StoryRecord row) {
        store.recordTransition(
                StoryRows.transition(row, SESSION, "dispatcher", CoderState.ERROR, "attempt " + row.attempt()),
                StoryRows.ended(row, SESSION, "dispatcher", "attempt " + row.attempt(), new StoryProgress()));
        return StoryRows.result(
                store, (model, usage) -> Optional.empty(), store.story(row.id()).orElseThrow());
    }

    private static StoryResult end(RunningStory work) throws Exception {
        return work.done().get(30, TimeUnit.SECONDS);
    }

    @Test
    void aStoryThatCouldNotBeBegunIsNotLeasedForEver() throws Exception {
        Path mark = Files.createDirectories(directory.resolve(".maestro/workspaces/coder-001"));
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(60), (row, story, agent, stop) -> fail(row))) {
            RunningStory first = dispatcher.submit(story("text"), event -> {});
            assertThatThrownBy(() -> end(first)).hasMessageContaining("marks of workspaces");
            Files.delete(mark);
            assertThat(end(dispatcher.submit(story("text"), event -> {})).error())
                    .contains("attempt 1");
        }
    }

    @Test
    void aLeaseThatCouldNotBeGivenBackIsGivenBackLater() throws Exception {
        AtomicBoolean down = new AtomicBoolean();
        fault = method -> {
            if (method.getName().equals("release") && down.getAndSet(false)) {
                throw new StoreException("down for a moment", null);
            }
        };
        Dispatcher.DispatchedWork work = (row, story, agent, stop) -> {
            down.set(row.attempt() == 1);
            return fail(row);
        };
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), work)) {
            assertThat(end(dispatcher.submit(story("text"), event -> {})).attempt())
                    .isEqualTo(1);
            assertThat(end(dispatcher.submit(story("text"), event -> {})).attempt())
                    .isEqualTo(2);
        }
    }

    @Test
    void aLeaseOfWhichNobodyWasToldIsGivenBack() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        fault = method -> {
            if (method.getName().equals("acquire") && first.getAndSet(false)) {
                // The connection is lost after the commit.
                store.leases().acquire(List.of(Leases.story("042")), SESSION, Duration.ofSeconds(20));
                throw new StoreException("may have been written", null);
            }
        };
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> fail(row))) {
            assertThatThrownBy(() -> dispatcher.submit(story("text"), event -> {}))
                    .hasMessage("may have been written");
            assertThat(end(dispatcher.submit(story("text"), event -> {})).attempt())
                    .isEqualTo(1);
        }
    }

    /** What could not be renewed in its time is lost, and would be renewed with the others once the record answers again. */
    @Test
    void aStoryThatIsParkedWhileItsLeaseIsLostGoesOn() throws Exception {
        AtomicBoolean down = new AtomicBoolean();
        AtomicInteger lives = new AtomicInteger();
        fault = method -> {
            if (method.getName().equals("renew") && down.get()) {
                throw new StoreException("down for a while", null);
            }
        };
        Dispatcher.DispatchedWork work = (row, story, agent, stop) -> {
            if (lives.incrementAndGet() == 1) {
                down.set(true);
                throw new ParkedException("what never comes", new CompletableFuture<>());
            }
            return fail(row);
        };
        try (Dispatcher dispatcher = dispatcher(Duration.ofMillis(600), work)) {
            RunningStory story = dispatcher.submit(story("text"), event -> {});
            Await.until("it is parked", down::get);
            Await.until("its lease is lost", () -> !story.isLeased());
            down.set(false);
            assertThat(end(story).attempt()).isEqualTo(1);
            assertThat(lives).hasValue(2);
        }
    }

    @Test
    void whatIsWrongWithOneStoryDoesNotEndTheOthersThatWait() throws Exception {
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> fail(row))) {
            Story broken = Story.builder("001", "Broken").content("text").build();
            AuditLog.StoryRecord row = StoryRows.waiting(broken, null, null, SESSION);
            store.saveStory(new AuditLog.StoryRecord(
                    row.id(),
                    SESSION,
                    row.title(),
                    row.content(),
                    row.type(),
                    false,
                    row.state(),
                    1,
                    null,
                    null,
                    null,
                    null,
                    "{",
                    null,
                    List.of(),
                    Instant.now()));
            RunningStory waits = dispatcher.submit(
                    Story.builder("003", "Waits")
                            .content("text")
                            .dependsOn("002")
                            .build(),
                    event -> {});
            assertThatThrownBy(() -> end(dispatcher.watch("001", event -> {})))
                    .hasMessageContaining("progress of a story");
            assertThat(waits.done()).isNotDone();
            waits.cancel();
        }
    }

    /** As the work on a specification does, when a host gives its story's id to another text. */
    @Test
    void whoWatchesAStoryGoesOnWhenSomebodyElseCannotSubmitIt() throws Exception {
        CountDownLatch watched = new CountDownLatch(1);
        CountDownLatch admitting = new CountDownLatch(1);
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            assertThat(story.content()).isEqualTo("text");
            return fail(row);
        })) {
            store.saveStory(StoryRows.waiting(story("text"), null, null, SESSION));
            fault = method -> {
                if (method.getName().equals("story")
                        && Thread.currentThread().getName().equals("submits")) {
                    admitting.countDown();
                    await(watched);
                }
            };
            CompletableFuture<Throwable> refused = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try {
                            dispatcher.submit(story("another text"), event -> {});
                        } catch (MaestroException e) {
                            refused.complete(e);
                        }
                    },
                    "submits");
            thread.start();
            await(admitting);
            RunningStory work = dispatcher.watch("042", event -> {});
            watched.countDown();
            assertThat(refused.get(30, TimeUnit.SECONDS)).hasMessageContaining("with another text");
            assertThat(end(work).error()).contains("attempt 1");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What belongs to the stories, such as the lock on the project directory, is given back after this. */
    @Test
    void closingWaitsForTheStoriesAlsoWhenTheCallerIsInterrupted() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            try {
                begun.countDown();
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // The time that killing a process takes.
                for (int i = 0; i < 50; i++) {
                    store.story("042");
                }
            }
            StoryResult result = fail(row);
            ended.set(true);
            return result;
        });
        dispatcher.submit(story("text"), event -> {});
        await(begun);
        Thread.currentThread().interrupt();
        dispatcher.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ended).isTrue();
    }

    @Test
    void aStoryThatClosesTheDispatcherDoesNotWaitForItself() throws Exception {
        CompletableFuture<Dispatcher> dispatcher = new CompletableFuture<>();
        Dispatcher own = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            dispatcher.join().close();
            return fail(row);
        });
        RunningStory work = own.submit(story("text"), event -> {});
        dispatcher.complete(own);
        assertThat(end(work).error()).contains("attempt 1");
    }

    @Test
    void aCancelledStoryKeepsItsWorkspaceWhileItIsEnded() throws Exception {
        WorkspaceMarkers marks = new WorkspaceMarkers(directory);
        marks.set(new WorkspaceMarkers.WorkspaceMarker("coder-001", "042", "id-1"));
        CoderNames names = new CoderNames(store, marks, 1);
        CompletableFuture<String> other = new CompletableFuture<>();
        try (Dispatcher dispatcher = new Dispatcher(
                faulty(Store.class, store),
                leases(Duration.ofSeconds(20)),
                text -> text,
                SESSION,
                null,
                names,
                (row, story, agent, stop) -> {
                    StoryResult result = fail(row);
                    // Its end is in the record now, but its process may still be at work there.
                    other.complete(agent + " and " + names.take(null, true));
                    return result;
                },
                row -> StoryRows.result(store, (model, usage) -> Optional.empty(), row))) {
            StoryProgress progress = new StoryProgress();
            progress.checkout().made("id-1", "base");
            AuditLog.StoryRecord row = StoryRows.waiting(story("text"), null, null, SESSION);
            store.saveStory(new AuditLog.StoryRecord(
                    row.id(),
                    SESSION,
                    row.title(),
                    row.content(),
                    row.type(),
                    false,
                    CoderState.CODING,
                    1,
                    "coder-001",
                    "branch",
                    null,
                    null,
                    progress.toJson(),
                    null,
                    List.of(),
                    Instant.now()));
            CompletableFuture<RunningStory> work = new CompletableFuture<>();
            fault = method -> {
                if (method.getName().equals("acquire")) {
                    // Just before it is begun.
                    work.join().cancelBeforeBegin("");
                }
            };
            work.complete(dispatcher.watch("042", event -> {}));
            end(work.join());
            assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo("coder-001 and coder-002");
        }
    }

    @Test
    void aListenerThatThrowsKeepsNobodyFromBeingTold() throws Exception {
        List<MaestroEvent> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch listening = new CountDownLatch(1);
        CompletableFuture<Dispatcher> dispatcher = new CompletableFuture<>();
        try (Dispatcher own = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            await(listening);
            dispatcher.join().tell(new MaestroEvent.ModelCalled("042", agent, 1, "CODING", "m", Instant.EPOCH));
            return fail(row);
        })) {
            dispatcher.complete(own);
            RunningStory work = own.submit(story("text"), event -> {});
            work.listen(event -> {
                throw new IllegalStateException("a host's fault");
            });
            work.listen(told::add);
            listening.countDown();
            assertThat(end(work).error()).contains("attempt 1");
            assertThat(told).hasSize(1);
        }
    }

    /** What is wrong with the lease of one. */
    @Test
    void aLeaseThatCannotBeTakenEndsNoOtherStory() throws Exception {
        List<RunningStory> running = new ArrayList<>();
        AtomicInteger acquired = new AtomicInteger();
        fault = method -> {
            if (method.getName().equals("acquire") && acquired.getAndIncrement() == 1) {
                throw new StoreException("this one cannot be taken", null);
            }
        };
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> fail(row))) {
            for (String id : List.of("1", "2", "3", "4")) {
                Story story = Story.builder(id, "A story").content("text").build();
                store.saveStory(StoryRows.waiting(story, null, null, SESSION));
                running.add(dispatcher.watch(id, event -> {}));
            }
            List<String> ends = new ArrayList<>();
            for (RunningStory work : running) {
                try {
                    ends.add(end(work).error().orElse(""));
                } catch (ExecutionException e) {
                    ends.add(e.getCause().getMessage());
                }
            }
            assertThat(ends)
                    .containsExactlyInAnyOrder("attempt 1", "attempt 1", "attempt 1", "this one cannot be taken");
        }
    }

    /** What another language can throw. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** As when an environment cannot be closed after the end. */
    @Test
    void aStoryWhoseEndIsInTheRecordHasItsResultWhateverItsThreadThrows() throws Exception {
        List<Throwable> failures =
                List.of(new IllegalStateException("no"), new StackOverflowError("no"), new IOException("no"));
        AtomicInteger next = new AtomicInteger();
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            StoryResult result = fail(row);
            sneak(failures.get(next.getAndIncrement()));
            return result;
        })) {
            for (int attempt = 1; attempt <= failures.size(); attempt++) {
                assertThat(end(dispatcher.submit(story("text"), event -> {})).error())
                        .contains("attempt " + attempt);
            }
        }
    }

    @Test
    void aStoryThatHasNoThreadForAWhileIsGoneOnWith() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            if (first.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return fail(row);
        })) {
            assertThat(end(dispatcher.submit(story("text"), event -> {})).error())
                    .contains("attempt 1");
        }
    }

    /** Many short outages in the life of one long story are no row of failures. */
    @Test
    void whatAStoryHasDoneEndsARowOfItsFailures() throws Exception {
        CompletableFuture<Dispatcher> dispatcher = new CompletableFuture<>();
        CompletableFuture<RunningStory> work = new CompletableFuture<>();
        AtomicInteger begun = new AtomicInteger();
        try (Dispatcher own = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            if (begun.incrementAndGet() == 1) {
                for (int i = 0; i < Outages.MOST; i++) {
                    work.join().countFailure();
                }
                dispatcher
                        .join()
                        .tell(new MaestroEvent.StateChanged(
                                "042", agent, 1, CoderState.WAITING, CoderState.SETUP, "goes on", null, Instant.EPOCH));
                throw new StoreUnavailableException("the server restarts", null);
            }
            return fail(row);
        })) {
            dispatcher.complete(own);
            work.complete(own.submit(story("text"), event -> {}));
            assertThat(end(work.join()).error()).contains("attempt 1");
            assertThat(begun).hasValue(2);
        }
    }

    /** A server that restarts: what waits is not given back. */
    @Test
    void aRecordThatIsDownForAWhileIsAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean down = new AtomicBoolean();
        fault = method -> {
            if (down.get() && method.getName().equals("story")) {
                down.set(asked.incrementAndGet() < 3);
                throw new StoreUnavailableException("the server restarts", null);
            }
        };
        try (Dispatcher dispatcher = dispatcher(Duration.ofSeconds(20), (row, story, agent, stop) -> {
            // Once in its work, too, which is then gone on with.
            if (asked.getAndIncrement() == 3) {
                throw new StoreUnavailableException("the server restarts once more", null);
            }
            return fail(row);
        })) {
            store.saveStory(StoryRows.waiting(story("text"), null, null, SESSION));
            down.set(true);
            assertThat(end(dispatcher.watch("042", event -> {})).error()).contains("attempt 1");
            assertThat(asked).hasValue(5);
        }
    }
}
