package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.maestro.record.AuditLog.Message;
import io.maestro.record.PostgresServer;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import io.maestro.secrets.Redactor;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.stubbing.Answer;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** What PostgreSQL, its pools and its network can do to a record. */
@Timeout(120)
class PostgresStoreTest {
    private static final Redactor NONE = text -> text;

    @TempDir
    Path directory;

    private String url;
    private DataSource dataSource;

    @BeforeEach
    void create() {
        url = PostgresServer.newDatabaseUrl();
        dataSource = PostgresServer.connectTo(url);
    }

    @AfterEach
    void leavesNoThread() {
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("maestro-record-writer");
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void refusesToOpen(DataSource dataSource, String... inMessage) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Store.postgres(dataSource, null, NONE).close())
                .satisfies(e -> assertThat(e.getMessage()).contains(inMessage));
    }

    private void endsAllOtherConnections() throws SQLException {
        execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                + " AND datname = current_database()");
    }

    /** A DataSource that does one method of its connections in another way. */
    private static DataSource with(DataSource dataSource, String method, Fault fault) {
        return mock(DataSource.class, call -> {
            Object result = delegatesTo(dataSource).answer(call);
            return result instanceof Connection connection ? with(connection, method, fault) : result;
        });
    }

    private static Connection with(Connection connection, String method, Fault fault) {
        Answer<Object> real = delegatesTo(connection);
        return mock(
                Connection.class,
                call -> call.getMethod().getName().equals(method)
                        ? fault.call(connection, () -> real.answer(call))
                        : real.answer(call));
    }

    private interface Fault {
        Object call(Connection connection, RealCall real) throws Throwable;
    }

    private interface RealCall {
        Object call() throws Throwable;
    }

    @Test
    void refusesAnotherDatabase() {
        SQLiteDataSource sqlite = new SQLiteDataSource();
        sqlite.setUrl("jdbc:sqlite:" + directory.resolve("x.db"));

        refusesToOpen(sqlite, "leads to SQLite 3.", "PostgreSQL 12 or later only");
    }

    @Test
    void refusesAnOldPostgres() {
        DataSource old = with(dataSource, "getMetaData", (connection, real) -> {
            DatabaseMetaData metaData = mock(delegatesTo(real.call()));
            doReturn(11).when(metaData).getDatabaseMajorVersion();
            doReturn("11.22").when(metaData).getDatabaseProductVersion();
            return metaData;
        });

        refusesToOpen(old, "PostgreSQL 11.22", "PostgreSQL 12 or later only");
    }

    @Test
    void livesBesideTheTablesOfItsHost() throws Exception {
        execute("CREATE TABLE customers (id INTEGER)");

        try (Store store = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(store);
            assertThat(store.stories()).hasSize(1);
        }
    }

    @Test
    void refusesASchemaWhoseNamesAreTaken() throws Exception {
        execute("CREATE TABLE messages (id INTEGER)", "CREATE TABLE chat (id INTEGER)");

        refusesToOpen(dataSource, "chat, messages", "record.schema(");

        execute("CREATE SCHEMA maestro");
        try (Store store = Store.postgres(PostgresServer.connectTo(url + "&currentSchema=maestro"), null, NONE)) {
            Samples.begin(store);
            assertThat(store.stories()).hasSize(1);
        }
    }

    /** No row is written after the tables have changed, and none in between. */
    @Test
    void isNotWrittenToWhileAnotherMaestroUpgradesIt() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Store store = Store.postgres(dataSource, null, NONE);
                Connection upgrade = dataSource.getConnection();
                Statement statement = upgrade.createStatement()) {
            Samples.begin(store);
            upgrade.setAutoCommit(false);
            statement.execute("SELECT " + PostgresDatabase.LOCK_FOR_TABLES);
            statement.execute("UPDATE maestro_schema SET version = 99");
            var writing = threads.submit(() -> store.recordMessage(Samples.message("042", "[1]")));
            while (number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                    == 0) {
                assertThat(writing).as("waits").isNotDone();
                Thread.onSpinWait();
            }
            upgrade.commit();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(writing::get)
                    .withMessageContaining("its tables have version 99 now");
            assertThat(store.messages("042")).isEmpty();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void refusesADatabaseThatLacksCharacters() throws Exception {
        execute("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");

        refusesToOpen(
                PostgresServer.connectTo(url.replaceFirst("/maestro_\\d+", "/ascii")), "SQL_ASCII", "ENCODING 'UTF8'");
    }

    @Test
    void needsNoRightToCreateOnceTheTablesAreThere() throws Exception {
        execute("CREATE ROLE poor_" + suffix() + " LOGIN", "REVOKE CREATE ON SCHEMA public FROM public");
        DataSource poor = PostgresServer.connectTo(url.replace("user=postgres", "user=poor_" + suffix()));
        refusesToOpen(poor, "lacks a permission", "permission denied");

        Store.postgres(dataSource, null, NONE).close();
        execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO poor_" + suffix());
        try (Store store = Store.postgres(poor, null, NONE)) {
            Samples.begin(store);
            store.post(Samples.post("hello"));
            assertThat(store.leases().acquire(List.of("a"), "s1", Duration.ofSeconds(9)))
                    .contains("a");
        }
        execute("DROP OWNED BY poor_" + suffix(), "DROP ROLE poor_" + suffix());
    }

    private String suffix() {
        return url.replaceFirst(".*/maestro_(\\d+).*", "$1");
    }

    @Test
    void showsNoPassword() throws Exception {
        PGSimpleDataSource closed = new PGSimpleDataSource();
        closed.setURL("jdbc:postgresql://localhost:1/x?user=me&password=pa55-word");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Store.postgres(closed, null, NONE))
                .withMessageContaining("the connection was lost")
                .withStackTraceContaining("refused")
                .satisfies(e -> assertThat(e).message().doesNotContain("pa55-word"));

        try (Store store = Store.postgres(PostgresServer.connectTo(url + "&password=pa55-word"), null, NONE)) {
            assertThat(store.location())
                    .startsWith("jdbc:postgresql://localhost:")
                    .doesNotContain("?", "pa55-word");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"messages", "chat", "effects", "state_transitions", "tool_executions", "spec_transitions"})
    void isNotEmptied(String table) throws Exception {
        Store.postgres(dataSource, null, NONE).close();

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> execute("TRUNCATE " + table))
                .withMessageMatching("(?s).*(append-only|are kept).*");
    }

    @RepeatedTest(3)
    void canBeOpenedForTheFirstTimeByManyAtOnce() throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String session = "s" + i;
            tasks.add(() -> {
                try (Store store = Store.postgres(dataSource, null, NONE)) {
                    store.beginSession(Samples.session(session));
                }
                return null;
            });
        }

        Parallel.run(tasks);
    }

    @Test
    void goesOnAfterItsConnectionsWereLost() throws Exception {
        try (Store store = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(store);
            for (int i = 1; i <= 3; i++) {
                endsAllOtherConnections();
                store.recordMessage(Samples.message("042", "[]"));
                endsAllOtherConnections();
                assertThat(store.messages("042")).hasSize(i);
            }
        }
    }

    /** The commit arrives, its answer does not. */
    @Test
    void findsAWriteWhoseCommitHasArrived() throws Exception {
        AtomicInteger answersToLose = new AtomicInteger();
        DataSource unsteady = with(dataSource, "commit", (connection, real) -> {
            Object result = real.call();
            if (answersToLose.getAndDecrement() > 0) {
                connection.close();
                throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
            }
            return result;
        });
        try (Store store = Store.postgres(unsteady, null, NONE)) {
            Samples.begin(store);
            answersToLose.set(1);
            store.recordMessage(Samples.message("042", "[1]"));
            assertThat(answersToLose).hasValue(0);
            store.recordMessage(Samples.message("042", "[2]"));
            assertThat(store.messages("042")).extracting(Message::content).containsExactly("[1]", "[2]");
        }
    }

    /** The connection ends before the commit arrives. */
    @Test
    void repeatsAWriteWhoseCommitDidNotArrive() throws Exception {
        AtomicInteger connectionsToLose = new AtomicInteger();
        DataSource unsteady = with(dataSource, "commit", (connection, real) -> {
            if (connectionsToLose.getAndDecrement() > 0) {
                endsAllOtherConnections();
            }
            return real.call();
        });
        try (Store store = Store.postgres(unsteady, null, NONE)) {
            Samples.begin(store);
            connectionsToLose.set(1);
            store.recordMessage(Samples.message("042", "[1]"));
            store.recordMessage(Samples.message("042", "[2]"));
            assertThat(store.messages("042")).extracting(Message::content).containsExactly("[1]", "[2]");
        }
    }

    /** The server does not answer any more after the commit; its callers read the record before they go on. */
    @Test
    void saysThatAWriteMayBeThereWhenNobodyCanTell() throws Exception {
        AtomicBoolean down = new AtomicBoolean();
        DataSource unsteady = mock(DataSource.class, call -> {
            if (down.get()) {
                throw new SQLException("Connection to localhost refused", "08001");
            }
            Object result = delegatesTo(dataSource).answer(call);
            return result instanceof Connection connection
                    ? with(connection, "commit", (lost, real) -> {
                        real.call();
                        if (down.get()) {
                            lost.close();
                            throw new SQLException("An I/O error occurred", "08006");
                        }
                        return null;
                    })
                    : result;
        });
        try (Store store = Store.open(new PostgresDatabase(unsteady), NONE, Duration.ofMillis(100))) {
            Samples.begin(store);
            down.set(true);
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> store.recordMessage(Samples.message("042", "[1]")))
                    .withMessageContaining("may have been written or not");
            down.set(false);
            assertThat(store.messages("042")).extracting(Message::content).containsExactly("[1]");
        }
    }

    /** Its transactions have other numbers: what they say tells nothing. */
    @Test
    void believesNoOtherServer() throws Exception {
        PostgresDatabase database = new PostgresDatabase(dataSource);
        try (Statements statements = database.connect()) {
            statements.connection().setAutoCommit(false);
            Store.postgres(dataSource, null, NONE).close();
            String own = database.begin(statements);
            statements.connection().commit();
            assertThat(database.isCommitted(statements, own)).contains(true);
            statements.connection().commit();
            String rolledBack = database.begin(statements);
            statements.connection().rollback();
            assertThat(database.isCommitted(statements, rolledBack)).contains(false);
            assertThat(database.isCommitted(statements, own.replaceFirst(" .*", " 1")))
                    .isEmpty();
            String open = database.begin(statements);
            try (Statements other = database.connect()) {
                assertThatExceptionOfType(SQLException.class).isThrownBy(() -> database.isCommitted(other, open));
            }
        }
    }

    @Test
    void saysWhatIsWrongWhileTheServerRefusesConnectionsAndGoesOnAfterwards() throws Exception {
        AtomicReference<SQLException> refusal = new AtomicReference<>();
        DataSource mayRefuse = with(dataSource, "setReadOnly", (connection, real) -> {
            if (refusal.get() != null) {
                connection.close();
                throw refusal.get();
            }
            return real.call();
        });
        try (Store store = Store.open(new PostgresDatabase(mayRefuse), NONE, Duration.ofMillis(100))) {
            Samples.begin(store);
            refusal.set(new SQLException("the database system is starting up", "57P03"));
            endsAllOtherConnections();

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> store.recordMessage(Samples.message("042", "[1]")))
                    .withMessageContaining("check that the server runs")
                    .withMessageContaining("starting up");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> store.messages("042"))
                    .withMessageContaining("starting up");

            refusal.set(null);
            store.recordMessage(Samples.message("042", "[2]"));
            assertThat(store.messages("042")).extracting(Message::content).containsExactly("[2]");
        }
    }

    /** As while it starts again; a pool may say that in a way of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitsForAServerThatIsBackSoon(boolean pool) throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        DataSource unsteady = mock(DataSource.class, call -> {
            if (refusals.getAndDecrement() > 0) {
                throw pool
                        ? new SQLTransientConnectionException("request timed out after 30 s")
                        : new SQLException("Connection to localhost refused", "08001");
            }
            return delegatesTo(dataSource).answer(call);
        });
        try (Store store = Store.postgres(unsteady, null, NONE)) {
            Samples.begin(store);
            endsAllOtherConnections();

            refusals.set(5);
            assertThat(store.story("042")).isPresent();
            assertThat(refusals).hasValue(-1);

            endsAllOtherConnections();
            refusals.set(5);
            store.recordMessage(Samples.message("042", "[1]"));
            assertThat(store.messages("042")).hasSize(1);
        }
    }

    /** A pool with two connections, which it gives out with its own settings, and an error for who wants a third. */
    @Test
    void isContentWithTwoConnections() throws Exception {
        AtomicInteger open = new AtomicInteger();
        DataSource counting = with(dataSource, "close", (connection, real) -> {
            if (!connection.isClosed()) {
                open.decrementAndGet();
            }
            return real.call();
        });
        DataSource pool = mock();
        when(pool.getConnection()).then(call -> {
            if (open.incrementAndGet() > 2) {
                throw new SQLException("the pool is empty", "08001");
            }
            Connection connection = counting.getConnection();
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return connection;
        });

        try (Store store = Store.postgres(pool, null, NONE);
                Store other = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(store);
            assertThat(store.messages("042")).isEmpty();
            other.recordMessage(Samples.message("042", "[]"));
            assertThat(store.messages("042"))
                    .as("what others have written since")
                    .hasSize(1);
            assertThat(store.leases().acquire(List.of("a"), "s1", Duration.ofSeconds(9)))
                    .contains("a");
            store.post(Samples.post("hello"));
            assertThat(idleInTransaction()).as("nothing stays locked").isZero();
        }
        assertThat(open).hasValue(0);
    }

    /** A host that reads the history of years holds up nobody. */
    @Test
    void readsForItselfWhileTheHostReads() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        DataSource slow = mock(DataSource.class, call -> {
            Connection connection = (Connection) delegatesTo(dataSource).answer(call);
            if (connections.incrementAndGet() <= 2) {
                return connection;
            }
            return with(connection, "prepareStatement", (real, statement) -> {
                reads.countDown();
                goOn.await();
                return statement.call();
            });
        });
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Store store = Store.postgres(slow, null, NONE)) {
            Samples.begin(store);
            var host = threads.submit(() -> store.view().messages("042"));
            reads.await();

            assertThat(store.story("042")).isPresent();
            assertThat(host).isNotDone();
            goOn.countDown();
            assertThat(host.get()).isEmpty();
        } finally {
            goOn.countDown();
            threads.shutdownNow();
        }
    }

    private int idleInTransaction() throws SQLException {
        return number("SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND state LIKE 'idle in transaction%'");
    }

    private int number(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** A write that was let through must be there before somebody else can begin. */
    @Test
    void leasesNothingToOthersWhileAWriteIsBeingCommitted() throws Exception {
        String lease = Leases.story("042");
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean stop = new AtomicBoolean();
        DataSource slow = with(dataSource, "commit", (connection, real) -> {
            if (stop.get()) {
                reached.countDown();
                goOn.await();
            }
            return real.call();
        });
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Store slowStore = Store.open(new PostgresDatabase(slow, null, Duration.ofMinutes(2)), NONE);
                Store other = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(slowStore);
            assertThat(slowStore.leases().acquire(List.of(lease), "s1", Duration.ofMillis(1)))
                    .isPresent();
            stop.set(true);
            var writing = threads.submit(() -> slowStore.saveStory(Samples.story("042", 1, CoderState.SETUP)));
            try {
                reached.await();
                for (int i = 0; i < 50; i++) {
                    assertThat(other.leases().acquire(List.of(lease), "s2", Duration.ofHours(1)))
                            .isEmpty();
                }
            } finally {
                goOn.countDown();
            }
            writing.get();

            Acquiring.poll(other.leases(), lease, "s2", Duration.ofHours(1));
            assertThat(other.story("042").orElseThrow().state()).isEqualTo(CoderState.SETUP);
        } finally {
            threads.shutdownNow();
        }
    }

    /** As with a process that is stopped, or a machine that is cut off, in the middle of a transaction. */
    @Test
    void letsOthersTakeOverFromAProcessThatStandsStill() throws Exception {
        String lease = Leases.story("042");
        AtomicReference<CountDownLatch> standstill = new AtomicReference<>(new CountDownLatch(0));
        DataSource slow = with(dataSource, "commit", (connection, real) -> {
            standstill.get().await();
            return real.call();
        });
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Store stopped = Store.open(new PostgresDatabase(slow, null, Duration.ofSeconds(1)), NONE);
                Store other = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(stopped);
            assertThat(stopped.leases().acquire(List.of(lease), "s1", Duration.ofMillis(1)))
                    .isPresent();
            standstill.set(new CountDownLatch(1));
            var writing = threads.submit(() -> stopped.saveStory(Samples.story("042", 1, CoderState.SETUP)));

            try {
                Acquiring.poll(other.leases(), lease, "s2", Duration.ofHours(1));
            } finally {
                standstill.get().countDown();
            }

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(writing::get)
                    .withCauseInstanceOf(StoreException.class);
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> stopped.saveStory(Samples.story("042", 1, CoderState.CODING)));
        } finally {
            threads.shutdownNow();
        }
    }

    /** Both write all the time, and neither waits until the other has nothing more to write. */
    @Test
    void letsTwoStoresWriteAtTheSameTime() throws Exception {
        try (Store store = Store.postgres(dataSource, null, NONE);
                Store other = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(store);
            AtomicInteger mine = new AtomicInteger();
            AtomicInteger theirs = new AtomicInteger();
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 16; thread++) {
                boolean first = thread % 2 == 0;
                tasks.add(() -> {
                    // Until both have written enough.
                    while ((mine.get() < 500 || theirs.get() < 500)
                            && !Thread.currentThread().isInterrupted()) {
                        (first ? store : other).recordMessage(Samples.message("042", first ? "[1]" : "[2]"));
                        (first ? store : other).post(Samples.post("x"));
                        (first ? mine : theirs).incrementAndGet();
                    }
                    return null;
                });
            }

            Parallel.run(tasks);

            assertThat(store.messages("042")).hasSize(mine.get() + theirs.get());
        }
    }

    /** Two transactions that wait for each other: the server ends one of them, which is then repeated row by row. */
    @Test
    void survivesADeadlock() throws Exception {
        try (Store store = Store.postgres(dataSource, null, NONE);
                Store other = Store.postgres(dataSource, null, NONE)) {
            Samples.begin(store);
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 16; thread++) {
                Store mine = thread % 2 == 0 ? store : other;
                int number = thread;
                tasks.add(() -> {
                    for (int i = 0; i < 50; i++) {
                        String id = "x" + (number % 4 < 2 ? i : 49 - i) % 5;
                        mine.saveStory(Samples.story(id, 1, CoderState.CODING));
                        mine.post(Samples.post("x"));
                    }
                    return null;
                });
            }

            Parallel.run(tasks);

            assertThat(store.chat(0, 10_000)).hasSize(800);
        }
    }
}
