package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Some hundred small stories on one mirror: neither its size nor the time for a story may grow beyond what is merged. */
@Full("some hundred stories take minutes; MirrorUpkeepTest has the rules")
class MirrorGrowthTest {
    private static final int STORIES = Integer.getInteger("maestro.stories", 300);
    private static final int BATCH = 50;

    @TempDir
    Path directory;

    @Test
    void theMirrorStaysSmallAndAStoryAsFastAsTheFirst() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        for (int i = 0; i < 300; i++) {
            write(people.clone, "d" + i % 20 + "/f" + i + ".txt", "line\n".repeat(i) + i);
        }
        people.commitAll("Files");
        GitRepository repository = new GitRepository(directory.resolve("work"), people.bare.toString());
        long[] millis = new long[STORIES];
        Random random = new Random(1);
        for (int i = 0; i < STORIES; i++) {
            long start = System.nanoTime();
            story(repository, "s" + i, random);
            millis[i] = (System.nanoTime() - start) / 1_000_000;
            if (i % BATCH == BATCH - 1) {
                System.out.printf(
                        Locale.ROOT,
                        "stories %d to %d: %d ms each (median), mirror %d KB, lives %d KB%n",
                        i - BATCH + 1,
                        i,
                        median(millis, i - BATCH + 1),
                        size(repository.mirror()) >> 10,
                        living(people.bare) >> 10);
            }
        }
        assertThat(size(repository.mirror())).isLessThanOrEqualTo(2 * living(people.bare));
        assertThat(median(millis, STORIES - BATCH)).isLessThanOrEqualTo(median(millis, BATCH) * 6 / 5);
        git(repository.mirror(), "fsck", "--strict");
    }

    private static void story(GitRepository repository, String id, Random random) throws IOException {
        Workspace workspace = repository.checkout("coder-001", id, 1, repository.refresh(null));
        for (int i = 0; i < 3; i++) {
            write(workspace.directory(), "build/" + id + "-" + i, Long.toHexString(random.nextLong()));
            write(workspace.directory(), "d" + random.nextInt(20) + "/" + id + ".txt", id + i);
            workspace.diff(workspace.snapshot(), null, 100);
        }
        workspace.integrate();
        String commit = workspace.commit(workspace.snapshot(), "Story " + id, "");
        workspace.push();
        Forge.Outcome outcome = new LocalForge()
                .merge(new Forge.Proposal(
                        id,
                        1,
                        "T",
                        "",
                        repository.mirror(),
                        repository.url(),
                        workspace.branch(),
                        commit,
                        workspace.baseCommit(),
                        "main",
                        List.of()));
        assertThat(outcome).isInstanceOf(Forge.Outcome.Merged.class);
        repository.emptyWorkspace("coder-001");
        repository.forget(id, 1);
    }

    private static long median(long[] millis, int from) {
        long[] batch = Arrays.copyOfRange(millis, from, from + BATCH);
        Arrays.sort(batch);
        return batch[BATCH / 2];
    }

    /** What a fresh and packed copy of the repository takes. */
    private long living(Path bare) throws IOException {
        Path copy = directory.resolve("copy.git");
        SafeDirectory.deleteTree(copy);
        git(directory, "clone", "-q", "--mirror", "file://" + bare, copy.toString());
        git(copy, "repack", "-adq");
        git(copy, "pack-refs", "--all");
        return size(copy);
    }

    /** In blocks, as a disk has it. */
    private static long size(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.mapToLong(file -> (file.toFile().length() + 4095) / 4096 * 4096)
                    .sum();
        }
    }
}
