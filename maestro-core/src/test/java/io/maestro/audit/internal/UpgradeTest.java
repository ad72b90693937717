package io.maestro.audit.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.agent.ArchitectState;
import io.maestro.agent.CoderState;
import io.maestro.audit.AuditLog.Session;
import io.maestro.audit.Leases;
import io.maestro.audit.Store;
import io.maestro.audit.Store.Effect;
import io.maestro.audit.Store.Message;
import io.maestro.audit.Store.SpecTransition;
import io.maestro.audit.Store.StateTransition;
import io.maestro.audit.Store.StoryRecord;
import io.maestro.audit.Store.ToolExecution;
import io.maestro.audit.StoreException;
import io.maestro.testkit.contract.Samples;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A record that an older Maestro has written, on every database. */
@Timeout(120)
@ParameterizedClass
@EnumSource(OlderRecord.class)
class UpgradeTest {
    @Parameter
    OlderRecord older;

    @TempDir
    Path directory;

    private String url;

    @BeforeEach
    void make() throws Exception {
        url = older.make(directory);
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static List<String> rows(String url, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    values.add(String.valueOf(result.getString(i)));
                }
                rows.add(String.join("|", values));
            }
        }
        return rows;
    }

    /** Its columns, references, indexes and triggers; in any order. */
    private TreeSet<String> schema(String url) throws SQLException {
        List<String> queries = older.backend == Backend.SQLITE
                ? List.of(
                        "SELECT m.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk FROM sqlite_master m,"
                                + " pragma_table_xinfo(m.name) c WHERE m.type = 'table'",
                        "SELECT m.name, f.\"table\", f.\"from\", f.\"to\" FROM sqlite_master m,"
                                + " pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
                        "SELECT m.name, m.tbl_name, m.sql FROM sqlite_master m WHERE m.type IN ('index', 'trigger', 'view')")
                : List.of(
                        "SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default,"
                                + " is_identity FROM information_schema.columns WHERE table_schema = 'public'",
                        "SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint"
                                + " WHERE connamespace = 'public'::regnamespace",
                        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL"
                                + " SELECT viewname || definition FROM pg_views WHERE schemaname = 'public'",
                        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
                        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace");
        TreeSet<String> schema = new TreeSet<>();
        for (String sql : queries) {
            List<String> rows = rows(url, sql);
            assertThat(rows).isNotEmpty();
            schema.addAll(rows);
        }
        return schema;
    }

    private void holdsTheOldRows(Store store) {
        assertThat(store.sessions()).containsExactly(new Session("s1", "/srv/app.git", Samples.AT, 4711, Samples.AT));
        assertThat(store.stories())
                .containsExactly(new StoryRecord(
                        "042",
                        "s1",
                        "Title",
                        "Content",
                        "APP",
                        false,
                        CoderState.CODING,
                        2,
                        null,
                        null,
                        null,
                        null,
                        "{}",
                        null,
                        List.of(),
                        Samples.AT));
        assertThat(store.transitions("042"))
                .containsExactly(new StateTransition(
                        "s1", "042", 2, "coder-001", CoderState.WAITING, CoderState.CODING, "why", Samples.AT));
        assertThat(store.messages("042"))
                .containsExactly(new Message(
                        "s1",
                        "042",
                        2,
                        "coder-001",
                        "CODING",
                        0,
                        "assistant",
                        "[]",
                        "m",
                        null,
                        3,
                        4,
                        0,
                        0,
                        Samples.AT));
        assertThat(store.toolExecutions("042"))
                .containsExactly(new ToolExecution(
                        "s1",
                        "coder-001",
                        "042",
                        2,
                        "CODING",
                        "shell",
                        "c1",
                        null,
                        "{}",
                        "out",
                        null,
                        null,
                        12,
                        Samples.AT));
        assertThat(store.effects("042"))
                .containsExactly(
                        new Effect(
                                "e1", "s1", "042", 2, "coder-001", "MERGE", "{}", Samples.AT, "{\"a\":1}", Samples.AT),
                        new Effect("e2", "s1", "042", 2, "coder-001", "MERGE", "{}", Samples.AT, null, null));
        if (older.version() > 1) {
            assertThat(store.specs()).containsExactly(Samples.spec("spec", ArchitectState.WAITING));
            assertThat(store.specTransitions("spec"))
                    .containsExactly(new SpecTransition(
                            "s1",
                            "spec",
                            "architect",
                            ArchitectState.WAITING,
                            ArchitectState.SCOPING,
                            "because",
                            Samples.AT));
            assertThat(store.todos("042", 2)).contains("[1]");
            assertThat(store.chat(0, 9)).containsExactly(new Store.ChatPost(7, "s1", null, "host", "hi", Samples.AT));
            assertThat(store.leases().acquire(List.of(Leases.story("042")), "s2", Duration.ofSeconds(9)))
                    .as("a lease of s1's")
                    .isEmpty();
        }
    }

    @Test
    void keepsAllRowsAndTakesNewOnes() throws SQLException {
        List<String> attempts = rows(url, "SELECT id, attempt, state, error FROM stories ORDER BY attempt");
        try (Store store = Backend.open(url)) {
            holdsTheOldRows(store);
            store.recordSpecTransition(
                    Samples.specTransition("spec", ArchitectState.DISPATCHING),
                    Samples.spec("spec", ArchitectState.DISPATCHING),
                    List.of(Samples.storyOf("spec", "1", 1, List.of("042"))));
            store.saveTodos("042", 2, "[]");
            assertThat(store.post(Samples.post("hello"))).isEqualTo(older.version() > 1 ? 8 : 1);
            assertThat(store.storiesOf("spec")).hasSize(1);
            assertThat(store.leases().acquire(List.of("a"), "s1", Duration.ofSeconds(9)))
                    .contains("a");
        }
        try (Store again = Backend.open(url)) {
            assertThat(again.specs()).hasSize(1);
        }

        assertThat(rows(url, "SELECT id, attempt, state, error FROM stories WHERE id = '042' ORDER BY attempt"))
                .isEqualTo(attempts)
                .hasSize(2);
        assertThat(rows(url, "SELECT version FROM maestro_schema")).containsExactly("" + Tables.VERSION);
    }

    @Test
    void makesWhatANewRecordHas() throws SQLException {
        String fresh = older.backend.newPlace(directory.resolve("fresh"));
        Backend.open(fresh).close();
        Backend.open(url).close();

        assertThat(schema(url)).isEqualTo(schema(fresh));
    }

    @Test
    void protectsWhatWasWritten() throws SQLException {
        try (Store store = Backend.open(url)) {
            store.post(Samples.post("hello"));
        }

        for (String table : List.of("chat", "messages", "state_transitions", "tool_executions", "effects")) {
            assertThatExceptionOfType(SQLException.class)
                    .as(table)
                    .isThrownBy(() -> execute("DELETE FROM " + table))
                    .withMessageMatching("(?s).*(append-only|are kept).*");
        }
    }

    @Test
    void happensOnceWhenManyOpenItAtOnce() throws Exception {
        Callable<Void> opens = () -> {
            try (Store store = Backend.open(url)) {
                holdsTheOldRows(store);
            }
            return null;
        };

        Parallel.run(Collections.nCopies(8, opens));
    }

    @Test
    void leavesTheOldRecordWhenItFails() throws SQLException {
        // What the last step adds is there already.
        execute("ALTER TABLE tool_executions ADD COLUMN parent_call_id INTEGER");
        TreeSet<String> before = schema(url);

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Backend.open(url))
                .withMessageContaining("parent_call_id");

        assertThat(schema(url)).isEqualTo(before);
        assertThat(rows(url, "SELECT version FROM maestro_schema")).containsExactly("" + older.version());
    }

    @Test
    void ofANewerMaestroIsRefused() throws SQLException {
        execute("UPDATE maestro_schema SET version = 99");

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Backend.open(url))
                .withMessageContaining(url.replaceFirst("jdbc:sqlite:", "").replaceFirst("\\?.*", ""))
                .withMessageContaining(
                        "was written by a newer Maestro: its tables have version 99, and this Maestro knows"
                                + " versions up to " + Tables.VERSION);
    }

    @Test
    void stopsThisProcessWhenANewerOneUpgradesItMeanwhile() throws SQLException {
        try (Store store = Backend.open(url)) {
            store.beginSession(Samples.session("s9"));
            execute("UPDATE maestro_schema SET version = 99");

            for (Runnable write : Arrays.<Runnable>asList(
                    () -> store.recordMessage(Samples.message("042", "[2]")),
                    () -> store.leases().renew("s9", Duration.ofSeconds(9)),
                    () -> store.endSession("s9", Samples.AT))) {
                assertThatExceptionOfType(StoreException.class)
                        .isThrownBy(write::run)
                        .withMessageContaining(
                                "its tables have version 99 now, and this Maestro knows version " + Tables.VERSION)
                        .withMessageContaining("end this process");
            }
            assertThat(store.messages("042")).hasSize(1);
        }
    }
}
