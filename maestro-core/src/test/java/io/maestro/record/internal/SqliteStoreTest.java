package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteStoreTest {
    @TempDir
    Path directory;

    @Test
    void leavesOneFileAfterClose() throws Exception {
        Path file = directory.resolve("not/yet/there/maestro.db");
        try (Store store = Store.sqlite(file, text -> text)) {
            Samples.begin(store);
        }

        try (var files = Files.list(file.getParent())) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void followsNoLinkToARecord() throws Exception {
        Path outside = directory.resolve("outside");
        Path link = Files.createSymbolicLink(directory.resolve("link.db"), outside);
        assertThatThrownBy(() -> Store.sqlite(link, text -> text)).hasMessageContaining(link + " is a symbolic link");
        assertThat(outside).doesNotExist();

        Path theirs = directory.resolve("theirs/.maestro/maestro.db");
        Store.sqlite(theirs, text -> text).close();
        Path own = Files.createSymbolicLink(directory.resolve(".maestro"), theirs.getParent());
        FileTime before = Files.getLastModifiedTime(theirs);
        assertThatThrownBy(() -> Store.sqlite(own.resolve("maestro.db"), text -> text))
                .hasMessageContaining(own + " is a symbolic link");
        assertThat(Files.getLastModifiedTime(theirs)).isEqualTo(before);
    }

    /** While somebody reads, nothing of the log can be used again. */
    @Test
    void cutsTheLogAfterALongRead() throws Exception {
        Path file = directory.resolve("maestro.db");
        Path log = directory.resolve("maestro.db-wal");
        try (Store store = Store.sqlite(file, text -> text);
                Connection reads = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = reads.createStatement()) {
            Samples.begin(store);
            reads.setAutoCommit(false);
            statement.executeQuery("SELECT * FROM stories").next();
            for (int i = 0; i < 12; i++) {
                store.recordMessage(Samples.message("042", "x".repeat(1 << 20)));
            }
            assertThat(Files.size(log)).isGreaterThan(12 << 20);
            statement.close();
            reads.rollback();

            store.recordMessage(Samples.message("042", "checkpoint"));
            store.recordMessage(Samples.message("042", "begins the log anew"));

            assertThat(Files.size(log)).isLessThan(5 << 20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b.db", "what?cache=shared.db", "100%41.db", "a#b.db", "ü.db"})
    void takesAnyFileName(String name) throws Exception {
        Path odd = directory.resolve("odd").resolve(name);

        try (Store other = Store.sqlite(odd, text -> text)) {
            Samples.begin(other);
        }

        try (var files = Files.list(odd.getParent())) {
            assertThat(files).containsExactly(odd);
        }
    }

    @Test
    void readsNoTextToAddUpCosts() throws Exception {
        Path file = directory.resolve("maestro.db");
        try (Store store = Store.sqlite(file, text -> text);
                Connection reads = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = reads.createStatement()) {
            Samples.begin(store);
            List<String> steps = new ArrayList<>();
            try (ResultSet plan = statement.executeQuery("EXPLAIN QUERY PLAN " + Selects.COSTS.replace("?", "'042'"))) {
                while (plan.next()) {
                    steps.add(plan.getString("detail"));
                }
            }
            assertThat(steps)
                    .filteredOn(step -> step.contains(" messages "))
                    .singleElement()
                    .asString()
                    .contains("USING COVERING INDEX messages_by_cost");
        }
    }
}
