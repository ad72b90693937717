package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.Cancellation;
import io.maestro.record.Cancellations;
import io.maestro.record.Cancellations.Status;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract on every database. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Backend.class)
class CancellationsContractTest {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private @Nullable String url;

    private Store open() {
        return Backend.open(url());
    }

    private String url() {
        if (url == null) {
            url = backend.newRecord(directory);
        }
        return url;
    }

    private Store store;
    private Cancellations cancellations;

    @BeforeEach
    void begin() {
        store = open();
        Samples.begin(store);
        store.saveStory(Samples.story("042", 1, CoderState.CODING));
        cancellations = store.cancellations();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void end(String storyId, int attempt, CoderState end) {
        store.recordTransition(
                Samples.transition(storyId, attempt, CoderState.CODING, end), Samples.story(storyId, attempt, end));
    }

    private static SpecRecord spec(String id, ArchitectState state) {
        return new SpecRecord(id, "s1", "A specification", "Build it", state, "{}", null, Samples.AT);
    }

    private void endSpec(String id, ArchitectState end) {
        store.recordSpecTransition(
                new SpecTransition("s1", id, "architect-001", ArchitectState.MONITORING, end, "because", Samples.AT),
                spec(id, end),
                List.of());
    }

    private void storyOf(@Nullable String specId, String id, CoderState state) {
        store.saveStory(new StoryRecord(
                id,
                "s1",
                "A title",
                "Do it",
                "APP",
                false,
                state,
                1,
                null,
                null,
                null,
                null,
                "{}",
                specId,
                List.of(),
                Samples.AT));
    }

    private List<String> open(Cancellations seen) {
        return seen.open().stream().map(Cancellation::id).toList();
    }

    @Test
    void aWishIsThereUntilTheStoryHasEnded() {
        Instant before = Instant.now();
        assertThat(cancellations.open()).isEmpty();
        assertThat(cancellations.ask("042", "alice", "not needed")).isEqualTo(Status.ASKED);

        Cancellation cancellation = cancellations.open("042").orElseThrow();
        assertThat(cancellation.id()).isEqualTo("042");
        assertThat(cancellation.attempt()).isEqualTo(1);
        assertThat(cancellation.person()).isEqualTo("alice");
        assertThat(cancellation.message()).isEqualTo("not needed");
        assertThat(cancellation.at()).isBetween(before, Instant.now());
        assertThat(cancellation.by()).isEqualTo("by alice: not needed");
        assertThat(cancellations.open()).containsExactly(cancellation);
        try (Store other = open()) {
            assertThat(other.cancellations().open()).containsExactly(cancellation);
        }

        store.saveStory(Samples.story("042", 1, CoderState.TESTING));
        store.recordTransition(
                Samples.transition("042", 1, CoderState.TESTING, CoderState.CODING),
                Samples.story("042", 1, CoderState.CODING));
        assertThat(open(cancellations)).as("it goes on").containsExactly("042");
        end("042", 1, CoderState.ERROR);
        assertThat(cancellations.open()).isEmpty();
        assertThat(cancellations.open("042")).isEmpty();
        assertThat(cancellations.of("042")).containsExactly(cancellation);
    }

    @Test
    void theFirstOneCounts() {
        cancellations.ask("042", "alice", "");
        assertThat(cancellations.ask("042", "bob", "me too")).isEqualTo(Status.ASKED_BEFORE);
        assertThat(cancellations.of("042")).extracting(Cancellation::by).containsExactly("by alice");
    }

    @Test
    void whatHasEndedStaysAsItIs() {
        end("042", 1, CoderState.DONE);
        assertThat(cancellations.ask("042", "alice", "too late")).isEqualTo(Status.ENDED);
        assertThat(cancellations.of("042")).isEmpty();
        assertThat(cancellations.open()).isEmpty();
        store.saveSpec(spec("s", ArchitectState.ERROR));
        assertThat(cancellations.ask("s", "alice", "too late")).isEqualTo(Status.ENDED);
    }

    @Test
    void whatIsBegunAnewIsNotMeant() {
        cancellations.ask("042", "alice", "");
        end("042", 1, CoderState.ERROR);
        store.saveStory(Samples.story("042", 2, CoderState.WAITING));
        assertThat(cancellations.open()).isEmpty();
        // Nor is the same attempt, when somebody goes on with it although it has failed.
        end("042", 2, CoderState.ERROR);
        store.saveStory(Samples.story("042", 2, CoderState.CODING));
        assertThat(cancellations.open()).isEmpty();
        assertThat(cancellations.ask("042", "bob", "")).isEqualTo(Status.ASKED);
        assertThat(cancellations.of("042")).extracting(Cancellation::attempt).containsExactly(1, 2);
        assertThat(cancellations.open("042").orElseThrow().person()).isEqualTo("bob");
    }

    @Test
    void anAttemptThatTakesThePlaceOfALostOneIsMeant() {
        cancellations.ask("042", "alice", "");
        store.saveStory(Samples.story("042", 2, CoderState.WAITING));
        end("042", 1, CoderState.ERROR);
        assertThat(open(cancellations)).containsExactly("042");
        end("042", 2, CoderState.ERROR);
        assertThat(cancellations.open()).isEmpty();
    }

    @Test
    void aSpecificationIsMeantWithAllItsStories() {
        store.saveSpec(spec("s", ArchitectState.MONITORING));
        storyOf("s", "s-01", CoderState.DONE);
        storyOf("s", "s-02", CoderState.CODING);
        storyOf("s", "s-03", CoderState.WAITING);
        assertThat(cancellations.ask("s", "alice", "")).isEqualTo(Status.ASKED);
        assertThat(open(cancellations)).containsExactlyInAnyOrder("s", "s-02", "s-03");
        assertThat(cancellations.ask("s", "bob", "")).isEqualTo(Status.ASKED_BEFORE);
        endSpec("s", ArchitectState.ERROR);
        assertThat(open(cancellations))
                .as("its stories may end later, in other processes")
                .containsExactlyInAnyOrder("s-02", "s-03");
        assertThat(cancellations.of("s")).hasSize(1);
        assertThat(cancellations.of("s-02")).hasSize(1);
    }

    @Test
    void whatIsNoWishIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cancellations.ask("nothing", "alice", ""))
                .withMessage("there is no story and no specification 'nothing' in the record");
        for (String name : List.of("", " ", "a\nb", "x".repeat(101))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cancellations.ask("042", name, ""))
                    .withMessageContaining("who asks?");
        }
        String most = "x".repeat(Cancellations.MOST_CHARACTERS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cancellations.ask("042", "alice", most + "x"))
                .withMessageContaining("at most 1000 characters");
        assertThat(cancellations.open()).isEmpty();
        assertThat(cancellations.ask("042", "alice", most)).isEqualTo(Status.ASKED);
    }

    /** Whatever comes first: no cancellation is left behind that would end the next attempt. */
    @Test
    void noWishOutlivesAnEndThatComesAtTheSameTime() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Store other = open()) {
            List<Callable<Status>> both = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                String id = "at-once-" + i;
                store.saveStory(Samples.story(id, 1, CoderState.CODING));
                both.clear();
                both.add(() -> other.cancellations().ask(id, "alice", ""));
                both.add(() -> {
                    end(id, 1, CoderState.DONE);
                    return Status.ENDED;
                });
                List<Status> ends = new ArrayList<>();
                for (Future<Status> future : threads.invokeAll(both)) {
                    ends.add(future.get());
                }
                assertThat(cancellations.open()).as("%s", ends).isEmpty();
                assertThat(cancellations.of(id)).hasSize(ends.get(0) == Status.ASKED ? 1 : 0);
            }
        } finally {
            threads.shutdown();
            assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whatPeopleSayIsFreeOfSecrets() {
        try (Store clean = Backend.open(url(), text -> text.replace("hunter2", "[secret]"))) {
            Cancellations cancellations = clean.cancellations();
            cancellations.ask("042", "hunter2", "it is hunter2");
            assertThat(cancellations.of("042"))
                    .extracting(Cancellation::by)
                    .containsExactly("by [secret]: it is [secret]");
        }
    }
}
