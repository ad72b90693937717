package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Who has lost a lease writes no story and no specification, on every database. */
@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class FenceContractTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private String url;
    private Store store;

    @BeforeEach
    void open() {
        url = backend.newRecord(directory);
        store = Backend.open(url);
        Samples.begin(store);
        store.beginSession(Samples.session("s2"));
        store.beginSession(Samples.session("s3"));
        store.saveSpec(Samples.spec("spec", ArchitectState.WAITING));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static StoryRecord story(String sessionId, CoderState state) {
        return new StoryRecord(
                "042",
                sessionId,
                "T",
                "C",
                "APP",
                false,
                state,
                1,
                null,
                null,
                null,
                null,
                "{}",
                null,
                List.of(),
                Samples.AT);
    }

    private static void step(Store store, String sessionId) {
        store.recordTransition(
                new StateTransition(
                        sessionId, "042", 1, "coder-001", CoderState.WAITING, CoderState.SETUP, "because", Samples.AT),
                story(sessionId, CoderState.SETUP));
    }

    private static SpecRecord spec(String sessionId, ArchitectState state) {
        return new SpecRecord("spec", sessionId, "T", "C", state, "{}", null, Samples.AT);
    }

    private void specStep(String sessionId) {
        store.recordSpecTransition(
                new SpecTransition(
                        sessionId,
                        "spec",
                        "architect",
                        ArchitectState.WAITING,
                        ArchitectState.SCOPING,
                        "because",
                        Samples.AT),
                spec(sessionId, ArchitectState.SCOPING),
                List.of(Samples.storyOf("spec", "new", 1, List.of())));
    }

    /** All four fenced writes are refused, and leave nothing. */
    private void isFenced(String sessionId, String inMessage) {
        List<Runnable> writes = List.of(
                () -> store.saveStory(story(sessionId, CoderState.CODING)),
                () -> step(store, sessionId),
                () -> store.saveSpec(spec(sessionId, ArchitectState.DONE)),
                () -> specStep(sessionId));
        for (Runnable write : writes) {
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(write::run)
                    .withMessageContaining(store.location())
                    .withMessageContaining(sessionId)
                    .withMessageContaining(inMessage);
        }
        assertThat(store.story("042")).contains(Samples.story("042", 1, CoderState.WAITING));
        assertThat(store.transitions("042")).isEmpty();
        assertThat(store.spec("spec")).contains(Samples.spec("spec", ArchitectState.WAITING));
        assertThat(store.specTransitions("spec")).isEmpty();
        assertThat(store.storiesOf("spec")).isEmpty();
    }

    private void isFree(String sessionId) {
        store.saveStory(story(sessionId, CoderState.CODING));
        step(store, sessionId);
        store.saveSpec(spec(sessionId, ArchitectState.DONE));
        specStep(sessionId);
        assertThat(store.story("042")).map(StoryRecord::sessionId).contains(sessionId);
        assertThat(store.spec("spec")).map(SpecRecord::sessionId).contains(sessionId);
    }

    /** Both leases, once they are free. */
    private void acquire(String sessionId, Duration time) {
        for (String name : List.of(Leases.story("042"), Leases.spec("spec"))) {
            Acquiring.poll(store.leases(), name, sessionId, time);
        }
    }

    private void release(String sessionId) {
        store.leases().release(Leases.story("042"), sessionId);
        store.leases().release(Leases.spec("spec"), sessionId);
    }

    @Test
    void refusesASessionWhileAnotherHoldsTheLease() {
        acquire("s2", LONG);

        isFenced("s1", "s2 holds it");
        isFree("s2");
    }

    @Test
    void refusesASessionWhoseLeaseWasTakenOver() {
        acquire("s1", Duration.ofMillis(1));
        acquire("s2", LONG);

        isFenced("s1", "s2 holds it");
        isFree("s2");
    }

    @Test
    void refusesASessionWhoseLeaseWasTakenOverAndReleasedSince() {
        acquire("s1", Duration.ofMillis(1));
        acquire("s2", LONG);
        release("s2");

        isFenced("s1", "s2 has taken it over");
        isFree("s2");
    }

    @Test
    void refusesASessionWhoseLeaseWasTakenOverAndHasExpiredSince() {
        acquire("s1", Duration.ofMillis(1));
        acquire("s2", Duration.ofMillis(1));
        acquire("s3", Duration.ofMillis(1));

        isFenced("s1", "s3 ");
        isFenced("s2", "s3 ");
        isFree("s3");
    }

    @Test
    void refusesADeadSessionWhoseLeaseWasEndedOnceAnotherHasIt() {
        acquire("s1", LONG);
        store.leases().releaseAllBut("s2");
        acquire("s2", LONG);
        release("s2");

        isFenced("s1", "s2 has taken it over");
    }

    @Test
    void letsASessionWriteWhoseLeaseHasExpiredButWasNotTakenOver() {
        acquire("s1", Duration.ofMillis(1));

        isFree("s1");
    }

    @Test
    void letsASessionWriteAgainThatHasTheLeaseBack() {
        acquire("s1", Duration.ofMillis(1));
        acquire("s2", LONG);
        release("s2");
        acquire("s1", LONG);

        isFree("s1");
    }

    @Test
    void letsASessionWriteThatNeverHadTheLeaseOnceItIsGivenBack() {
        acquire("s2", LONG);
        release("s2");

        isFree("s1");
    }

    @Test
    void letsAnybodyWriteWhereNobodyEverHadTheLease() {
        store.leases().acquire(List.of(Leases.story("043")), "s2", LONG);

        isFree("s1");
    }

    @Test
    void doesNotFenceWhatIsOnlyNoted() {
        acquire("s2", LONG);

        store.recordMessage(Samples.message("042", "[]"));
        store.recordToolExecution(Samples.toolExecution("042", "c1"));
        store.recordEffect(Samples.effect("e1"));
        store.completeEffect("e1", "{}", Samples.AT);
        store.saveTodos("042", 1, "[]");
        store.post(Samples.post("hello"));

        assertThat(store.effects("042")).hasSize(1);
    }

    /** Sessions that lose the lease all the time: what each has written between two of its losses stands together. */
    @Test
    void neverMixesTheWorkOfTwoSessions() throws Exception {
        AtomicInteger terms = new AtomicInteger();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (String session : List.of("s1", "s2", "s3")) {
            tasks.add(() -> {
                try (Store mine = Backend.open(url)) {
                    for (int written = 0; written < 40; ) {
                        if (mine.leases()
                                .acquire(List.of(Leases.story("042")), session, Duration.ofMillis(2))
                                .isPresent()) {
                            terms.incrementAndGet();
                        }
                        try {
                            step(mine, session);
                            written++;
                        } catch (LeaseLostException e) {
                            assertThat(e).hasMessageContaining(session);
                        }
                    }
                    // Nobody renews it for a session that has ended.
                    mine.leases().release(Leases.story("042"), session);
                }
                return null;
            });
        }
        // A first holder, so that no session writes before its first lease as one that needs none.
        for (String session : List.of("s1", "s2", "s3")) {
            acquire(session, Duration.ofMillis(1));
            terms.incrementAndGet();
        }

        Parallel.run(tasks);

        List<String> sessions = store.transitions("042").stream()
                .map(StateTransition::sessionId)
                .toList();
        int changes = 0;
        for (int i = 1; i < sessions.size(); i++) {
            changes += sessions.get(i).equals(sessions.get(i - 1)) ? 0 : 1;
        }
        assertThat(sessions).hasSize(120);
        assertThat(changes).as("changes of the writer, in " + sessions).isLessThan(terms.get());
    }
}
