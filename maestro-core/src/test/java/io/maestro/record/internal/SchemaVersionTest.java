package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.record.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records whose tables have the version of another Maestro, on every database. */
@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class SchemaVersionTest {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private String url;

    @BeforeEach
    void place() {
        url = backend.newRecord(directory);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, Tables.VERSION - 1, Tables.VERSION + 1, 99})
    void ofAnotherMaestroIsRefusedAndLeftAsItIs(int version) throws SQLException {
        Backend.open(url).close();
        execute("UPDATE maestro_schema SET version = " + version);

        for (int time = 0; time < 2; time++) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> Backend.open(url))
                    .withMessageContaining(url.replaceFirst("jdbc:sqlite:", "").replaceFirst("\\?.*", ""))
                    .withMessageContaining("was written by " + (version > Tables.VERSION ? "a newer" : "an older")
                            + " Maestro: its tables have version " + version + ", and this Maestro knows version "
                            + Tables.VERSION);
        }
    }

    @Test
    void stopsThisProcessWhenAnotherMaestroChangesItMeanwhile() throws SQLException {
        try (Store store = Backend.open(url)) {
            Samples.begin(store);
            store.recordMessage(Samples.message("042", "[1]"));
            execute("UPDATE maestro_schema SET version = 99");

            for (Runnable write : List.<Runnable>of(
                    () -> store.recordMessage(Samples.message("042", "[2]")),
                    () -> store.leases().renew("s1", Duration.ofSeconds(9)),
                    () -> store.endSession("s1", Samples.AT))) {
                assertThatExceptionOfType(StoreException.class)
                        .isThrownBy(write::run)
                        .withMessageContaining(
                                "its tables have version 99 now, and this Maestro knows version " + Tables.VERSION)
                        .withMessageContaining("end this process");
            }
            assertThat(store.messages("042")).hasSize(1);
        }
    }

    @Test
    void isMadeOnceWhenManyOpenItAtOnce() throws Exception {
        url = backend.newPlace(directory.resolve("fresh"));
        Callable<Void> opens = () -> {
            try (Store store = Backend.open(url)) {
                assertThat(store.sessions()).isEmpty();
            }
            return null;
        };

        Parallel.run(Collections.nCopies(8, opens));
    }
}
