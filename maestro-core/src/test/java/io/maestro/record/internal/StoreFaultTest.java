package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.maestro.Tmpfs;
import io.maestro.internal.Uninterrupted;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import io.maestro.secrets.Redactor;
import io.maestro.testing.Await;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StoreFaultTest {
    private static final Redactor NONE = text -> text;
    private static final Duration SHORT = Duration.ofMillis(200);

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("maestro.db");
    }

    @AfterEach
    void leavesNoThread() {
        Await.until(
                "no thread is left",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("maestro-record-writer")));
    }

    private void refusesToOpen(String... inMessage) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Store.sqlite(file, NONE).close())
                .withMessageContaining(file.toString())
                .satisfies(e -> assertThat(e.getMessage()).contains(inMessage));
    }

    private void sql(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void refusesADirectory() throws Exception {
        Files.createDirectory(file);

        refusesToOpen("it is a directory", "use another project directory");
    }

    @Test
    void refusesAPathThroughAFile() throws Exception {
        Files.writeString(file, "a file");
        file = file.resolve("maestro.db");

        refusesToOpen("its directory could not be made");
    }

    @Test
    void refusesGarbage() throws Exception {
        byte[] garbage = "this is not a database ".repeat(500).getBytes();
        Files.write(file, garbage);

        refusesToOpen("no SQLite database", "move it away");
        assertThat(Files.readAllBytes(file)).as("untouched").isEqualTo(garbage);
    }

    @Test
    void refusesTheDatabaseOfAnotherProgram() throws Exception {
        sql("CREATE TABLE customers (id INTEGER)");

        refusesToOpen("another program");
    }

    @Test
    void saysThatTheFileIsDamaged() throws Exception {
        try (Store store = Store.sqlite(file, NONE)) {
            Samples.begin(store);
            store.recordMessage(Samples.message("042", "x".repeat(100_000)));
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            for (long page = 4096; page < bytes.length(); page += 4096) {
                bytes.seek(page);
                bytes.write(new byte[] {(byte) 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
            }
        }

        refusesToOpen("damaged", "restore a copy");
    }

    @Test
    void saysThatTheDiskIsFullAndGoesOnWithRowsThatFit() {
        Database small = new SqliteDatabase(file, SHORT, List.of("max_page_count = 80"));
        try (Store store = Store.open(small, NONE)) {
            Samples.begin(store);

            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(StoreException.class)
                        .isThrownBy(() -> store.recordMessage(Samples.message("042", "x".repeat(1_000_000))))
                        .withMessageContaining("disk is full")
                        .withMessageContaining(file.toString());
            }

            store.recordMessage(Samples.message("042", "fits"));
            assertThat(store.messages("042")).hasSize(1);
        }
    }

    @Test
    void failsOnlyTheRowsThatDoNotFit() throws Exception {
        Database small = new SqliteDatabase(file, SHORT, List.of("max_page_count = 100"));
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try (Store store = Store.open(small, NONE)) {
            Samples.begin(store);
            var writes = IntStream.range(0, 160)
                    .mapToObj(i -> threads.submit(() -> {
                        String content = i % 2 == 0 ? "fits" : "x".repeat(1_000_000);
                        StoreException failure = catchThrowableOfType(
                                StoreException.class, () -> store.recordMessage(Samples.message("042", content)));
                        assertThat(failure == null).isEqualTo(i % 2 == 0);
                    }))
                    .toList();
            for (var write : writes) {
                write.get();
            }

            assertThat(store.messages("042")).hasSize(80);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void goesOnWhenARealDiskHasSpaceAgain() throws Exception {
        try (Tmpfs disk = Tmpfs.mount(directory, "512k")) {
            file = disk.path().resolve("maestro.db");
            try (Store store = Store.sqlite(file, NONE)) {
                Samples.begin(store);
                Path ballast = disk.fill();

                assertThatExceptionOfType(StoreException.class)
                        .isThrownBy(() -> store.recordMessage(Samples.message("042", "x".repeat(100_000))))
                        .withMessageContaining(file.toString())
                        .withMessageMatching("(?s).*(disk is full|disk failed).*");

                Files.delete(ballast);
                store.recordMessage(Samples.message("042", "x".repeat(10_000)));
                assertThat(store.messages("042")).hasSize(1);
            }
        }
    }

    @Test
    void saysThatARealDiskIsTooSmallToOpen() throws Exception {
        try (Tmpfs disk = Tmpfs.mount(directory, "64k")) {
            file = disk.path().resolve("maestro.db");

            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> Store.sqlite(file, NONE))
                    .withMessageContaining(file.toString())
                    .withMessageMatching("(?s).*(disk is full|disk failed).*");
        }
    }

    @Test
    void saysThatTheFileIsReadOnly() throws Exception {
        try (Tmpfs disk = Tmpfs.mount(directory, "1m")) {
            file = disk.path().resolve("maestro.db");
            Store.sqlite(file, NONE).close();
            disk.readOnly();

            refusesToOpen("permissions");
            file = disk.path().resolve("another.db");
            refusesToOpen("permissions");
        }
    }

    /** As git clean does in a working copy: what is written then would be gone with the process. */
    @ParameterizedTest
    @ValueSource(strings = {"file deleted", "file replaced", "log deleted"})
    void writesNothingToAFileThatIsNotThereAnyMore(String what) throws Exception {
        Path log = Path.of(file + "-wal");
        try (Store store = Store.sqlite(file, NONE)) {
            Samples.begin(store);
            Files.delete(what.startsWith("file") ? file : log);
            if (what.endsWith("replaced")) {
                Files.createFile(file);
            }

            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(StoreException.class)
                        .isThrownBy(() -> store.recordMessage(Samples.message("042", "[]")))
                        .withMessageContaining(file + " or its -wal was deleted or replaced")
                        .withMessageContaining("put the files back");
            }
        }
    }

    /** Two are asked to stop; each interrupt would begin a wait anew that counts from its own start. */
    @Test
    void isClosedInTimeHoweverOftenTheThreadIsInterrupted() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Database database = new SqliteDatabase(file);
        Statements statements = database.connect();
        database.prepare(statements);
        GroupCommit writer = new GroupCommit(database, statements, Duration.ofMillis(300), Duration.ZERO);
        Thread closing = new Thread(() -> {
            catchThrowable(() -> writer.write(
                    "a row",
                    rows -> Uninterrupted.until(Long.MAX_VALUE, nanos -> {
                        goOn.await();
                        return true;
                    })));
            writer.close();
        });
        closing.start();
        try {
            while (closing.isAlive()) {
                closing.interrupt();
                closing.join(10);
            }
        } finally {
            goOn.countDown();
            writer.close();
        }
    }

    @Test
    void triesAReadAgainWhileTheFileIsLocked() {
        Database database = new SqliteDatabase(file);
        try (ReadConnection reader = new ReadConnection(database, Duration.ofSeconds(30), true)) {
            AtomicInteger locked = new AtomicInteger(3);

            assertThat(reader.read(rows -> {
                        if (locked.getAndDecrement() > 0) {
                            throw new SQLException("[SQLITE_BUSY] The database file is locked", null, 5);
                        }
                        return List.of("read");
                    }))
                    .containsExactly("read");
        }
    }

    @Test
    void givesUpWhenAnotherProcessKeepsTheLock() throws Exception {
        try (Store store = Store.open(new SqliteDatabase(file, SHORT, List.of()), NONE)) {
            Samples.begin(store);
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");

                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> store.recordMessage(Samples.message("042", "[]")))
                        .withMessageContaining("another process has locked it")
                        .withMessageContaining("200 ms");
                assertThat(store.story("042")).as("reading goes on").isPresent();

                statement.execute("ROLLBACK");
            }
            store.recordMessage(Samples.message("042", "[]"));
            assertThat(store.messages("042")).hasSize(1);
        }
    }

    @RepeatedTest(5)
    void canBeOpenedForTheFirstTimeByManyAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            var opened = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> {
                        try (Store store = Store.sqlite(file, NONE)) {
                            store.beginSession(Samples.session("s" + i));
                        }
                    }))
                    .toList();
            for (var done : opened) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
