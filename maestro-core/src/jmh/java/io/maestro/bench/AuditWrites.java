package io.maestro.bench;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Ways to write the row of a call so that it is on the disk, in the same tables. {@link AuditBench} runs them. */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.Throughput, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class AuditWrites {
    private final AtomicLong ids = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock inTurn = new ReentrantLock(true);
    private Path directory;
    private Store store;
    private Connection connection;
    private PreparedStatement insert;

    /** Makes a record; the second way writes past it. */
    @Setup
    public void setUp() throws IOException, SQLException {
        directory = Files.createTempDirectory("maestro-bench");
        Path file = directory.resolve("maestro.db");
        store = Store.sqlite(file, text -> text);
        store.beginSession(Samples.session("s1"));
        store.saveStory(Samples.story("042", 1, CoderState.WAITING));
        connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.execute("PRAGMA foreign_keys = ON");
        }
        connection.setAutoCommit(false);
        insert = connection.prepareStatement("""
                INSERT INTO tool_executions (session_id, agent_id, story_id, attempt, state, tool_name, call_id,
                    parameters, result, error, exit_code, duration_ms, timestamp)
                VALUES ('s1', 'coder-001', '042', 1, 'CODING', 'read_file', ?, ?, ?, NULL, NULL, 3, ?)""");
    }

    /** Nothing stays. */
    @TearDown
    public void tearDown() throws IOException, SQLException {
        store.close();
        connection.close();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    /** All that wait are committed together. */
    @Benchmark
    public void maestro() {
        store.recordToolExecution(new AuditLog.ToolExecution(
                "s1",
                "coder-001",
                "042",
                1,
                "CODING",
                "read_file",
                id(),
                null,
                "{\"path\":\"src/App.java\"}",
                "{\"text\":\"class App {}\"}",
                null,
                null,
                3,
                Instant.now()));
    }

    /**
     * A transaction for each row, on one connection that is kept, with a statement that is kept. Who has just written is the
     * first to get the lock again, and others wait for seconds.
     */
    @Benchmark
    public void jdbc() throws SQLException {
        write(lock);
    }

    /** The same, but each caller in its turn. */
    @Benchmark
    public void jdbcInTurn() throws SQLException {
        write(inTurn);
    }

    private void write(ReentrantLock lock) throws SQLException {
        lock.lock();
        try {
            insert.setString(1, id());
            insert.setString(2, "{\"path\":\"src/App.java\"}");
            insert.setString(3, "{\"text\":\"class App {}\"}");
            insert.setLong(4, System.currentTimeMillis());
            insert.executeUpdate();
            connection.commit();
        } finally {
            lock.unlock();
        }
    }

    private String id() {
        return "call-" + ids.incrementAndGet();
    }
}
