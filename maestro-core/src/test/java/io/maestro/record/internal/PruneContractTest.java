package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What is taken out of a record, and what never is, on every database. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Backend.class)
class PruneContractTest {
    private static final Instant OLD = Samples.AT;
    private static final Instant NEW = OLD.plus(Duration.ofDays(30));
    private static final Instant BETWEEN = OLD.plus(Duration.ofDays(1));

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
        store.beginSession(Samples.session("s1"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void story(String id, int attempt, CoderState state, Instant at, @Nullable String specId) {
        store.saveStory(new StoryRecord(
                id, "s1", "T", "C", "APP", false, state, attempt, null, "b", "c", null, "{}", specId, List.of(), at));
    }

    /** A story with one row of each kind. */
    private void live(String id, CoderState state, Instant at, @Nullable String specId) {
        story(id, 1, CoderState.CODING, at, specId);
        Effect asked = new Effect("e" + id, "s1", id, 1, "coder-001", "MERGE", "{}", at, null, null);
        store.requests().open(asked, at.plusSeconds(60), 2);
        store.requests().reply("e" + id, "alice", true, "", "{}", at);
        store.cancellations().ask(id, "alice", "");
        story(id, 1, state, at, specId);
        store.recordTransition(
                Samples.transition(id, 1, CoderState.CODING, state),
                store.story(id).orElseThrow());
        store.recordMessage(new Message(
                "s1",
                id,
                1,
                "coder-001",
                "CODING",
                0,
                "assistant",
                "x".repeat(20_000),
                "m",
                "END_TURN",
                1,
                2,
                3,
                4,
                at));
        store.recordToolExecution(Samples.toolExecution(id, "c1"));
        store.recordConnection(Samples.connection(id, at));
        store.saveTodos(id, 1, "[]");
        store.post(new ChatPost(0, "s1", id, "coder-001", "hello", at));
    }

    private int rowsOf(String id) {
        return store.transitions(id).size()
                + store.messages(id).size()
                + store.toolExecutions(id).size()
                + store.effects(id).size()
                + store.requests()
                        .find("e" + id)
                        .map(row -> 1 + row.given().size())
                        .orElse(0)
                + store.cancellations().of(id).size()
                + store.connections(id, 0, 9).rows().size()
                + store.todos(id, 1).map(todos -> 1).orElse(0)
                + (int) store.chat(0, 100).stream()
                        .filter(post -> id.equals(post.storyId()))
                        .count();
    }

    @Test
    void leavesOfOldStoriesWhatTheyAreKnownBy() {
        live("done", CoderState.DONE, OLD, null);
        live("failed", CoderState.ERROR, OLD, null);
        live("new", CoderState.DONE, NEW, null);
        live("open", CoderState.CODING, OLD, null);
        live("again", CoderState.ERROR, OLD, null);
        story("again", 2, CoderState.WAITING, OLD, null);
        List<StoryRecord> stories = store.stories();
        List<AuditLog.Cost> costs = store.costs("done");

        assertThat(store.prune(BETWEEN)).isEqualTo(2);

        assertThat(rowsOf("done")).isZero();
        assertThat(rowsOf("failed")).isZero();
        assertThat(rowsOf("new")).isEqualTo(10);
        assertThat(rowsOf("open")).isEqualTo(10);
        assertThat(rowsOf("again")).isEqualTo(10);
        assertThat(store.stories()).isEqualTo(stories);
        assertThat(store.costs("done"))
                .isEqualTo(costs)
                .extracting(AuditLog.Cost::usage)
                .containsExactly(new Usage(1, 2, 3, 4));
        assertThat(store.prune(BETWEEN)).as("once").isZero();
        assertThat(store.costs("done")).isEqualTo(costs);
    }

    @Test
    void prunesASpecificationAndItsStoriesWhenAllHaveEnded() {
        store.saveSpec(Samples.spec("spec", ArchitectState.MONITORING));
        store.recordSpecTransition(
                Samples.specTransition("spec", ArchitectState.MONITORING),
                Samples.spec("spec", ArchitectState.MONITORING),
                List.of());
        store.recordMessage(Samples.message("spec", "[]"));
        live("spec-01", CoderState.DONE, OLD, "spec");
        store.post(Samples.post("the newest is kept"));

        assertThat(store.prune(BETWEEN)).isZero();
        assertThat(rowsOf("spec-01")).isEqualTo(10);

        store.saveSpec(Samples.spec("spec", ArchitectState.DONE));
        assertThat(store.prune(BETWEEN)).isEqualTo(2);
        assertThat(rowsOf("spec-01")).isZero();
        assertThat(store.messages("spec")).isEmpty();
        assertThat(store.specTransitions("spec")).isEmpty();
        assertThat(store.spec("spec")).isPresent();
    }

    @Test
    void prunesWhatIsOldAndOfNoStoryAndGivesNoNumberTwice() {
        for (Instant at : List.of(OLD, NEW, OLD)) {
            store.post(new ChatPost(0, "s1", null, "host", "hello", at));
            store.recordConnection(Samples.connection(null, at));
        }

        store.prune(BETWEEN);

        assertThat(store.chat(0, 9)).extracting(ChatPost::number).containsExactly(2L, 3L);
        assertThat(store.post(Samples.post("next"))).isEqualTo(4);
        assertThat(store.connections(null, 0, 9).rows()).containsExactly(Samples.connection(null, NEW));
    }

    /** By whoever has the database's password, too: what has not ended is kept. */
    @Test
    void isTheOnlyWayToDeleteRows() throws SQLException {
        live("open", CoderState.CODING, OLD, null);
        live("done", CoderState.DONE, OLD, null);
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(
                    "INSERT INTO pruning (id) VALUES ('open')",
                    "DELETE FROM messages",
                    "DELETE FROM chat",
                    "DELETE FROM tool_executions WHERE story_id = 'done'",
                    "DELETE FROM state_transitions",
                    "DELETE FROM effects",
                    "UPDATE effects SET reply = '{}', replied_at = '2026-11-20T10:00:00Z'; UPDATE effects SET reply = '[]'",
                    "UPDATE messages SET content = ''",
                    "UPDATE chat SET text = ''")) {
                assertThatExceptionOfType(SQLException.class)
                        .as(sql)
                        .isThrownBy(() -> {
                            for (String one : sql.split("; ")) {
                                statement.execute(one);
                            }
                        })
                        .withMessageMatching("(?s).*(append-only|answered once|has not ended is kept).*");
            }
        }
        store.prune(BETWEEN);
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            assertThatExceptionOfType(SQLException.class)
                    .as("once pruned")
                    .isThrownBy(() -> statement.execute("DELETE FROM pruned_usage"))
                    .withMessageContaining("append-only");
        }
        assertThat(rowsOf("open")).isEqualTo(10);
    }

    @Test
    void makesAFileSmaller() throws IOException {
        for (int i = 0; i < 40; i++) {
            live("s" + i, CoderState.DONE, OLD, null);
        }
        close();
        long before = backend == Backend.SQLITE ? size() : 0;
        store = Backend.open(url);

        store.prune(BETWEEN);

        if (backend == Backend.SQLITE) {
            assertThat(before).isGreaterThan(800_000);
            assertThat(size()).isLessThan(300_000);
        }
        assertThat(store.stories()).hasSize(40);
    }

    private long size() throws IOException {
        return Files.size(Path.of(url.substring("jdbc:sqlite:".length())));
    }

    @Test
    void canBeExportedBefore() throws IOException {
        live("1", CoderState.DONE, OLD, null);
        store.saveSpec(Samples.spec("spec", ArchitectState.DONE));
        String breaks = "a\u0085b\u2028c\u2029d";
        store.post(Samples.post(breaks));
        Path file = directory.resolve("record.jsonl");

        try (Writer out = Files.newBufferedWriter(file)) {
            store.view().export(out);
        }

        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            lines.add(JsonMapper.builder().build().readTree(line));
        }
        assertThat(lines)
                .extracting(line -> line.path("table").asText())
                .containsExactly(
                        "sessions",
                        "specs",
                        "stories",
                        "state_transitions",
                        "messages",
                        "tool_executions",
                        "effects",
                        "requests",
                        "approvals",
                        "cancellations",
                        "connections",
                        "todos",
                        "chat",
                        "chat");
        assertThat(lines.get(13).path("text").asText()).isEqualTo(breaks);
        assertThat(Files.readString(file)).doesNotContain("\u0085", "\u2028", "\u2029");
        assertThat(lines.get(4).path("content").asText()).hasSize(20_000);
        assertThat(lines.get(4).path("output_tokens").asLong()).isEqualTo(2);
        assertThat(lines.get(4).path("stop_reason").asText()).isEqualTo("END_TURN");
    }

    @Test
    void saysWhenTheExportCannotBeWrittenAndGoesOn() {
        live("1", CoderState.DONE, OLD, null);
        Writer full = new Writer() {
            @Override
            public void write(char[] text, int from, int length) throws IOException {
                throw new IOException("No space left on device");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };

        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> store.export(full))
                .withMessageContaining("No space left");
        assertThat(store.view().stories()).hasSize(1);
    }
}
