package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.internal.RawName;
import io.maestro.testing.Full;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a snapshot has in it: the same as {@code git add --all} makes of the same files, where git is right. */
class SnapshotTest {
    @TempDir
    Path directory;

    private TestRepository people;
    private GitRepository repository;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        repository = new GitRepository(directory.resolve("work"), people.bare.toString());
    }

    private Workspace checkout() {
        return repository.checkout("coder-001", "1", 1, repository.refresh());
    }

    /** The tree that git itself makes, in the workspace's own repository: fine in a test, never in Maestro. */
    private static String gitsTree(Workspace workspace) throws IOException {
        Files.deleteIfExists(workspace.directory().resolve(".git/info/attributes"));
        git(workspace.directory(), "add", "--all");
        return git(workspace.directory(), "write-tree").strip();
    }

    @Test
    void oddNamesModesAndLinksAreTakenAsTheyAre() throws IOException {
        Workspace workspace = checkout();
        Path root = workspace.directory();
        for (String name : List.of(
                "-rf",
                "a\nb",
                "quote\"'",
                "back\\slash",
                "tab\t",
                " blank ",
                "grüße/日本.txt",
                "a.b/x",
                "a-b",
                "a",
                "a0",
                "*",
                ":(top)x",
                "deep/er/and/deeper/x")) {
            if (!name.equals("a")) {
                write(root, name, name + "\n");
            }
        }
        write(root, "a/x", "x");
        write(root, "run", "#!/bin/sh\n");
        root.resolve("run").toFile().setExecutable(true);
        Files.createSymbolicLink(root.resolve("to-dir"), Path.of("deep/er/"));
        Files.createSymbolicLink(root.resolve("nowhere"), RawName.path(RawName.ofText("/no/such/grüße")));
        Files.createSymbolicLink(root.resolve("relative"), RawName.path(RawName.ofText("../../grüße/x")));
        Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        Files.createDirectories(root.resolve("empty/in/empty"));
        new ProcessBuilder(
                        "sh",
                        "-c",
                        "touch \"$(printf 'latin-\\351')\" && ln -s \"$(printf '\\351/t')\" lnk && mkfifo fifo")
                .directory(root.toFile())
                .start()
                .onExit()
                .join();
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(snapshot.tree()).isEqualTo(gitsTree(workspace));
        assertThat(workspace.diff(snapshot, "*", 1, 50_000)).contains("+*").doesNotContain("quote");
        assertThat(workspace.diff(snapshot, "./deep//er/", 1, 50_000)).contains("deep/er/and/deeper/x");
        assertThat(workspace.diff(snapshot, "no/such", 1, 50_000)).isEmpty();
        for (String bad : List.of("../x", "/etc/passwd", "a/../../b", "a\0b")) {
            assertThatThrownBy(() -> workspace.diff(snapshot, bad, 1, 50_000))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void ignoredFilesStayOutUnlessTheyAreTracked() throws IOException {
        write(people.clone, "target/kept.txt", "tracked although ignored\n");
        write(people.clone, "old.log", "tracked\n");
        people.commitAll("Files");
        people.commit(
                "Ignore",
                Map.of(
                        ".gitignore",
                        "target/\n*.log\n!keep.log\n/top\nsub/**/x\n",
                        "sub/.gitignore",
                        "!a.log\n*.tmp\n"));
        Workspace workspace = checkout();
        Path root = workspace.directory();
        for (String name : List.of(
                "target/new.txt",
                "target/deep/n.txt",
                "b.log",
                "keep.log",
                "top",
                "sub/top",
                "sub/1/2/x",
                "sub/a.log",
                "sub/c.tmp",
                "c.tmp",
                "other/target/y",
                "other/target2/y")) {
            write(root, name, name);
        }
        write(root, "target/kept.txt", "changed\n");
        write(root, "old.log", "changed\n");
        write(root, "target/repo/.git/HEAD", "ref: refs/heads/main\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(snapshot.tree()).isEqualTo(gitsTree(workspace));
        assertThat(workspace.diffStat(snapshot))
                .contains("target/kept.txt", "old.log", "keep.log", "sub/a.log", " c.tmp", "sub/top")
                .doesNotContain("target/new.txt", "sub/c.tmp", " b.log", "target/deep");
    }

    /** A process that was killed while a tool wrote a file leaves what it had written so far. */
    @Test
    void filesThatWereNotFinishedStayOut() throws IOException {
        // Somebody has committed one.
        people.commit("Half", Map.of("src/.maestro-new-0b5c2a8e-33a0-4a5e-9a39-5f6a6d4b1c11", "half"));
        Workspace workspace = checkout();
        write(workspace.directory(), ".maestro-new-0b5c2a8e-33a0-4a5e-9a39-5f6a6d4b1c11", "half");
        write(workspace.directory(), "sub/.maestro-new-0b5c2a8e-33a0-4a5e-9a39-5f6a6d4b1c11", "half");
        assertThat(workspace.snapshot().empty()).isTrue();
    }

    @Test
    void lineEndsFollowTheAttributes() throws IOException {
        write(people.clone, "crlf-before.txt", "a\r\nb\r\n");
        write(people.clone, "untouched.forced", "a\r\nb\r\n");
        people.commitAll("As it is");
        people.commit(
                "Attributes",
                Map.of(
                        ".gitattributes",
                        "[attr]asis -text\n* text=auto\n*.bat text eol=crlf\n*.raw binary\n*.forced text\n*.same asis\n",
                        "run.bat",
                        "x\n"));
        Workspace workspace = checkout();
        Path root = workspace.directory();
        assertThat(root.resolve("run.bat")).hasBinaryContent("x\r\n".getBytes(StandardCharsets.UTF_8));
        assertThat(root.resolve("untouched.forced")).hasBinaryContent("a\r\nb\r\n".getBytes(StandardCharsets.UTF_8));
        assertThat(workspace.snapshot().empty()).isTrue();
        // Git converts a file that nobody has touched, too, when it was written at the same moment as the index.
        git(root, "update-index", "--assume-unchanged", "untouched.forced");
        write(root, "run.bat", "x\r\ny\r\n");
        write(root, "new.txt", "a\r\nb\r\n");
        write(root, "crlf-before.txt", "a\r\nb\r\nc\r\n");
        write(root, "x.raw", "a\r\n");
        write(root, "x.same", "a\r\n");
        write(root, "zero", "a\r\n\0");
        write(root, "x.forced", "a\r\n");
        write(root, "dir/.gitattributes", "*.txt -text\n");
        write(root, "dir/new.txt", "a\r\nb\r\n");
        assertThat(workspace.snapshot().tree()).isEqualTo(gitsTree(workspace));
    }

    /** A workspace has them in UTF-8; commands of such a project may write them as its people have them. */
    @Test
    void encodingsFollowTheAttributes() throws IOException {
        Map<String, Charset> encodings = Map.of(
                "UTF-16LE-BOM", StandardCharsets.UTF_16LE,
                "UTF-16", StandardCharsets.UTF_16BE,
                "UTF-16LE", StandardCharsets.UTF_16LE,
                "ISO-8859-1", StandardCharsets.ISO_8859_1,
                "SHIFT-JIS", Charset.forName("Shift_JIS"),
                "UTF-32", Charset.forName("UTF-32BE"));
        StringBuilder attributes = new StringBuilder();
        encodings
                .keySet()
                .forEach(name -> attributes.append("*." + name + " text working-tree-encoding=" + name + "\n"));
        people.commit("Attributes", Map.of(".gitattributes", attributes.toString()));
        Workspace workspace = checkout();
        Path root = workspace.directory();
        for (Map.Entry<String, Charset> encoding : encodings.entrySet()) {
            String text = encoding.getKey().equals("SHIFT-JIS") ? "\u30c6\u30b9\u30c8\n" : "h\u00fc\n";
            String mark = encoding.getKey().matches("UTF-(16|32|16LE-BOM)") ? "\ufeff" : "";
            Files.write(root.resolve("wide." + encoding.getKey()), (mark + text).getBytes(encoding.getValue()));
            write(root, "plain." + encoding.getKey(), text);
        }
        workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        for (String name : encodings.keySet()) {
            assertThat(people.file("maestro/story-1", "wide." + name))
                    .as(name)
                    .isEqualTo(people.file("maestro/story-1", "plain." + name))
                    .containsPattern("^(h\u00fc|\u30c6\u30b9\u30c8)\n$");
        }
        assertThat(git(directory, "clone", "-q", "--branch=maestro/story-1", people.bare.toString(), "fresh"))
                .isEmpty();
        assertThat(git(directory.resolve("fresh"), "status", "--porcelain")).isEmpty();
        assertThat(Files.readAllBytes(directory.resolve("fresh/plain.UTF-16LE-BOM")))
                .isEqualTo(Files.readAllBytes(root.resolve("wide.UTF-16LE-BOM")));

        Files.write(root.resolve("odd.UTF-16"), new byte[] {0, 'a', 0, 'b'});
        Files.write(root.resolve("odd.SHIFT-JIS"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContainingAll("odd.UTF-16 is neither", "odd.SHIFT-JIS is neither");
    }

    @Test
    void namesAreShownInDiffsAsTheyAre() throws IOException {
        Workspace workspace = checkout();
        write(workspace.directory(), "gr\u00fc\u00dfe/\u65e5\u672c.txt", "x\n");
        write(workspace.directory(), "line\nbreak \u202e.txt", "x\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.diff(snapshot, null, 1, 50_000))
                .contains("+++ b/gr\u00fc\u00dfe/\u65e5\u672c.txt\n", "+++ \"b/line\\nbreak \\u202e.txt\"\n");
        String commit = workspace.commit(snapshot, "S", "");
        assertThat(repository.readCommit(commit, tree -> tree.diff(50_000)).orElseThrow())
                .contains("+++ b/gr\u00fc\u00dfe/\u65e5\u672c.txt\n");
    }

    @Test
    void randomTreesComeOutAsGitMakesThem() throws IOException {
        long seed = System.nanoTime();
        System.out.println("SnapshotTest seed " + seed);
        Random random = new Random(seed);
        Workspace workspace = checkout();
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 60; i++) {
                StringBuilder name = new StringBuilder();
                for (int level = random.nextInt(4); level >= 0; level--) {
                    name.append("abc-.ü".charAt(random.nextInt(6)))
                            .append(random.nextInt(4))
                            .append(level > 0 ? "/" : "");
                }
                Path file = workspace.directory().resolve(RawName.path(RawName.ofText(name.toString())));
                try {
                    if (random.nextInt(4) == 0) {
                        Files.deleteIfExists(file);
                    } else if (random.nextInt(12) == 0) {
                        write(
                                file.getParent(),
                                ".gitignore",
                                List.of("*1\n", "/a?\n", "b*/\n!b1/\n", "**/c2\n")
                                        .get(random.nextInt(4)));
                    } else {
                        write(workspace.directory(), name.toString(), "x".repeat(random.nextInt(3)) + "\r\n");
                    }
                } catch (IOException e) {
                    // A file where a directory would have to be: another name will do.
                }
            }
            assertThat(workspace.snapshot().tree())
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(freshTree(workspace));
        }
    }

    /** With an index that knows only the base: the real one would remember what an earlier round added. */
    private static String freshTree(Workspace workspace) throws IOException {
        git(workspace.directory(), "read-tree", workspace.baseCommit());
        return gitsTree(workspace);
    }

    @Test
    void manyFilesAreNoProblem() throws IOException {
        manyFiles(1_000);
    }

    @Test
    @Full("the short tier has a thousand")
    void sixThousandFilesAreNoProblem() throws IOException {
        manyFiles(6_000);
    }

    private void manyFiles(int number) throws IOException {
        Workspace workspace = checkout();
        for (int i = 0; i < number; i++) {
            write(workspace.directory(), "d" + i % 100 + "/f" + i, "file " + i + "\n");
        }
        Workspace.Snapshot snapshot = workspace.snapshot();
        // What an architect gets: seconds, where names of objects that are looked up one by one took minutes.
        long begin = System.nanoTime();
        assertThat(workspace.diffStat(snapshot)).contains(" " + number + " files changed");
        assertThat(workspace.diff(snapshot, null, 1, 100_000)).hasSizeBetween(50_000, 200_000);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(4L * number));
        workspace.commit(snapshot, "Many", "");
        workspace.push();
        assertThat(git(people.bare, "rev-parse", "maestro/story-1^{tree}").strip())
                .isEqualTo(snapshot.tree());
        workspace.empty();
        assertThat(workspace.directory()).isEmptyDirectory();
    }

    @Test
    void aHugeFileIsAProblemForTheCoderUnlessItWasThereBefore() throws IOException {
        Workspace workspace = checkout();
        Path huge = workspace.directory().resolve("dump.bin");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength((100L << 20) + 1);
        }
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("dump.bin")
                .hasMessageContaining(".gitignore");
        write(workspace.directory(), ".gitignore", "*.bin\n");
        assertThat(workspace.diffStat(workspace.snapshot())).contains(" 1 file changed");

        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(20L << 20);
        }
        Files.delete(workspace.directory().resolve(".gitignore"));
        Workspace.Snapshot large = workspace.snapshot();
        assertThat(large.tree()).isEqualTo(gitsTree(workspace));
        assertThat(workspace.diff(large, null, 1, 50_000)).contains("Binary files");
    }

    /** Sparse ones take no room on the disk, and all of them are read by their length. */
    @Test
    void theSumOfWhatDiffersIsBounded() throws IOException {
        people.commit("large", Map.of("base.txt", "b".repeat(2_000), "same.txt", "s".repeat(2_000)));
        Workspace workspace = checkout();
        ObjectId base = ObjectId.fromString(workspace.base(workspace.snapshot()).tree());
        Path root = workspace.directory();
        write(root, "new", "n".repeat(500));
        write(root, "base.txt", "c".repeat(1_500));
        assertThat(problems(root, base, 2_000)).isEmpty();
        assertThat(problems(root, base, 1_999)).containsOnlyOnce("in all, counted by the length");
        write(root, "newer", "n");
        write(root, "newest", "n");
        assertThat(problems(root, base, 2_000))
                .containsOnlyOnce("what is new or changed has more than 0 MB in all, counted by the length");
    }

    private String problems(Path root, ObjectId base, long most) throws IOException {
        try (Repository mirror = new FileRepository(repository.mirror().toFile());
                WorkTreeReader reader = new WorkTreeReader(
                        mirror, 100 << 20, most, new BlobCache(directory.resolve("probe")), SparseDirectories.ALL)) {
            ObjectId unused = reader.read(root, base, false);
            return "";
        } catch (WorkspaceProblem e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** As attempts of an agent to keep the host busy. */
    @Test
    @Full("reads a gigabyte; theSumOfWhatDiffersIsBounded has the rule")
    void manySparseFilesAreAProblemForTheCoder() throws IOException {
        people.commit("large", Map.of("tracked", "x"));
        Workspace workspace = checkout();
        for (int i = 0; i < 2_000; i++) {
            sparse(workspace.directory().resolve("s" + i), 99L << 20);
        }
        sparse(workspace.directory().resolve("tracked"), 1L << 40);
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("what is new or changed has more than 1024 MB in all")
                .hasMessageContaining("tracked has 1048576 MB, more than the 100 MB");
    }

    private static void sparse(Path file, long length) throws IOException {
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(length);
        }
    }

    @Test
    void whatGitRefusesIsNamed() throws IOException {
        Workspace workspace = checkout();
        write(workspace.directory(), "sub/.GIT/config", "x");
        write(workspace.directory(), "git~1", "x");
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("sub/.GIT")
                .hasMessageContaining("git~1");
    }

    @Test
    void aTrackedFileThatBecameAPipeIsNamed() throws IOException {
        Workspace workspace = checkout();
        Files.delete(workspace.directory().resolve("README.md"));
        new ProcessBuilder("mkfifo", "README.md")
                .directory(workspace.directory().toFile())
                .start()
                .onExit()
                .join();
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("README.md");
    }

    @Test
    void filtersOfTheAttributesAreNotRunAndLeaveFilesAsTheyAre() throws IOException {
        people.commit(
                "LFS",
                Map.of(".gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n*.id ident\n", "a.id", "$Id$\n"));
        Workspace workspace = checkout();
        assertThat(workspace.directory().resolve("a.id")).hasContent("$Id$");
        write(workspace.directory(), "x.png", "\0picture");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.diffStat(snapshot)).contains(" 1 file changed");
        assertThat(git(repository.mirror(), "cat-file", "-p", workspace.commit(snapshot, "S", "") + ":x.png"))
                .isEqualTo("\0picture");
    }

    @Test
    void aWideLineAndALongDiffAreCut() throws IOException {
        Workspace workspace = checkout();
        write(workspace.directory(), "min.js", "x".repeat(100_000) + "\n");
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            numbers.append("line ").append(i).append('\n');
        }
        write(workspace.directory(), "long.txt", numbers.toString());
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.diff(snapshot, null, 1, 1_000_000))
                .contains("+" + "x".repeat(3_999) + " … (96001 more characters: get_diff with this path shows them)\n");
        assertThat(pages(workspace, snapshot, "min.js").replace("\n\\ ", ""))
                .contains("\n+" + "x".repeat(100_000) + "\n");

        assertThat(pages(workspace, snapshot, null)).isEqualTo(workspace.diff(snapshot, null, 1, 1_000_000));
        assertThat(workspace.diff(snapshot, null, 1_000_000, 10_000)).isEmpty();
        assertThatThrownBy(() -> workspace.diff(snapshot, null, 1, 100)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String pages(Workspace workspace, Workspace.Snapshot snapshot, @Nullable String path) {
        StringBuilder pages = new StringBuilder();
        long next = 1;
        while (next > 0) {
            String page = workspace.diff(snapshot, path, next, 10_000);
            assertThat(page).hasSizeLessThanOrEqualTo(10_000);
            Matcher more = Pattern.compile(
                            "\n… cut here, in file \\d of \\d\\. Call get_diff with first_line (\\d+) .*\n")
                    .matcher(page);
            next = more.find() ? Long.parseLong(more.group(1)) : 0;
            pages.append(next > 0 ? page.substring(0, more.start() + 1) : page);
        }
        return pages.toString();
    }

    /** What git takes for text is shown, and what a reader would not see in it is escaped. */
    @Test
    void textThatIsOddIsShown() throws IOException {
        Random random = new Random();
        long seed = random.nextLong();
        random.setSeed(seed);
        people.commit("odd", Map.of("cr.txt", "a\rb\n", "crlf.txt", "a\r\n"));
        Workspace workspace = checkout();
        Path root = workspace.directory();
        write(root, "cr.txt", "EVIL-LINE\rok\n");
        write(root, "crlf.txt", "a\r\nb\r\n");
        write(root, "end.txt", "all\r");
        write(root, "esc.sh", "# \u001b[2K\u0008\u202eevil\u200b\u2028\u0085\tä€😀\udb40\udc41\u2003\u3164❤\ufe0f\n");
        Files.write(
                root.resolve("bytes.txt"), new byte[] {'a', (byte) 0xff, (byte) 0xc3, 'b', (byte) 0xc0, (byte) 0x80});
        Files.write(root.resolve("zero.bin"), new byte[] {'a', 0, 'b'});
        write(root, "border.txt", "a\r".repeat(4_000) + "b\0\n");
        write(root, "cr8192.txt", "a".repeat(8_191) + "\r");
        write(root, "late.txt", "0123456789\n".repeat(1_000) + "LATE\rok\n\0NUL\n");
        write(root, "emoji.txt", "ad\ufe0emin ❤\ufe0f\ud81b\udfe4\n");
        write(root, "a\u202eb\u3164.txt", "x\n");
        write(root, "large.txt", "0123456789\n".repeat(800_000));
        Workspace.Snapshot snapshot = workspace.snapshot();
        String diff = workspace.diff(snapshot, null, 1, 100_000);
        assertThat(diff)
                .contains("-a\\x0db\n+EVIL-LINE\\x0dok\n")
                .contains(" a\r\n+b\r\n")
                .contains("+all\r\n\\ No newline")
                .contains("+# \\x1b[2K\\x08\\u202eevil\\u200b\\u2028\\x85\tä€😀\\u{e0041}\\u2003\\u3164❤\ufe0f\n")
                .contains("+a\\xff\\xc3b\\xc0\\x80\n")
                .contains("+a\\x0da\\x0d", "+" + "a".repeat(3_999))
                .contains("+LATE\\x0dok\n+\\x00NUL\n", "+ad\\ufe0emin ❤\ufe0f\\u{16fe4}\n")
                .contains("Text of more than 8 MB differs; its lines are not compared\n")
                .containsOnlyOnce("Binary files differ");
        assertThat(workspace.diffStat(snapshot))
                .containsPattern("cr.txt +\\| \\+1 -1")
                .containsPattern("zero.bin +\\| binary")
                .contains("a\\u202eb\\u3164.txt");

        for (int i = 0; i < 30; i++) {
            // Only a zero makes a file binary, for git as well.
            byte[] bytes = new byte[1 + random.nextInt(60)];
            for (int j = 0; j < bytes.length; j++) {
                bytes[j] = (byte) (random.nextInt(4) == 0 ? '\r' : random.nextInt(random.nextInt(6) == 0 ? 256 : 20));
            }
            Files.write(root.resolve("r" + i), bytes);
        }
        Files.delete(root.resolve("large.txt"));
        git(root, "add", "--all");
        List<String> binary = git(root, "diff", "--cached", "--numstat", "HEAD")
                .lines()
                .filter(line -> line.startsWith("-\t-\t"))
                .map(line -> line.substring(4))
                .toList();
        assertThat(workspace.diffStat(workspace.snapshot()).lines().filter(line -> line.endsWith("| binary")))
                .as("seed %d", seed)
                .extracting(line -> line.replace("| binary", "").strip())
                .containsExactlyInAnyOrderElementsOf(binary);
    }
}
