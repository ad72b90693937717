package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract on every database; two stores stand for two processes. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Backend.class)
class MergeQueueContractTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private Store store;
    private Store otherStore;
    private MergeQueue queue;
    private MergeQueue others;

    @BeforeEach
    void open() {
        String url = backend.newRecord(directory);
        store = Backend.open(url);
        otherStore = Backend.open(url);
        Samples.begin(store);
        store.beginSession(Samples.session("s2"));
        for (String id : List.of("a", "b", "c")) {
            store.saveStory(Samples.story(id, 1, CoderState.AWAIT_MERGE));
        }
        queue = store.merges();
        others = otherStore.merges();
    }

    @AfterEach
    void close() {
        store.close();
        otherStore.close();
    }

    private void lease(String id, String session) {
        assertThat(store.leases().acquire(List.of(Leases.story(id)), session, LONG))
                .isPresent();
    }

    private Optional<String> first() {
        return others.waiting("main").stream()
                .map(first -> first.sessionId() + " " + first.storyId())
                .findFirst();
    }

    private List<String> rows() {
        return otherStore.mergeQueue().stream()
                .map(row -> row.target() + " " + row.storyId() + (row.waits() ? "" : " aside"))
                .toList();
    }

    @Test
    void whoCameFirstIsFirst() {
        List.of("b", "a", "c").forEach(id -> lease(id, "s1"));
        assertThat(queue.enter("b", 1, "s1", "main")).isZero();
        assertThat(queue.enter("a", 1, "s1", "main")).isEqualTo(1);
        assertThat(queue.enter("c", 1, "s1", "release")).isZero();
        assertThat(queue.enter("b", 1, "s1", "main")).isZero();
        assertThat(first()).contains("s1 b");
        assertThat(rows()).containsExactly("main b", "main a", "release c");
        assertThat(others.waiting("other")).isEmpty();
    }

    @Test
    void whoStandsAsideKeepsItsPlace() {
        List.of("a", "b").forEach(id -> lease(id, "s1"));
        queue.enter("a", 1, "s1", "main");
        queue.enter("b", 1, "s1", "main");
        queue.standAside("a", "s2");
        assertThat(first()).as("another session's").contains("s1 a");
        queue.standAside("a", "s1");
        assertThat(first()).contains("s1 b");
        assertThat(rows()).containsExactly("main a aside", "main b");
        assertThat(queue.enter("a", 1, "s1", "main")).isZero();
        assertThat(first()).contains("s1 a");
    }

    @Test
    void theNextAttemptComesLast() {
        List.of("a", "b").forEach(id -> lease(id, "s1"));
        queue.enter("a", 1, "s1", "main");
        queue.enter("b", 1, "s1", "main");
        store.saveStory(Samples.story("a", 2, CoderState.PREPARE_MERGE));
        assertThat(first()).as("the first attempt was given up").contains("s1 b");
        assertThat(queue.enter("a", 2, "s1", "main")).isEqualTo(1);
        assertThat(rows()).containsExactly("main b", "main a");
    }

    /** As where a process dies before it says that it stands aside. */
    @Test
    void whoseCoderWorksAgainDoesNotWait() {
        List.of("a", "b").forEach(id -> lease(id, "s1"));
        queue.enter("a", 1, "s1", "main");
        queue.enter("b", 1, "s1", "main");
        store.recordTransition(
                Samples.transition("a", 1, CoderState.AWAIT_MERGE, CoderState.CODING),
                Samples.story("a", 1, CoderState.CODING));
        assertThat(first()).contains("s1 b");
        assertThat(rows()).containsExactly("main a aside", "main b");
    }

    @Test
    void whatNobodyHasLeasedIsSeenAsSuch() {
        List.of("a", "b").forEach(id -> lease(id, "s1"));
        queue.enter("a", 1, "s1", "main");
        queue.enter("b", 1, "s1", "main");
        store.leases().release(Leases.story("a"), "s1");
        assertThat(first()).contains("null a");
        lease("a", "s2");
        assertThat(first()).contains("s2 a");
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> queue.enter("a", 1, "s1", "main"));
    }

    @Test
    void whoIsMovedToTheHeadIsNext() {
        List.of("a", "b", "c").forEach(id -> lease(id, "s1"));
        List.of("a", "b", "c").forEach(id -> queue.enter(id, 1, "s1", "main"));
        assertThat(others.moveToHead("c")).isTrue();
        assertThat(others.moveToHead("d")).isFalse();
        assertThat(first()).contains("s1 c");
        assertThat(rows()).containsExactly("main c", "main a", "main b");
    }

    @Test
    void whatHasEndedIsGone() {
        lease("a", "s1");
        queue.enter("a", 1, "s1", "main");
        store.recordTransition(
                Samples.transition("a", 1, CoderState.AWAIT_MERGE, CoderState.DONE),
                Samples.story("a", 1, CoderState.DONE));
        assertThat(otherStore.mergeQueue())
                .extracting(AuditLog.QueuedMerge::storyId)
                .isEmpty();
    }
}
