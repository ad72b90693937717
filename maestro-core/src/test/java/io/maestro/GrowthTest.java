package io.maestro;

import static io.maestro.chaos.RolePlay.call;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.chaos.RolePlay;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many small stories in one Maestro: what it keeps on the disk may not grow beyond what lives in it, nor its threads, file
 * handles and heap at all. How long the stories take is printed only. {@code -Dmaestro.stories=1000} for more of them.
 */
@Full("some hundred stories take minutes; MirrorUpkeepTest and PruneContractTest have the rules")
@EnabledOnOs(OS.LINUX)
class GrowthTest {
    private static final int STORIES = Integer.getInteger("maestro.stories", 60);
    private static final int BATCH = 10;
    private static final int THIRTY = 30;
    private static final long MEGABYTE = 1 << 20;

    @TempDir
    Path directory;

    /** What a Maestro holds at a moment. */
    private record Held(List<String> threads, int handles, long heap) {}

    @Test
    void manyStoriesLeaveNoMoreThanTheyHaveMerged() throws Exception {
        TestRepository repository = TestRepository.create(directory, files());
        Path project = directory.resolve("project");
        List<Long> batches = new ArrayList<>();
        Held early = new Held(List.of(), 0, 0);
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(project)
                .repository(repository.url())
                .coderModel(new RolePlay("coder", request -> {
                    int number = Integer.parseInt(request.origin().storyId());
                    return List.of(
                            call("write_file", "path", "build/" + number % THIRTY, "content", "by " + number + "\n"),
                            call("write_file", "path", "d" + number % 20 + "/story.txt", "content", "of " + number),
                            call("done", "summary", "wrote two files"));
                }))
                .architect(new Approving())
                .testCommand("true")
                .build()) {
            long start = System.nanoTime();
            for (int i = 1; i <= STORIES; i++) {
                StoryResult result = maestro.run(Story.builder(Integer.toString(i), "Story " + i)
                        .content("do it")
                        .express()
                        .build());
                assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
                if (i % BATCH == 0) {
                    batches.add((System.nanoTime() - start) / 1_000_000);
                    start = System.nanoTime();
                }
                if (i % THIRTY == 0) {
                    Held held = held();
                    early = i == THIRTY ? held : early;
                    compare(i, project, repository, early, held);
                    start = System.nanoTime();
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "ten stories: %d ms among the second thirty, %d ms among the last thirty (medians)%n",
                median(batches.subList(THIRTY / BATCH, 2 * THIRTY / BATCH)),
                median(batches.subList(batches.size() - THIRTY / BATCH, batches.size())));
    }

    private static Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        for (int i = 0; i < 300; i++) {
            files.put("d" + i % 20 + "/f" + i + ".txt", "line\n".repeat(i) + i);
        }
        return files;
    }

    private void compare(int stories, Path project, TestRepository repository, Held early, Held held)
            throws IOException, SQLException {
        long mirror = size(project.resolve(".mirrors"));
        long merged = merged(repository);
        long record = size(project.resolve(".maestro"));
        long rows = rows(project.resolve(".maestro/maestro.db"));
        System.out.printf(
                Locale.ROOT,
                "after %d stories: mirror %d KB, lives %d KB; record %d KB, lives %d KB; %s%n",
                stories,
                mirror >> 10,
                merged >> 10,
                record >> 10,
                rows >> 10,
                held);
        assertThat(mirror).isLessThanOrEqualTo(Math.max(2 * merged, MEGABYTE));
        assertThat(record).isLessThanOrEqualTo(Math.max(2 * rows, 8 * MEGABYTE));
        assertThat(held.threads).hasSizeLessThanOrEqualTo(early.threads.size() + 2);
        assertThat(held.handles).isLessThanOrEqualTo(early.handles + 5);
        assertThat(held.heap).isLessThanOrEqualTo(early.heap + 8 * MEGABYTE);
    }

    private static Held held() throws IOException {
        System.gc();
        try (Stream<Path> handles = Files.list(Path.of("/proc/self/fd"))) {
            return new Held(
                    Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            // One for each child of the moment, by the JVM.
                            .filter(name -> !name.equals("process reaper"))
                            .sorted()
                            .toList(),
                    (int) handles.count(),
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }

    /** What a fresh and packed copy of the repository takes. */
    private long merged(TestRepository repository) throws IOException {
        Path copy = directory.resolve("copy.git");
        SafeDirectory.deleteTree(copy);
        TestRepository.git(directory, "clone", "-q", "--mirror", "file://" + repository.url(), copy.toString());
        TestRepository.git(copy, "repack", "-adq");
        TestRepository.git(copy, "pack-refs", "--all");
        return size(copy);
    }

    /** What the rows of the record take in a fresh file. */
    private long rows(Path database) throws IOException, SQLException {
        Path copy = directory.resolve("copy.db");
        Files.deleteIfExists(copy);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM INTO '" + copy + "'");
        }
        return Files.size(copy);
    }

    /** In blocks, as a disk has it. */
    private static long size(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.mapToLong(file -> (file.toFile().length() + 4095) / 4096 * 4096)
                    .sum();
        }
    }

    private static long median(List<Long> millis) {
        List<Long> sorted = new ArrayList<>(millis);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
