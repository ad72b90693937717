package io.maestro.monitor.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.agent.Limits;
import io.maestro.chat.Chat;
import io.maestro.event.MaestroEvent;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.team.internal.MonitorSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.AdditionalAnswers;

class BoardTest {
    @TempDir
    Path directory;

    private final AtomicLong time = new AtomicLong();
    private Store store;
    private AuditLog log;
    private MonitorSource source;
    private Board board;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("maestro.db"), SecretRedactor.withDefaults());
        store.beginSession(Samples.session("s1"));
        store.saveSpec(Samples.spec("spec", ArchitectState.SCOPING));
        store.saveStory(Samples.story("042", 1, CoderState.CODING));
        log = mock(AuditLog.class, AdditionalAnswers.delegatesTo(store));
        source = new MonitorSource(
                log,
                new Inbox(store.requests(), () -> {}),
                mock(Chat.class),
                Limits.defaults(),
                List::of,
                commit -> Optional.empty(),
                mock(MonitorSource.StoryControls.class));
        board = new Board(source, time::get);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private JsonNode later() throws IOException {
        time.addAndGet(Board.FRESH_NANOS);
        clearInvocations(log);
        return MonitorResponses.JSON.readTree(board.json());
    }

    private static MaestroEvent answered(String id) {
        return new MaestroEvent.ModelAnswered(
                id, "a", 1, "CODING", "m", new Usage(1, 1, 0, 0), Duration.ZERO, Instant.EPOCH);
    }

    /** In the inbox while more are needed, with the story afterwards. */
    @Test
    void eachVoteIsShownWithItsWordsAndItsTime() throws IOException {
        store.requests()
                .open(
                        new AuditLog.Effect(
                                "042/1/8",
                                "s1",
                                "042",
                                1,
                                "coder-001",
                                "MERGE",
                                "{\"diff\":\"+x\"}",
                                Instant.now(),
                                null,
                                null),
                        Instant.now().plusSeconds(3_600),
                        2);
        Inbox inbox = new Inbox(store.requests(), () -> {});
        Inbox.Result unused = inbox.answer("042/1/8", InboxAnswer.approve("root", "good"));
        JsonNode given = later().at("/inbox/0/given/0");
        assertThat(given.path("person").asText()).isEqualTo("root");
        assertThat(given.path("message").asText()).isEqualTo("good");
        assertThat(given.path("at").asLong()).isPositive();
        assertThat(later().at("/inbox/0").has("facts")).as("they are read once").isFalse();
        Views views = new Views(source);
        JsonNode request = views.request("042/1/8").orElseThrow();
        assertThat(request.at("/facts/diff").asText()).isEqualTo("+x");
        assertThat(request.path("content").asText())
                .isEqualTo(store.story("042").orElseThrow().content());

        Inbox.Result rejected = inbox.answer("042/1/8", InboxAnswer.reject("eve", "not today"));
        JsonNode votes = views.story("042").orElseThrow().at("/requests/0/votes");
        assertThat(votes.findValuesAsText("person")).containsExactly("root", "eve");
        assertThat(votes.findValuesAsText("decision")).containsExactly("APPROVED", "REJECTED");
        assertThat(votes.findValuesAsText("message")).containsExactly("good", "not today");
        assertThat(votes.findValuesAsText("at"))
                .allSatisfy(at -> assertThat(Instant.parse(at)).isAfter(Instant.EPOCH));
    }

    @Test
    void whatHasNotChangedIsNotReadAgain() throws IOException {
        JsonNode first = later();
        assertThat(first.at("/specs/0/state").asText()).isEqualTo("SCOPING");
        assertThat(first.at("/stories/0/state").asText()).isEqualTo("CODING");
        assertThat(later()).isEqualTo(first);
        verifyNoMoreInteractions(log);

        board.onEvent(new MaestroEvent.TextWritten("042", "a", 1, "CODING", true, "x", Instant.EPOCH));
        board.onEvent(new MaestroEvent.TextWritten("spec", "a", 1, "SCOPING", true, "x", Instant.EPOCH));
        assertThat(later()).isEqualTo(first);
        verifyNoMoreInteractions(log);
    }

    @Test
    void whatAnEventIsOfIsReadAgainAndNothingElse() throws IOException {
        JsonNode unused = later();
        store.saveSpec(Samples.spec("spec", ArchitectState.MONITORING));
        store.saveStory(Samples.story("042", 1, CoderState.TESTING));
        board.onEvent(answered("spec"));
        assertThat(later().at("/specs/0/state").asText()).isEqualTo("MONITORING");
        verify(log).spec("spec");
        verify(log).costs("spec");
        verifyNoMoreInteractions(log);

        board.onEvent(answered("042"));
        assertThat(later().at("/stories/0/state").asText()).isEqualTo("TESTING");
        verify(log).story("042");
        verify(log).costs("042");
        verifyNoMoreInteractions(log);
    }

    @Test
    void whatIsNewIsReadByItsFirstEvent() throws IOException {
        JsonNode unused = later();
        store.saveSpec(Samples.spec("spec2", ArchitectState.WAITING));
        store.saveStory(Samples.story("043", 1, CoderState.WAITING));
        board.onEvent(answered("spec2"));
        board.onEvent(answered("043"));
        JsonNode now = later();
        assertThat(now.at("/specs/1/id").asText()).isEqualTo("spec2");
        assertThat(now.at("/stories/1/id").asText()).isEqualTo("043");
    }

    @Test
    void allIsReadAgainNowAndThenAndWhenEventsAreLost() throws IOException {
        JsonNode unused = later();
        store.saveSpec(Samples.spec("spec", ArchitectState.DISPATCHING));
        assertThat(later().at("/specs/0/state").asText()).isEqualTo("SCOPING");
        board.onEvent(new MaestroEvent.EventsLost(1, Instant.EPOCH));
        assertThat(later().at("/specs/0/state").asText()).isEqualTo("DISPATCHING");
        store.saveSpec(Samples.spec("spec", ArchitectState.MONITORING));
        time.addAndGet(Board.ALL_AGAIN_NANOS);
        assertThat(later().at("/specs/0/state").asText()).isEqualTo("MONITORING");
    }
}
