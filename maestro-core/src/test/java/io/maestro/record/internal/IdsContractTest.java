package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.StoreException;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Stories and specifications share one space of ids, on every database. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Backend.class)
class IdsContractTest {
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
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static SpecRecord spec(String id) {
        return Samples.spec(id, ArchitectState.WAITING);
    }

    private static StoryRecord story(String id, int attempt, @Nullable String specId) {
        return new StoryRecord(
                id,
                "s1",
                "T",
                "C",
                "APP",
                false,
                CoderState.WAITING,
                attempt,
                null,
                null,
                null,
                null,
                "{}",
                specId,
                List.of(),
                Samples.AT);
    }

    private void refuses(Runnable write, String... said) {
        assertThatThrownBy(write::run)
                .isExactlyInstanceOf(MaestroException.class)
                .hasMessageContainingAll(said);
    }

    @Test
    void aSpecificationHasItsIdAndThoseOfItsStories() {
        store.saveSpec(spec("sp"));
        for (String id : List.of("sp", "sp-00", "sp-01", "sp-99")) {
            refuses(
                    () -> store.saveStory(story(id, 1, null)),
                    "there is a specification sp already, which has the ids sp and sp-00 to sp-99; give the story " + id
                            + " another id");
        }
        assertThat(store.stories()).extracting(StoryRecord::id).containsExactly("042");
        for (String id : List.of("sp-1", "sp-001", "sp-100", "sp-01-01", "sp-0x", "spx", "SP-01", "s")) {
            store.saveStory(story(id, 1, null));
        }
        store.saveStory(story("sp-01", 1, "sp"));
        store.saveStory(story("sp-01", 2, "sp"));
        store.saveSpec(spec("sp"));
        refuses(() -> store.saveStory(story("sp-01", 3, null)), "there is a story sp-01 already, of specification sp;");
        refuses(() -> store.saveSpec(spec("sp-02")), "there is a specification sp already", "sp-02 another id");
    }

    @Test
    void aSpecificationWhoseIdsAreTakenDoesNotBegin() {
        store.saveStory(story("one", 1, null));
        store.saveStory(story("two-07", 1, null));
        store.saveSpec(spec("three-01"));
        refuses(() -> store.saveSpec(spec("one")), "there is a story one already that is none of specification one");
        refuses(() -> store.saveSpec(spec("two")), "there is a story two-07 already");
        refuses(() -> store.saveSpec(spec("three")), "there is a specification three-01 already");
        assertThat(store.specs()).extracting(SpecRecord::id).containsExactly("three-01");
    }

    /** An older record may hold what is refused now. */
    @Test
    void nothingIsWrittenOfACutThatWouldTakeAStorysPlace() throws SQLException {
        store.saveStory(story("other-02", 1, null));
        store.saveSpec(spec("sp"));
        try (Connection past = Backend.connect(url);
                Statement statement = past.createStatement()) {
            statement.execute("UPDATE stories SET id = 'sp-02' WHERE id = 'other-02'");
        }
        refuses(
                () -> store.recordSpecTransition(
                        Samples.specTransition("sp", ArchitectState.DISPATCHING),
                        Samples.spec("sp", ArchitectState.DISPATCHING),
                        List.of(story("sp-01", 1, "sp"), story("sp-02", 1, "sp"))),
                "there is a story sp-02 already, of no specification");
        assertThat(store.storiesOf("sp")).isEmpty();
        refuses(() -> store.saveSpec(spec("sp")), "there is a story sp-02 already");
    }

    @Test
    void ofTwoThatTakeAnIdAtTheSameTimeOneHasIt() throws Exception {
        try (Store other = Backend.open(url)) {
            for (int round = 0; round < 30; round++) {
                String id = "r" + round;
                AtomicInteger refused = new AtomicInteger();
                List<Callable<Void>> both = new ArrayList<>();
                for (Runnable write : Arrays.<Runnable>asList(
                        () -> store.saveSpec(spec(id)), () -> other.saveStory(story(id + "-01", 1, null)))) {
                    both.add(() -> {
                        try {
                            write.run();
                        } catch (StoreException e) {
                            throw e;
                        } catch (MaestroException e) {
                            refused.incrementAndGet();
                        }
                        return null;
                    });
                }
                Parallel.run(both);
                assertThat(refused).as("round %d", round).hasValue(1);
                assertThat(store.spec(id).isPresent())
                        .isNotEqualTo(store.story(id + "-01").isPresent());
            }
        }
    }
}
