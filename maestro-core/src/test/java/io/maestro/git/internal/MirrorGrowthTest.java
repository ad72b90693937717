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

/** Many small stories on one mirror: its size may not grow beyond what is merged. The time for a story is printed only. */
@Full("some hundred stories take minutes; MirrorUpkeepTest has the rules")
class MirrorGrowthTest {
    private static final int STORIES = Integer.getInteger("maestro.stories", 150);
    private static final int PAIRS = Integer.getInteger("maestro.pairs", 10);
    private static final int BATCH = 50;

    @TempDir
    Path directory;

    private final Random random = new Random(1);

    /** With three hundred files. */
    private GitRepository project(String name) throws IOException {
        TestRepository people = TestRepository.create(directory.resolve(name).resolve("remote"));
        for (int i = 0; i < 300; i++) {
            write(people.clone, "d" + i % 20 + "/f" + i + ".txt", "line\n".repeat(i) + i);
        }
        people.commitAll("Files");
        return new GitRepository(directory.resolve(name).resolve("work"), people.bare.toString());
    }

    /** At the end an old project and a young one, of the same size, take turns, so that what else the machine does counts for both. */
    @Test
    void theMirrorStaysSmall() throws IOException {
        GitRepository old = project("old");
        for (int i = 1; i <= STORIES; i++) {
            story(old, "s" + i);
            if (i % BATCH == 0) {
                System.out.printf(
                        Locale.ROOT,
                        "after %d stories: mirror %d KB, lives %d KB%n",
                        i,
                        size(old.mirror()) >> 10,
                        living(old) >> 10);
                assertThat(size(old.mirror())).isLessThanOrEqualTo(Math.max(2 * living(old), 1 << 20));
            }
        }
        GitRepository young = project("young");
        for (int i = 0; i < BATCH; i++) {
            story(young, "s" + i);
        }
        long[] ofOld = new long[PAIRS];
        long[] ofYoung = new long[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            if (i % 2 == 0) {
                ofOld[i] = story(old, "o" + i);
            }
            ofYoung[i] = story(young, "y" + i);
            if (i % 2 == 1) {
                ofOld[i] = story(old, "o" + i);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "a story after %d: %d ms, on a young mirror: %d ms (medians)%n",
                STORIES,
                median(ofOld),
                median(ofYoung));
        git(old.mirror(), "fsck", "--strict");
    }

    /** Returns how long it took, in milliseconds. */
    private long story(GitRepository repository, String id) throws IOException {
        long start = System.nanoTime();
        Workspace workspace = repository.checkout("coder-001", id, 1, repository.refresh(null));
        for (int i = 0; i < 3; i++) {
            write(workspace.directory(), "build/" + random.nextInt(50), Long.toHexString(random.nextLong()));
            write(workspace.directory(), "d" + random.nextInt(20) + "/story.txt", id + i);
            workspace.diff(workspace.snapshot(), null, 1, 5_000);
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
        return (System.nanoTime() - start) / 1_000_000;
    }

    private static long median(long[] millis) {
        long[] sorted = millis.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** What a fresh and packed copy of the repository takes. */
    private long living(GitRepository repository) throws IOException {
        Path copy = directory.resolve("copy.git");
        SafeDirectory.deleteTree(copy);
        git(directory, "clone", "-q", "--mirror", "file://" + repository.url(), copy.toString());
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
