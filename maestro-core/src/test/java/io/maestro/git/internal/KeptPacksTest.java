package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workspaces of a large repository: made of packs that are kept, each has what its commit reaches and nothing else. */
class KeptPacksTest {
    @TempDir
    Path directory;

    private TestRepository people;
    private GitRepository repository;
    private Path kept;
    private int story;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        git(people.clone, "config", "core.compression", "0");
        repository = new GitRepository(directory.resolve("work"), people.bare.toString());
        kept = repository.mirror().resolveSibling(repository.mirror().getFileName() + ".packs");
    }

    /** Nobody can compress it. */
    private void addLarge(int seed) throws IOException {
        byte[] large = new byte[(int) KeptPacks.LARGE];
        new Random(seed).nextBytes(large);
        Files.write(people.clone.resolve("large.bin"), large);
        git(people.clone, "add", "large.bin");
        people.commit("large", Map.of("note.txt", "large.bin of " + seed));
    }

    private Path checkout() {
        return repository
                .checkout("coder-001", "s" + ++story, 1, repository.refresh())
                .directory();
    }

    /** Its objects are those that its refs reach, whole, and none of them is a file of somebody else's. */
    private void assertExact(Path workspace) throws IOException {
        assertThat(git(workspace, "fsck", "--full", "--strict", "--no-dangling"))
                .doesNotContain("missing", "error");
        assertThat(objects(workspace, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
                .isEqualTo(objects(workspace, "rev-list", "--objects", "--no-object-names", "--all"));
        try (Stream<Path> packs = Files.list(workspace.resolve(".git/objects/pack"))) {
            for (Path pack : packs.toList()) {
                assertThat(Files.getAttribute(pack, "unix:nlink")).isEqualTo(1);
            }
        }
    }

    private static Set<String> objects(Path workspace, String... command) throws IOException {
        return git(workspace, command).lines().collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> packs(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".pack"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void aSmallRepositoryKeepsNone() {
        checkout();
        assertThat(kept).doesNotExist();
    }

    @Test
    void theNextWorkspaceGetsThemAndWhatIsNew() throws IOException {
        addLarge(1);
        Path workspace = checkout();
        assertExact(workspace);
        assertThat(packs(kept)).hasSize(1).isEqualTo(packs(workspace.resolve(".git/objects/pack")));

        git(people.clone, "tag", "-a", "-m", "one", "v1");
        git(people.clone, "push", "-q", "origin", "v1");
        people.commit("more", Map.of("more.txt", "more"));
        workspace = checkout();
        assertExact(workspace);
        assertThat(workspace.resolve("more.txt")).exists();
        assertThat(git(workspace, "tag").strip()).isEqualTo("v1");
        assertThat(packs(workspace.resolve(".git/objects/pack"))).hasSize(2).containsAll(packs(kept));

        Path unfinished = Files.createDirectory(kept.resolveSibling(kept.getFileName() + "-old"));
        Files.createFile(unfinished.resolve("pack-1.pack"));
        addLarge(2);
        assertExact(checkout());
        assertThat(packs(kept)).hasSize(2);
        assertThat(unfinished).doesNotExist();
        workspace = checkout();
        assertExact(workspace);
        assertThat(packs(workspace.resolve(".git/objects/pack"))).isEqualTo(packs(kept));
    }

    @Test
    void whatWasTakenBackIsInNoWorkspace() throws IOException {
        git(people.clone, "tag", "before");
        addLarge(1);
        git(people.clone, "tag", "-a", "-m", "one", "v1");
        git(people.clone, "push", "-q", "origin", "v1");
        assertExact(checkout());

        git(people.clone, "push", "-q", "origin", ":v1");
        Path workspace = checkout();
        assertExact(workspace);
        assertThat(git(workspace, "tag")).isEmpty();

        String secret = git(people.clone, "rev-parse", "HEAD:large.bin").strip();
        git(people.clone, "reset", "-q", "--hard", "before");
        git(people.clone, "push", "-q", "--force", "origin", "main");
        addLarge(2);
        workspace = checkout();
        assertExact(workspace);
        assertThat(objects(workspace, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
                .doesNotContain(secret);
    }

    /** Who copies finds them replaced at any moment: it gets one of both, whole, or none. */
    @Test
    @Full("a race; theNextWorkspaceGetsThemAndWhatIsNew replaces and copies")
    void theyAreReplacedWhileOthersCopyThem() throws Exception {
        Mirror mirror =
                new Mirror(repository.mirror(), RemoteUrl.parse(people.bare.toString()), new GitCli(GitTimes.DEFAULT));
        KeptPacks packs = new KeptPacks(mirror);
        Map<KeptPacks.Contents, Path> versions = new LinkedHashMap<>();
        for (int i = 1; i <= 2; i++) {
            addLarge(i);
            checkout();
            KeptPacks.Contents contents = new KeptPacks.Contents(
                    git(people.clone, "rev-parse", "HEAD").strip(), Set.of());
            versions.put(contents, Files.createDirectory(directory.resolve("version" + i)));
            assertThat(packs.copyInto(versions.get(contents), contents)).contains(contents);
        }
        AtomicBoolean done = new AtomicBoolean();
        FutureTask<Void> replacing = new FutureTask<>(() -> {
            while (!done.get()) {
                for (Map.Entry<KeptPacks.Contents, Path> version : versions.entrySet()) {
                    packs.keep(version.getValue(), version.getKey(), false);
                }
            }
            return null;
        });
        new Thread(replacing).start();
        try {
            Path mine = Files.createDirectories(directory.resolve("mine"));
            KeptPacks.Contents newest =
                    versions.keySet().stream().skip(1).findFirst().orElseThrow();
            for (int i = 0; i < 30; i++) {
                Optional<KeptPacks.Contents> got = packs.copyInto(mine, newest);
                Set<String> whole = got.isPresent() ? packs(versions.get(got.get())) : Set.of();
                assertThat(packs(mine)).isEqualTo(whole);
                SafeDirectory.empty(mine);
            }
        } finally {
            done.set(true);
            replacing.get();
        }
    }
}
