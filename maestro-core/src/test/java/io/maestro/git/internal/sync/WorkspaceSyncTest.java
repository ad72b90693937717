package io.maestro.git.internal.sync;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.GitException;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.internal.RawName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.BundleWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The side of this machine; the other one is made up here, and not always honest. */
class WorkspaceSyncTest {
    private static final long LIMIT = 10 << 20;

    @TempDir
    Path temporary;

    private final InMemoryRepository there = new InMemoryRepository(new DfsRepositoryDescription("there"));
    private Path directory;
    private Path outside;
    private WorkspaceSync sync;
    private String last = "";

    @BeforeEach
    void copyToTheEmptySide() throws Exception {
        directory = Files.createDirectories(temporary.resolve("project/coder-001"));
        outside = Files.createDirectories(temporary.resolve("outside"));
        Files.createDirectories(directory.resolve("d"));
        Files.writeString(directory.resolve("d/file"), "old");
        Files.writeString(directory.resolve("keep"), "kept");
        sync = new WorkspaceSync(directory, temporary.resolve("project/.maestro/sync"));
        Carried carried = send();
        assertThat(carried.files).containsOnly(Map.entry("d/file", "old"), Map.entry("keep", "kept"));
    }

    @AfterEach
    void nothingIsLeft() {
        sync.close();
        there.close();
        assertThat(temporary.resolve("project/.maestro")).isEmptyDirectory();
    }

    /** What a sink was given. */
    private static final class Carried implements FileSink {
        private final Map<String, String> files = new TreeMap<>();
        private final List<String> directories = new ArrayList<>();

        @Override
        public void directory(String path, int mode, FileTime modified) {
            directories.add(path);
        }

        @Override
        public void link(String path, String target, FileTime modified) {
            files.put(path, "-> " + target);
        }

        @Override
        public OutputStream file(String path, int mode, FileTime modified, long size) {
            return new ByteArrayOutputStream() {
                @Override
                public void close() {
                    files.put(path, toString(StandardCharsets.UTF_8));
                }
            };
        }
    }

    private Carried send() throws IOException {
        Carried carried = new Carried();
        SentFiles sent = sync.send(sync.changes(), carried);
        sync.confirm(sent, null);
        return carried;
    }

    private ObjectId blob(String content) throws IOException {
        try (ObjectInserter inserter = there.newObjectInserter()) {
            ObjectId id = inserter.insert(Constants.OBJ_BLOB, content.getBytes(StandardCharsets.UTF_8));
            inserter.flush();
            return id;
        }
    }

    /** A tree of entries as they are, each a mode, a raw name and an id; nothing is checked. */
    private ObjectId tree(Object... entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < entries.length; i += 3) {
            bytes.write(RawName.bytes(entries[i] + " " + entries[i + 1] + "\0"));
            ((ObjectId) entries[i + 2]).copyRawTo(bytes);
        }
        try (ObjectInserter inserter = there.newObjectInserter()) {
            ObjectId id = inserter.insert(Constants.OBJ_TREE, bytes.toByteArray());
            inserter.flush();
            return id;
        }
    }

    private ObjectId commit(ObjectId tree, ObjectId... parents) throws IOException {
        CommitBuilder builder = new CommitBuilder();
        builder.setTreeId(tree);
        builder.setParentIds(parents);
        builder.setAuthor(new PersonIdent("a", "a@b"));
        builder.setCommitter(builder.getAuthor());
        builder.setMessage("sync");
        try (ObjectInserter inserter = there.newObjectInserter()) {
            ObjectId id = inserter.insert(builder);
            inserter.flush();
            return id;
        }
    }

    private byte[] bundle(ObjectId commit, ObjectId... assumed) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BundleWriter writer = new BundleWriter(there);
        writer.include("refs/maestro/sync", commit);
        try (RevWalk walk = new RevWalk(there)) {
            for (ObjectId one : assumed) {
                writer.assume(walk.parseCommit(one));
            }
            writer.writeBundle(NullProgressMonitor.INSTANCE, out);
        }
        return out.toByteArray();
    }

    private void receive(byte[] bundle, ObjectId commit, ObjectId tree) throws IOException {
        sync.receive(new ByteArrayInputStream(bundle), commit.name(), tree.name(), LIMIT);
        last = commit.name();
    }

    private void receive(ObjectId tree) throws IOException {
        ObjectId commit = last.isEmpty() ? commit(tree) : commit(tree, ObjectId.fromString(last));
        receive(last.isEmpty() ? bundle(commit) : bundle(commit, ObjectId.fromString(last)), commit, tree);
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.filter(one -> !Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS))
                    .toList()) {
                found.put(
                        directory.relativize(path).toString(),
                        Files.isSymbolicLink(path) ? "-> " + Files.readSymbolicLink(path) : Files.readString(path));
            }
        }
        return found;
    }

    @Test
    void whatComesBackIsWritten() throws Exception {
        ObjectId one = tree("100755", "run", blob("#!"), "120000", "to", blob("../outside"));
        receive(one);
        assertThat(files()).containsOnly(Map.entry("run", "#!"), Map.entry("to", "-> ../outside"));
        assertThat(directory.resolve("run").toFile().canExecute()).isTrue();
        assertThat(sync.changes().isEmpty()).isTrue();

        receive(tree("100644", "new", blob("n"), "100644", "run", blob("#!")));
        assertThat(files()).containsOnly(Map.entry("new", "n"), Map.entry("run", "#!"));
        assertThat(directory.resolve("run").toFile().canExecute()).isFalse();
        assertThat(sync.changes().isEmpty()).isTrue();
    }

    @Test
    void onlyWhatChangedIsSent() throws Exception {
        assertThat(sync.changes().isEmpty()).isTrue();
        Files.writeString(directory.resolve("d/file"), "new");
        Files.delete(directory.resolve("keep"));
        Files.createSymbolicLink(directory.resolve("link"), outside);
        Files.createDirectories(directory.resolve(".git/hooks"));
        Files.writeString(directory.resolve(".git/hooks/pre-push"), "evil");

        LocalChanges changes = sync.changes();
        assertThat(changes.deleted()).containsExactly("keep");
        assertThat(changes.tracked()).containsExactly("d/file", "link");
        Carried carried = send();
        assertThat(carried.files).containsOnly(Map.entry("d/file", "new"), Map.entry("link", "-> " + outside));
        assertThat(carried.directories).containsExactly("d");
        assertThat(sync.changes().isEmpty()).isTrue();
    }

    @Test
    void aDirectoryThatBecameAFileMakesRoomThere() throws Exception {
        Files.delete(directory.resolve("d/file"));
        Files.delete(directory.resolve("d"));
        Files.writeString(directory.resolve("d"), "now a file");

        assertThat(sync.changes().deleted()).containsExactly("d/file", "d/");
    }

    @Test
    void hostileTreesAreRefused() throws Exception {
        ObjectId evil = blob("evil");
        ObjectId inner = tree("100755", "pre-push", evil);
        ObjectId link = blob(outside.toString());
        List<ObjectId> trees = List.of(
                tree("40000", ".git", inner),
                tree("100644", ".git", evil),
                tree("40000", ".GIT", inner),
                tree("40000", "git~1", inner),
                tree("40000", "..", inner),
                tree("40000", ".", inner),
                tree("100644", "../outside/file", evil),
                tree("100644", "/etc/evil", evil),
                tree("100644", "", evil),
                // The same name as a link and as a directory to write into.
                tree("120000", "d", link, "40000", "d", inner),
                tree("100644", "z", evil, "100644", "a", evil),
                tree("40000", "up", tree("40000", "..", inner)));

        for (ObjectId tree : trees) {
            ObjectId commit = commit(tree);
            assertThatThrownBy(() -> receive(bundle(commit), commit, tree))
                    .as(tree.name())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("refused");
            assertUntouched();
        }
    }

    private void assertUntouched() throws IOException {
        assertThat(files()).containsOnly(Map.entry("d/file", "old"), Map.entry("keep", "kept"));
        assertThat(outside).isEmptyDirectory();
        assertThat(sync.commit()).isEqualTo(last);
        assertThat(sync.changes().isEmpty()).isTrue();
    }

    @Test
    void whatIsNoWholeBundleIsRefused() throws Exception {
        ObjectId tree = tree("100644", "new", blob("n".repeat(1000)));
        ObjectId commit = commit(tree);
        ObjectId other = commit(tree("100644", "other", blob("o")));
        ObjectId child = commit(tree, other);
        byte[] whole = bundle(commit);
        byte[] flipped = whole.clone();
        flipped[flipped.length - 30] ^= 1;

        List<byte[]> bundles = new ArrayList<>(List.of(
                new byte[0],
                "# v2 git bundle".getBytes(StandardCharsets.US_ASCII),
                ("# v2 git bundle\n" + "x".repeat(100_000)).getBytes(StandardCharsets.US_ASCII),
                "fatal: no\n\n".getBytes(StandardCharsets.US_ASCII),
                bundle(other),
                flipped));
        for (int length : List.of(20, 80, 120, whole.length - 1)) {
            bundles.add(Arrays.copyOf(whole, length));
        }
        for (byte[] bytes : bundles) {
            assertThatThrownBy(() -> receive(bytes, commit, tree))
                    .isInstanceOfAny(GitException.class, IOException.class);
            assertUntouched();
        }
        assertThatThrownBy(() -> receive(bundle(child, other), child, tree))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("not here");
        assertThatThrownBy(() -> receive(whole, commit, other))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("has the tree");
        assertUntouched();
        receive(whole, commit, tree);
        assertThat(files()).containsOnlyKeys("new");
    }

    @Test
    void aMissingFileIsFoundBeforeAnythingIsWritten() throws Exception {
        receive(tree("100644", "keep", blob("kept")));
        ObjectId nowhere = ObjectId.fromString("1".repeat(40));
        ObjectId tree = tree("100644", "a", blob("new"), "100644", "keep", nowhere);
        ObjectId known = ObjectId.fromString(last);
        // The parent has the object, so it is not in the pack; here it never was.
        ObjectId parent = commit(tree, known);
        assertThat(parent).isNotNull();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(("# v2 git bundle\n-" + last + "\n" + parent.name() + " refs/maestro/sync\n\n")
                .getBytes(StandardCharsets.US_ASCII));
        try (var writer = new org.eclipse.jgit.internal.storage.pack.PackWriter(there)) {
            writer.setUseBitmaps(false);
            writer.preparePack(Stream.of(parent, tree, blob("new"))
                    .map(id -> {
                        try (RevWalk walk = new RevWalk(there)) {
                            return walk.parseAny(id);
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    })
                    .map(org.eclipse.jgit.revwalk.RevObject.class::cast)
                    .iterator());
            writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, out);
        }
        assertThatThrownBy(() ->
                        sync.receive(new ByteArrayInputStream(out.toByteArray()), parent.name(), tree.name(), LIMIT))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("keep is missing");
        assertThat(files()).containsOnlyKeys("keep");
    }

    @Test
    void moreThanTheLimitIsRefused() throws Exception {
        ObjectId tree = tree("100644", "new", blob("n".repeat(100_000)));
        ObjectId commit = commit(tree);
        byte[] bundle = bundle(commit);

        for (long limit : List.of(100L, 5_000L)) {
            assertThatThrownBy(() -> sync.receive(new ByteArrayInputStream(bundle), commit.name(), tree.name(), limit))
                    .isInstanceOfAny(GitException.class, IOException.class)
                    .hasMessageMatching("(?s).*(\\.gitignore|more than 100 bytes).*");
            assertUntouched();
        }
    }

    @Test
    void aLinkInTheWayIsNotWrittenThrough() throws Exception {
        Files.delete(directory.resolve("d/file"));
        Files.delete(directory.resolve("d"));
        Files.createSymbolicLink(directory.resolve("d"), outside);
        ObjectId tree = tree("40000", "d", tree("100644", "file", blob("evil"), "100644", "new", blob("evil")));
        ObjectId commit = commit(tree);

        assertThatThrownBy(() -> receive(bundle(commit), commit, tree))
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageStartingWith("the container has d/file, but 'd' is in the way");
        assertThat(outside).isEmptyDirectory();
        assertThat(Files.isSymbolicLink(directory.resolve("d"))).isTrue();
    }

    @Test
    void aRepositoryInsideIsMarked() throws Exception {
        ObjectId some = ObjectId.fromString("1".repeat(40));
        receive(tree("100644", "keep", blob("kept"), "160000", "nested", some));
        assertThat(files()).containsOnly(Map.entry("keep", "kept"), Map.entry("nested/.git", ""));
        assertThat(sync.changes().isEmpty()).isTrue();

        receive(tree("100644", "keep", blob("kept"), "40000", "nested", tree("100644", "file", blob("f"))));
        assertThat(files()).containsOnly(Map.entry("keep", "kept"), Map.entry("nested/file", "f"));
    }
}
