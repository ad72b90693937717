package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.Session;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.Unscannable;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class RecordRedactionTest {
    private static final String SECRET = "correct-horse-battery";

    /** By these rows are found again, or they are no texts. */
    private static final Set<String> NAMES = Set.of(
            "id",
            "seq",
            "session_id",
            "story_id",
            "spec_id",
            "agent_id",
            "attempt",
            "branch",
            "merge_commit",
            "version",
            "process_id",
            "express",
            "from_state",
            "to_state",
            "depends_on",
            "position",
            "step",
            "number",
            "name",
            "started_at",
            "ended_at",
            "updated_at",
            "requested_at",
            "replied_at",
            "expires_at",
            "timestamp",
            "exit_code",
            "duration_ms",
            "sent_bytes",
            "received_bytes",
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "nanodollars",
            "scope",
            "owner",
            "day");

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    /** Every text that is no id holds the secret; all values by the names of their tables and columns. */
    private Map<String, Set<String>> columnsWithSecretsEverywhere(Redactor redactor) throws Exception {
        String url = backend.newRecord(directory);
        String s = "x " + SECRET + " y";
        try (Store store = Backend.open(url, redactor)) {
            store.beginSession(new Session("s1", "https://" + SECRET + "@example.org", Samples.AT, 1, null));
            StoryRecord story = new StoryRecord(
                    "042",
                    "s1",
                    s,
                    s,
                    s,
                    false,
                    CoderState.SETUP,
                    1,
                    "a",
                    "branch",
                    "commit",
                    s,
                    s,
                    null,
                    List.of("1"),
                    Samples.AT);
            store.saveStory(story);
            store.recordTransition(
                    new StateTransition("s1", "042", 1, "a", CoderState.WAITING, CoderState.SETUP, s, Samples.AT),
                    story);
            SpecRecord spec = new SpecRecord("p", "s1", s, s, ArchitectState.ERROR, s, s, Samples.AT);
            store.saveSpec(spec);
            store.recordSpecTransition(
                    new SpecTransition("s1", "p", "a", ArchitectState.WAITING, ArchitectState.ERROR, s, Samples.AT),
                    spec,
                    List.of(new StoryRecord(
                            "043",
                            "s1",
                            s,
                            s,
                            s,
                            false,
                            CoderState.SETUP,
                            1,
                            null,
                            null,
                            null,
                            s,
                            s,
                            "p",
                            List.of(),
                            Samples.AT)));
            store.recordMessage(new Message("s1", "042", 1, "a", s, 0, s, s, s, s, 0, 0, 0, 0, Samples.AT));
            store.spending()
                    .reserve(
                            new Spending.CostReservation("r1", "s1", "042", null, 1, "a", s, s, BigDecimal.ONE),
                            Map.of());
            store.recordToolExecution(new ToolExecution("s1", "a", "042", 1, s, s, s, s, s, s, s, 0, 0, Samples.AT));
            store.recordConnection(new AuditLog.NetworkConnection("s1", "a", "042", 1, s, s, 0, 0, 0, s, Samples.AT));
            store.recordEffect(new Effect("e1", "s1", "042", 1, "a", s, s, Samples.AT, null, null));
            store.recordEffect(new Effect("e2", "s1", "042", 1, "a", s, s, Samples.AT, s, Samples.AT));
            store.completeEffect("e1", s, Samples.AT);
            store.cancellations().ask("042", s, s);
            store.saveTodos("042", 1, s);
            store.post(new ChatPost(0, "s1", null, s, s, Samples.AT));
        }
        if (backend == Backend.SQLITE) {
            byte[] bytes = Files.readAllBytes(Path.of(url.substring("jdbc:sqlite:".length())));
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
        }
        try (Connection connection = Backend.connect(url)) {
            return columns(connection);
        }
    }

    private static Map<String, Set<String>> columns(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet rows = connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
            while (rows.next()) {
                tables.add(rows.getString("TABLE_NAME"));
            }
        }
        Map<String, Set<String>> columns = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            for (String table : tables) {
                ResultSet rows = statement.executeQuery("SELECT * FROM " + table);
                ResultSetMetaData names = rows.getMetaData();
                while (rows.next()) {
                    for (int i = 1; i <= names.getColumnCount(); i++) {
                        columns.computeIfAbsent(table + "." + names.getColumnName(i), name -> new TreeSet<>())
                                .add(String.valueOf(rows.getString(i)));
                    }
                }
            }
        }
        return columns;
    }

    private static void showsInEveryText(Map<String, Set<String>> columns, String mark) {
        assertThat(columns).containsKeys("specs.title", "chat.author", "todos.todos", "spec_transitions.reason");
        columns.forEach((name, values) -> {
            assertThat(values).as(name).noneMatch(value -> value.contains(SECRET));
            boolean isState = Set.of("stories.state", "specs.state").contains(name);
            if (!isState && !NAMES.contains(name.replaceFirst(".*\\.", ""))) {
                assertThat(values).as(name).anyMatch(value -> value.contains(mark));
            }
        });
    }

    @Test
    void writesNoSecretInAnyColumn() throws Exception {
        showsInEveryText(columnsWithSecretsEverywhere(text -> text.replace(SECRET, "[REDACTED:x]")), "[REDACTED:x]");
    }

    @Test
    void writesNothingOfATextWhoseRedactionFails() throws Exception {
        showsInEveryText(
                columnsWithSecretsEverywhere(text -> {
                    throw new IllegalStateException("broken on purpose, on " + text);
                }),
                Unscannable.MARK);
    }

    @Test
    @SuppressWarnings("DataFlowIssue") // null is the fault that is tried
    void writesNothingOfATextThatIsRedactedToNull() throws Exception {
        showsInEveryText(columnsWithSecretsEverywhere(text -> null), Unscannable.MARK);
    }
}
