package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

import io.maestro.record.PostgresServer;
import io.maestro.record.StoreException;
import io.maestro.secrets.Redactor;
import io.maestro.story.CoderState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several records in one database. */
@Timeout(60)
class PostgresSchemaTest {
    private static final Redactor NONE = text -> text;
    private static final Duration LONG = Duration.ofHours(1);

    private final DataSource database = PostgresServer.newDatabase();

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void shareNothing() {
        try (Store one = Store.postgres(database, "one", NONE);
                Store two = Store.postgres(database, "two", NONE);
                Store current = Store.postgres(database, null, NONE)) {
            for (Store store : List.of(one, two, current)) {
                Samples.begin(store);
                assertThat(store.leases().acquire(List.of(Leases.story("042")), "s1", LONG))
                        .isPresent();
                assertThat(store.post(Samples.post("hello"))).isEqualTo(1);
                store.recordEffect(Samples.effect("e1"));
            }
            two.saveStory(Samples.story("042", 1, CoderState.CODING));
            one.leases().releaseAllBut("s2");

            assertThat(one.story("042").orElseThrow().state()).isEqualTo(CoderState.WAITING);
            assertThat(one.leases().acquire(List.of(Leases.story("042")), "s2", LONG))
                    .isPresent();
            assertThat(two.leases().acquire(List.of(Leases.story("042")), "s2", LONG))
                    .isEmpty();
            assertThat(one.location()).isEqualTo(current.location() + " (schema one)");
        }
    }

    @Test
    void areUpgradedOneByOne() throws Exception {
        try (Store one = Store.postgres(database, "one", NONE);
                Store two = Store.postgres(database, "two", NONE)) {
            Samples.begin(one);
            Samples.begin(two);
            execute("UPDATE one.maestro_schema SET version = 99");

            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> one.recordMessage(Samples.message("042", "[]")));
            two.recordMessage(Samples.message("042", "[]"));
        }
    }

    @Test
    void areMadeOnceByManyAtOnce() throws Exception {
        Callable<Void> opens = () -> {
            Store.postgres(database, "one", NONE).close();
            return null;
        };

        Parallel.run(Collections.nCopies(8, opens));
    }

    /** Whoever gets a connection from the pool next must find his own tables. */
    @Test
    void giveConnectionsBackAsTheyCame() {
        List<String> paths = Collections.synchronizedList(new ArrayList<>());
        DataSource pool = mock(DataSource.class, call -> {
            Connection real = (Connection) delegatesTo(database).answer(call);
            real.createStatement().execute("SET search_path TO \"$user\", public, other");
            return mock(Connection.class, used -> {
                if (used.getMethod().getName().equals("close") && !real.isClosed()) {
                    real.setAutoCommit(true);
                    try (ResultSet row = real.createStatement().executeQuery("SHOW search_path")) {
                        row.next();
                        paths.add(row.getString(1));
                    }
                }
                return delegatesTo(real).answer(used);
            });
        });
        try (Store store = Store.postgres(pool, "one", NONE)) {
            Samples.begin(store);
            assertThat(store.view().stories()).hasSize(1);
        }

        assertThat(paths)
                .containsExactly("\"$user\", public, other", "\"$user\", public, other", "\"$user\", public, other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Billing", "a b", "1a", "pg_temp", "x\"; DROP SCHEMA public; --"})
    void haveNamesThatNeedNoQuotes(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Store.postgres(database, name, NONE))
                .withMessageContaining("the schema '" + name + "' cannot be used");
    }
}
