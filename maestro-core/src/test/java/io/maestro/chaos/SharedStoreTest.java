package io.maestro.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.TestRepository;
import io.maestro.agent.CoderState;
import io.maestro.audit.AuditLog;
import io.maestro.audit.PostgresServer;
import io.maestro.audit.Store;
import io.maestro.audit.Stores;
import io.maestro.testing.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes with one PostgreSQL: one is killed, and the other finishes the work of both. */
class SharedStoreTest {
    private static final long LIMIT_SECONDS = 180;

    @TempDir
    Path directory;

    @Test
    void tenStoriesAreMergedOnceAlthoughOneOfTwoProcessesIsKilled() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        String database = PostgresServer.newDatabaseUrl();
        Process first = start(database, "one", repository);
        Process second = start(database, "two", repository);
        try (Store store = Stores.jdbc(PostgresServer.connectTo(database), text -> text)) {
            await(() -> mergedBy(store, "one") >= 1 && mergedBy(store, "two") >= 1 && working(store, "one"), first);
            first.destroyForcibly().waitFor();

            assertThat(second.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("the second process has ended; it said:\n%s", log("two"))
                    .isTrue();

            assertThat(second.exitValue()).as(log("two")).isZero();
            assertThat(log("two").lines().filter(line -> line.startsWith("result ")))
                    .hasSize(SharedWork.STORIES)
                    .allMatch(line -> line.contains(" MERGED "));
            assertThat(store.stories()).extracting(Store.StoryRecord::state).containsOnly(CoderState.DONE);
            assertThat(store.leases().acquire(List.of("story/s0"), session(store, "two"), Duration.ofSeconds(1)))
                    .as("no lease is left")
                    .isPresent();
        } finally {
            first.destroyForcibly().waitFor();
            second.destroyForcibly().waitFor();
        }
        for (int i = 0; i < SharedWork.STORIES; i++) {
            String story = "s" + i;
            assertThat(repository.show("main", story + ".txt")).isEqualTo("good");
            assertThat(repository.git(
                            "rev-list",
                            "--count",
                            "--first-parent",
                            "--merges",
                            "--grep=^Maestro-Story: " + story + "$",
                            "main"))
                    .as("merges of " + story)
                    .isEqualTo("1");
        }
        assertThat(repository.git("rev-list", "--count", "--first-parent", "--merges", "main"))
                .isEqualTo(String.valueOf(SharedWork.STORIES));
        try (Stream<Path> left = Files.list(directory.resolve("two"))) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith("coder-")))
                    .allSatisfy(workspace -> assertThat(workspace).isEmptyDirectory());
        }
    }

    private Process start(String database, String name, TestRepository repository) throws Exception {
        return ChildJvm.of(SharedWork.class, database, directory.resolve(name).toString(), repository.url())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
    }

    private String log(String name) throws Exception {
        return Files.readString(directory.resolve(name + ".log"));
    }

    /** How many stories that process has finished: its sessions are known by their process ids. */
    private static long mergedBy(Store store, String name) {
        return count(store, name, true);
    }

    private static boolean working(Store store, String name) {
        return count(store, name, false) > 0;
    }

    private static long count(Store store, String name, boolean done) {
        String session = session(store, name);
        return store.stories().stream()
                .filter(story -> story.sessionId().equals(session)
                        && story.branch() != null
                        && (story.state() == CoderState.DONE) == done)
                .count();
    }

    private static String session(Store store, String name) {
        List<AuditLog.Session> sessions = store.sessions();
        int index = name.equals("one") ? 0 : 1;
        return index < sessions.size() ? sessions.get(index).id() : "";
    }

    private void await(BooleanSupplier condition, Process process) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("waited too long; it said:\n%s", log("one"))
                    .isLessThan(deadline);
            assertThat(process.isAlive()).as(log("one")).isTrue();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
