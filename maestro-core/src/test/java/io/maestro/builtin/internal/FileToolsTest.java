package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.files.internal.SafeFiles;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileToolsTest {
    @TempDir
    Path directory;

    private ToolBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new ToolBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static void ok(ToolResult result, String text) {
        assertThat(result.text()).isEqualTo(text);
        assertThat(result.isError()).isFalse();
    }

    private static void error(ToolResult result, String text) {
        assertThat(result.text()).isEqualTo(text);
        assertThat(result.isError()).isTrue();
    }

    @Test
    void readsAFileOrSomeOfItsLines() throws IOException {
        bench.file("src/grün.txt", "one\ntwo\r\nthree");
        ok(bench.call("read_file", "path", "src/grün.txt"), "one\ntwo\r\nthree");
        ok(bench.call("read_file", "path", "./src//x/../grün.txt"), "one\ntwo\r\nthree");
        ok(bench.call("read_file", "path", "src/grün.txt", "first_line", 2), "two\r\nthree");
        ok(bench.call("read_file", "path", "src/grün.txt", "lines", 2), "one\ntwo\r\n[the file goes on with line 3]");
        ok(
                bench.call("read_file", "path", "src/grün.txt", "first_line", 2.0, "lines", 1),
                "two\r\n[the file goes on with line 3]");
        error(
                bench.call("read_file", "path", "src/grün.txt", "first_line", 4),
                "src/grün.txt has 3 lines, there is no line 4");
        error(bench.call("read_file", "path", "src/none.txt"), "there is no file 'src/none.txt'");
        error(
                bench.call("read_file", "path", "none/none.txt"),
                "'none/none.txt' cannot be used: there is no such directory");
        assertThat(bench.record.last().error()).contains("none/none.txt").doesNotContain(directory.toString());
        ok(bench.call("read_file", "path", bench.file("empty", "").getFileName().toString()), "");
    }

    @Test
    void noPageShowsAPartOfASecret() throws IOException {
        bench.file("a", "one\nBEGIN\nfirst\nsecond\nthird\nEND\nlast\n");

        for (int first = 1; first <= 7; first++) {
            for (int lines = 1; lines <= 3; lines++) {
                String page = bench.call("read_file", "path", "a", "first_line", first, "lines", lines)
                        .text();
                assertThat(page).doesNotContain("first\n", "second", "third\n");
                assertThat(page.contains("[REDACTED:block]")).isEqualTo(first <= 6 && first + lines > 2);
            }
        }
    }

    @Test
    void aLineThatIsCutDoesNotShowAPartOfASecret() throws IOException {
        bench.file("a", "x".repeat(999_990) + " BEGIN secret END\n");

        assertThat(bench.call("read_file", "path", "a").text())
                .endsWith("x [REDACTED:block]\n[line 1 is longer than 1 MB and goes on; the next line is 2]");
    }

    @Test
    void pagesThroughAFileOfAnySizeAndGivesEachByteOnce() throws IOException {
        StringBuilder whole = new StringBuilder();
        for (int i = 1; i <= 9_000; i++) {
            whole.append("line ")
                    .append(i)
                    .append(i % 7 == 0 ? " ü€".repeat(300) : "")
                    .append(i % 3 == 0 ? "\r\n" : "\n");
        }
        whole.append("the end");
        bench.file("large", whole.toString());

        StringBuilder read = new StringBuilder();
        OptionalLong next = OptionalLong.of(1);
        int pages = 0;
        while (next.isPresent()) {
            ToolResult page = bench.call("read_file", "path", "large", "first_line", next.getAsLong());
            Object following = page.data().get("next_line");
            next = following instanceof Number line ? OptionalLong.of(line.longValue()) : OptionalLong.empty();
            String note = next.isPresent() ? "[the file goes on with line " + next.getAsLong() + "]" : "";
            assertThat(page.text()).endsWith(note);
            read.append(page.text(), 0, page.text().length() - note.length());
            pages++;
        }
        assertThat(read).hasToString(whole.toString());
        assertThat(pages).isEqualTo(5);
        error(
                bench.call("read_file", "path", "large", "first_line", 9_002),
                "large has 9001 lines, there is no line 9002");
    }

    @Test
    void aPageHasOneMegabyteAndALongerLineIsCutBetweenTwoCharacters() throws IOException {
        bench.file("full", "x".repeat(1_000_000));
        bench.file("two", "x".repeat(600_000) + "\n" + "y".repeat(600_000) + "\nz\n");
        bench.file("long", "x" + "ü".repeat(600_000) + "\nend\n");
        Files.write(bench.workspace.resolve("latin"), "gr\u00fcn".getBytes(StandardCharsets.ISO_8859_1));

        ok(bench.call("read_file", "path", "full"), "x".repeat(1_000_000));
        ok(bench.call("read_file", "path", "two"), "x".repeat(600_000) + "\n[the file goes on with line 2]");
        ok(bench.call("read_file", "path", "two", "first_line", 2), "y".repeat(600_000) + "\nz\n");
        ok(
                bench.call("read_file", "path", "long"),
                "x" + "ü".repeat(499_999) + "\n[line 1 is longer than 1 MB and goes on; the next line is 2]");
        ok(bench.call("read_file", "path", "long", "first_line", 2), "end\n");
        error(
                bench.call("read_file", "path", "latin"),
                "latin is no UTF-8 text; look at it with the shell, for example with file or xxd");
    }

    @Test
    void writesAFileWithItsDirectories() throws IOException {
        ok(bench.call("write_file", "path", "a/b/ü/file", "content", "x€\n"), "made a/b/ü/file, 5 bytes");
        assertThat(Files.readString(bench.path("a/b/ü/file"))).isEqualTo("x€\n");
        ok(bench.call("write_file", "path", "a/b/ü/file", "content", ""), "replaced a/b/ü/file, 0 bytes");
        assertThat(bench.path("a/b/ü/file")).isEmptyFile();
        ok(bench.call("write_file", "path", "a/b/other", "content", "1"), "made a/b/other, 1 bytes");
        assertThat(bench.workspace.toFile().list()).containsExactly("a");

        String deep = "d/".repeat(300) + "file";
        ok(bench.call("write_file", "path", deep, "content", "1"), "made " + deep + ", 1 bytes");
        ok(bench.call("read_file", "path", deep), "1");
    }

    @Test
    void saysOfANewFileThatGitIgnoresIt() throws IOException {
        bench.file(".gitignore", "*.log\n/out/\n!kept.log\n");
        bench.file("src/.gitignore", "generated\n");
        String ignored = "; .gitignore names it, so it will not be committed";
        ok(bench.call("write_file", "path", "x.log", "content", "1"), "made x.log, 1 bytes" + ignored);
        ok(bench.call("write_file", "path", "x.log", "content", "2"), "replaced x.log, 1 bytes");
        ok(bench.call("write_file", "path", "out/a/b", "content", "1"), "made out/a/b, 1 bytes" + ignored);
        ok(
                bench.call("write_file", "path", "src/generated/A", "content", "1"),
                "made src/generated/A, 1 bytes" + ignored);
        ok(bench.call("write_file", "path", "kept.log", "content", "1"), "made kept.log, 1 bytes");
        ok(bench.call("write_file", "path", "src/out/a", "content", "1"), "made src/out/a, 1 bytes");

        String name = "src/" + "a".repeat(250);
        bench.file("src/.gitignore", ("*a*".repeat(20) + "b\n").repeat(10_000));
        ok(bench.call("write_file", "path", name, "content", "1"), "made " + name + ", 1 bytes");
    }

    @Test
    void editsOnePlace() throws IOException {
        Path file = bench.file("run.sh", "#!/bin/sh\r\necho ü one; echo two\r\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));

        ok(bench.call("edit_file", "path", "run.sh", "old", "two", "new", "2"), "changed run.sh at line 2");
        assertThat(Files.readString(file)).isEqualTo("#!/bin/sh\r\necho ü one; echo 2\r\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x--x");
        ok(bench.call("edit_file", "path", "run.sh", "old", "#!/bin/sh\r\n", "new", ""), "changed run.sh at line 1");
        assertThat(Files.readString(file)).isEqualTo("echo ü one; echo 2\r\n");
        ok(bench.call("write_file", "path", "run.sh", "content", "x"), "replaced run.sh, 1 bytes");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x--x");
    }

    @Test
    void aCancelledCallHasWrittenAllOrNothing() throws IOException {
        Path file = bench.file("a", "before");
        SafeFiles files = new SafeFiles(bench.workspace);
        Thread.currentThread().interrupt();
        try {
            assertThat(files.write("a", "after".getBytes(StandardCharsets.UTF_8)))
                    .isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(file).hasContent("after");
    }

    @Test
    void aMarkIsNeverWrittenToAFile() throws IOException {
        Path file = bench.file("db.properties", "url=x\npw=s3cret\nport=80\n");
        String shown = bench.call("read_file", "path", "db.properties").text();
        assertThat(shown).isEqualTo("url=x\npw=[REDACTED:password]\nport=80\n");
        String refused =
                "nothing was done: '[REDACTED:password]' stands for a secret that you are not shown, and would take its"
                        + " place. Change the lines around it with edit_file, which keeps what it stands for. Where these very words"
                        + " are wanted, put them together from two parts";
        error(bench.call("write_file", "path", "db.properties", "content", shown.replace("80", "90")), refused);
        error(bench.call("write_file", "path", "new", "content", shown), refused);
        error(bench.call("shell", "cmd", "cat > db.properties <<'X'\n" + shown + "X"), refused);
        error(
                bench.call("edit_file", "path", "db.properties", "old", "url=x", "new", "pw=[REDACTED:password]"),
                refused);
        error(
                bench.call("edit_file", "path", "db.properties", "old", "pw=[REDACTED:", "new", "pw="),
                "the old text begins or ends in the middle of a mark that stands for a secret; take in the whole mark, or"
                        + " none of it");
        assertThat(file).hasContent("url=x\npw=s3cret\nport=80\n");
        assertThat(bench.path("new")).doesNotExist();

        // What the file says itself may be said again.
        Path marks = bench.file("marks", "[REDACTED:password]\n");
        ok(bench.call("write_file", "path", "marks", "content", "is [REDACTED:password]"), "replaced marks, 22 bytes");
        ok(
                bench.call(
                        "edit_file", "path", "marks", "old", "is [REDACTED:password]", "new", "[REDACTED:password]!"),
                "changed marks at line 1");
        assertThat(marks).hasContent("[REDACTED:password]!");
    }

    @Test
    void editsAroundSecrets() throws IOException {
        Path file = bench.file("a", "pw=one@host pw=two@host\nBEGIN\nkey\nEND\nlast pw=three");
        ok(
                bench.call(
                        "edit_file",
                        "path",
                        "a",
                        "old",
                        "pw=[REDACTED:password]@host pw=[REDACTED:password]@host\n[REDACTED:block]\nlast",
                        "new",
                        "first pw=[REDACTED:password]@other\n[REDACTED:block]\n"),
                "changed a at line 1");
        assertThat(file).hasContent("first pw=one@other\nBEGIN\nkey\nEND\n pw=three");
        ok(
                bench.call("edit_file", "path", "a", "old", "[REDACTED:block]\n pw=[REDACTED:password]", "new", "end"),
                "changed a at line 2");
        assertThat(file).hasContent("first pw=one@other\nend");
        ok(bench.call("edit_file", "path", "a", "old", "\nend", "new", "\nthe end"), "changed a at line 1");
        assertThat(file).hasContent("first pw=one@other\nthe end");
        // What the model has written itself it knows.
        bench.file("own", "pw=known\n");
        ok(bench.call("edit_file", "path", "own", "old", "pw=known", "new", "pw=other"), "changed own at line 1");
        assertThat(bench.path("own")).hasContent("pw=other\n");
        // The place of a secret that cannot be told from the next one is not guessed.
        bench.file("b", "BEGIN1ENDBEGIN2END x");
        error(
                bench.call("edit_file", "path", "b", "old", "[REDACTED:block] x", "new", "y"),
                "the old text does not occur in b; read the file and copy it exactly");
        ok(bench.call("edit_file", "path", "b", "old", " x", "new", " y"), "changed b at line 1");
        assertThat(bench.path("b")).hasContent("BEGIN1ENDBEGIN2END y");
    }

    @Test
    void editsNothingWhenThePlaceIsNotClear() throws IOException {
        Path file = bench.file("a.txt", "aaa b\n");
        error(
                bench.call("edit_file", "path", "a.txt", "old", "c", "new", "x"),
                "the old text does not occur in a.txt; read the file and copy it exactly");
        // Two places that overlap are two as well.
        error(
                bench.call("edit_file", "path", "a.txt", "old", "aa", "new", "x"),
                "the old text occurs more than once in a.txt, at line 1; give more of the lines around it");
        assertThat(bench.call("edit_file", "path", "a.txt", "old", "", "new", "x")
                        .text())
                .contains("old");
        error(bench.call("edit_file", "path", "b.txt", "old", "c", "new", "x"), "there is no file 'b.txt'");
        assertThat(file).hasContent("aaa b\n");
        assertThat(bench.workspace.resolve("b.txt")).doesNotExist();
    }

    @Test
    void editsSeveralPlacesOrNone() throws IOException {
        Path file = bench.file("a.txt", "one\ntwo\nthree\ntwo\n");
        List<Map<String, String>> edits = List.of(
                Map.of("old", "one", "new", "1\n1"),
                Map.of("old", "1\ntwo", "new", "1\n2"),
                Map.of("old", "two", "new", "4"));
        ok(bench.call("edit_file", "path", "a.txt", "edits", edits), "changed a.txt at lines 1, 2, 5");
        assertThat(file).hasContent("1\n1\n2\nthree\n4\n");

        error(
                bench.call(
                        "edit_file",
                        "path",
                        "a.txt",
                        "edits",
                        List.of(Map.of("old", "three", "new", "3"), Map.of("old", "1", "new", "x"))),
                "nothing was changed: the old text of edit 2 occurs more than once in a.txt, at lines 1, 2; give more of"
                        + " the lines around it");
        assertThat(file).hasContent("1\n1\n2\nthree\n4\n");
        for (Object[] arguments : new Object[][] {
            {"path", "a.txt"},
            {"path", "a.txt", "old", "1"},
            {"path", "a.txt", "old", "4", "new", "5", "edits", edits}
        }) {
            error(bench.call("edit_file", arguments), "nothing was changed: give either both old and new, or edits");
        }
    }

    @Test
    void keepsLineEndsAndEncoding() throws IOException {
        Path windows = bench.file("windows", "one\r\ntwo\r\nthree\r\n");
        ok(
                bench.call("edit_file", "path", "windows", "old", "one\ntwo", "new", "1\n2\n2"),
                "changed windows at line 1");
        ok(bench.call("edit_file", "path", "windows", "old", "three", "new", "3\n4"), "changed windows at line 4");
        assertThat(Files.readString(windows)).isEqualTo("1\r\n2\r\n2\r\n3\r\n4\r\n");
        Path mixed = bench.file("mixed", "one\r\ntwo\nthree\r\nfour\n");
        ok(bench.call("edit_file", "path", "mixed", "old", "three\nfour", "new", "3\n4"), "changed mixed at line 3");
        ok(bench.call("edit_file", "path", "mixed", "old", "two\n", "new", "2\n"), "changed mixed at line 2");
        assertThat(Files.readString(mixed)).isEqualTo("one\r\n2\n3\r\n4\n");

        Path latin = bench.workspace.resolve("latin");
        Files.write(latin, "old gr\u00fcn".getBytes(StandardCharsets.ISO_8859_1));
        ok(bench.call("edit_file", "path", "latin", "old", "old", "new", "new"), "changed latin at line 1");
        assertThat(latin).hasBinaryContent("new gr\u00fcn".getBytes(StandardCharsets.ISO_8859_1));
        error(
                bench.call("edit_file", "path", "latin", "old", "new", "new", "n\u00fc"),
                "latin is not in UTF-8, and what it is in is not known: old and new must be ASCII, or the shell used");
    }

    @Test
    void editsNothingThatItCannotKeepAsItIs() throws IOException {
        bench.file("more", "old" + "x".repeat(1 << 20));
        error(
                bench.call("edit_file", "path", "more", "old", "old", "new", "new"),
                "more is larger than 1 MiB; change it with the shell");
        Path binary = bench.file("binary", "old\0");
        error(
                bench.call("edit_file", "path", "binary", "old", "old", "new", "new"),
                "binary is no text; change it with the shell");
        assertThat(binary).hasContent("old\0");
    }

    @Test
    void writesNothingIntoAReadOnlyWorkspace() throws IOException {
        Path file = bench.file("a", "1");
        bench.readOnly = true;
        error(
                bench.call("write_file", "path", "a", "content", "2"),
                "the workspace is read-only now; nothing was written");
        error(
                bench.call("edit_file", "path", "a", "old", "1", "new", "2"),
                "the workspace is read-only now; nothing was changed");
        assertThat(file).hasContent("1");
        for (String tool : new String[] {"write_file", "edit_file"}) {
            assertThat(bench.callAs(ToolAudience.CODER_PLANNING, tool).text()).contains("'" + tool + "'");
            assertThat(bench.callAs(ToolAudience.ARCHITECT, tool).isError()).isTrue();
        }
    }

    private void at(String path, long second) throws IOException {
        Files.setLastModifiedTime(bench.file(path, ""), FileTime.from(Instant.ofEpochSecond(second)));
    }

    @Test
    void listsTheNewestFirst() throws IOException {
        at("src/main/A.java", 10);
        at("src/B.java", 30);
        at("C.java", 20);
        at("README", 20);
        at(".git/config", 99);
        at("sub/.git/config", 99);
        Files.createSymbolicLink(bench.workspace.resolve("link"), directory.resolve("nowhere"));
        Files.createSymbolicLink(bench.workspace.resolve("up"), directory);

        assertThat(bench.call("list_files").text().lines())
                .containsExactlyInAnyOrder("link", "up", "src/B.java", "C.java", "README", "src/main/A.java");
        ok(bench.call("list_files", "pattern", "**/*.java"), "src/B.java\nC.java\nsrc/main/A.java\n");
        ok(bench.call("list_files", "pattern", "*.java"), "C.java\n");
        ok(bench.call("list_files", "pattern", "{README,src/*}"), "src/B.java\nREADME\n");
        ok(bench.call("list_files", "pattern", "*.kt"), "no file matches *.kt\n");
        assertThat(bench.call("list_files", "pattern", "[a").text()).startsWith("not a glob pattern:");
        assertThat(bench.call("list_files", "pattern", "../**").text()).startsWith("no file matches");
        assertThat(bench.call("list_files", "pattern", directory + "/**").text())
                .startsWith("no file matches");
    }

    @Test
    void aNameIsOneLine() throws IOException {
        bench.file("a\nb\u001b[31m", "");
        bench.file("ü", "");
        assertThat(bench.call("list_files").text().lines()).containsExactlyInAnyOrder("a\\x0ab\\x1b[31m", "ü");
    }

    @Test
    void listsNotMoreThanAThousand() throws IOException {
        for (int i = 0; i < 1003; i++) {
            Files.createFile(bench.workspace.resolve("f" + i));
        }
        assertThat(bench.call("list_files").text().lines()).hasSize(1001).endsWith("and 3 more; narrow the pattern");
    }
}
