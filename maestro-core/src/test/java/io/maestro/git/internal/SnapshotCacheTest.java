package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.rules.PathRules;
import io.maestro.internal.Effort;
import io.maestro.testing.Campaign;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot reads what was changed, and misses no change, whatever an agent does to hide it. */
class SnapshotCacheTest {
    @TempDir
    Path directory;

    private TestRepository people;
    private GitRepository repository;
    private Workspace workspace;
    private Path root;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        people.commit("Files", Map.of("dir/a.txt", "aaaa\n", "dir/b.txt", "b\r\n", "c.bin", "cccc\n"));
        repository = new GitRepository(directory.resolve("work"), people.bare.toString());
        workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        root = workspace.directory();
        assumeTrue(Files.getFileStore(root).supportsFileAttributeView("unix")
                || Files.getFileStore(root).supportsFileAttributeView("posix"));
    }

    private Object changed(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ctime");
    }

    /** A file that is as old as the clock of the file system is read again next time. */
    private void letTheClockGoOn() throws IOException {
        Path probe = directory.resolve("probe");
        Files.writeString(probe, "");
        Object before = changed(probe);
        while (before.equals(changed(probe))) {
            Files.delete(probe);
            Files.writeString(probe, "");
        }
    }

    private Workspace.Snapshot settled() throws IOException {
        letTheClockGoOn();
        workspace.snapshot();
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.filesRead()).isZero();
        return snapshot;
    }

    private String content(Workspace.Snapshot snapshot, String path) throws IOException {
        return git(repository.mirror(), "cat-file", "-p", workspace.commit(snapshot, "S", "") + ":" + path);
    }

    @Test
    void onlyWhatWasChangedIsRead() throws IOException {
        settled();
        write(root, "dir/a.txt", "changed\n");
        write(root, "new.txt", "new\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.filesRead()).isEqualTo(2);
        assertThat(content(snapshot, "dir/a.txt")).isEqualTo("changed\n");
        root.resolve("c.bin").toFile().setExecutable(true);
        Files.delete(root.resolve("new.txt"));
        assertThat(git(repository.mirror(), "ls-tree", workspace.commit(workspace.snapshot(), "S", "")))
                .contains("100755 blob")
                .doesNotContain("new.txt");
        assertThat(directory.resolve("work/.maestro/git")).isDirectoryNotContaining("glob:**.time");
    }

    @Test
    void aChangeOfTheSameSizeWhoseTimeWasSetBackIsFound() throws IOException {
        settled();
        for (String how : List.of("in place", "another file", "moved away and back")) {
            Path file = root.resolve("dir/a.txt");
            FileTime time = Files.getLastModifiedTime(file);
            if (how.equals("in place")) {
                Files.writeString(file, "evil\n");
            } else {
                Path other = Files.writeString(root.resolve("dir/other"), how.substring(0, 4) + "\n");
                Files.setLastModifiedTime(other, time);
                Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.setLastModifiedTime(file, time);
            String content = Files.readString(file);
            assertThat(content).hasSize(5);
            assertThat(content(workspace.snapshot(), "dir/a.txt")).as(how).isEqualTo(content);
            settled();
        }
    }

    /** As git calls it, a racily clean file: it could be changed again in the tick in which it was read. */
    @Test
    void aFileThatIsAsNewAsTheClockOfTheFileSystemIsNotRemembered() throws IOException {
        letTheClockGoOn();
        BlobCache cache = new BlobCache(directory.resolve("clock"));
        cache.begin();
        write(root, "dir/new.txt", "new\n");
        try (SafeDirectory dir = SafeDirectory.open(root.resolve("dir"))) {
            for (SafeDirectory.DirectoryEntry entry : dir.list()) {
                boolean old = cache.key(dir, entry, null, PathRules.none(new Effort("testing", 1_000))) != null;
                assertThat(old).as(entry.name()).isEqualTo(!entry.name().equals("new.txt"));
            }
        }
    }

    @Test
    void aFileIsReadAgainWhenItsAttributesOrItsBaseAreOthers() throws IOException {
        write(root, "new.txt", "n\r\n");
        assertThat(content(settled(), "new.txt")).isEqualTo("n\r\n");
        write(root, ".gitattributes", "*.txt text\n");
        assertThat(content(workspace.snapshot(), "new.txt")).isEqualTo("n\n");
        settled();
        people.commit("Attributes", Map.of("new.txt", "n\r\n", "other", "o\n"));
        workspace.integrate();
        write(root, "new.txt", "resolved\r\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(content(snapshot, "other")).isEqualTo("o\n");
        assertThat(snapshot.tree()).isEqualTo(fresh());
    }

    /** Another one for the same directory, which remembers nothing. */
    private String fresh() {
        return repository
                .reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main")
                .snapshot()
                .tree();
    }

    @Test
    void anObjectThatIsLostIsMadeAgain() throws IOException {
        write(root, "new.txt", "new\n");
        settled();
        SafeDirectory.empty(directory.resolve("work/.maestro/snapshots/coder-001"));
        assertThat(content(workspace.snapshot(), "new.txt")).isEqualTo("new\n");
    }

    /** The system notes such a write when it likes. */
    @Test
    void aReviewSeesWhatWasWrittenThroughMappedMemory() throws IOException {
        Path file = root.resolve("c.bin");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            MappedByteBuffer memory = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 5);
            memory.put(0, (byte) 'x');
            settled();
            memory.put(0, (byte) 'y');
            assertThat(content(workspace.snapshotForReview(), "c.bin")).isEqualTo("yccc\n");
            assertThat(workspace.filesRead()).isGreaterThan(3);
        }
    }

    @Test
    void afterAnyChangesItIsWhatAFreshOneIs() throws IOException {
        long seed = Campaign.seed("snapshot cache");
        Random random = new Random(seed);
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            files.add(root.resolve("d" + random.nextInt(4) + "/f" + i));
        }
        for (int round = 0; round < 40; round++) {
            for (int change = random.nextInt(6); change > 0; change--) {
                Path file = files.get(random.nextInt(files.size()));
                Path other = files.get(random.nextInt(files.size()));
                Files.createDirectories(file.getParent());
                FileTime time = Files.exists(file) ? Files.getLastModifiedTime(file) : FileTime.fromMillis(0);
                switch (random.nextInt(6)) {
                    case 0 -> Files.deleteIfExists(file);
                    case 1 -> {
                        if (Files.exists(other)) {
                            Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                    case 2 -> {
                        if (Files.exists(other) && !Files.exists(file)) {
                            Files.createLink(file, other);
                        }
                    }
                    case 3 -> write(root, ".gitattributes", random.nextBoolean() ? "* text\n" : "f1* text\n");
                    default -> {
                        Files.writeString(file, random.nextInt(10) + "\r\n");
                        Files.setLastModifiedTime(file, time);
                    }
                }
            }
            assertThat(workspace.snapshot().tree())
                    .as("seed %s, round %s", seed, round)
                    .isEqualTo(fresh());
        }
    }
}
