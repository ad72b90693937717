package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SearchFilesTest {
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

    private String found(Object... arguments) {
        ToolResult result = bench.call("search_files", arguments);
        assertThat(result.isError()).as(result.text()).isFalse();
        return result.text();
    }

    private String refused(Object... arguments) {
        ToolResult result = bench.call("search_files", arguments);
        assertThat(result.isError()).as(result.text()).isTrue();
        return result.text();
    }

    /** The pattern says where a long line is cut. */
    @Test
    void noPartOfASecretIsShown() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            line.append('w').append(i).append(i == 200 ? " pw=0123456789abcdefghijklmnopqrstuvwxyz " : " ");
        }
        bench.file("long", line + "\n");
        for (int i = 0; i < 400; i++) {
            assertThat(found("pattern", "w" + i + " "))
                    .contains("w" + i)
                    .doesNotContainPattern("=0|1234|5678|9abc|defg|hijk|lmno|pqrs|tuvw|xyz");
        }
    }

    @Test
    void findsLinesAsGrepDoes() throws IOException {
        bench.file("src/A.java", "class A {\r\n  int grün = 1; // class\r\n}\r\n");
        bench.file("src/B.java", "class B {}");
        bench.file("notes", "A class\n\nof its own (really)\n");
        assertThat(found("pattern", "class [AB]")).isEqualTo("src/A.java:1:class A {\nsrc/B.java:1:class B {}\n");
        assertThat(found("pattern", "gr.n")).isEqualTo("src/A.java:2:  int grün = 1; // class\n");
        assertThat(found("pattern", "^$")).isEqualTo("notes:2:\n");
        assertThat(found("pattern", "CLASS", "ignore_case", true, "glob", "*")).isEqualTo("notes:1:A class\n");
        assertThat(found("pattern", "(really)", "literal", true)).isEqualTo("notes:3:of its own (really)\n");
        assertThat(found("pattern", "class", "path", "./src/", "glob", "**/A*"))
                .isEqualTo("src/A.java:1:class A {\nsrc/A.java:2:  int grün = 1; // class\n");
        assertThat(found("pattern", "class", "path", "src/B.java")).isEqualTo("src/B.java:1:class B {}\n");
        assertThat(found("pattern", "nowhere")).isEqualTo("no line matches, in 3 files\n");
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "search_files", "pattern", "class B")
                        .text())
                .isEqualTo("src/B.java:1:class B {}\n");
    }

    @Test
    void showsTheLinesAroundAMatchOnce() throws IOException {
        bench.file("a", "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10");
        bench.file("b", "x");
        assertThat(found("pattern", "x", "context", 1))
                .isEqualTo("a-2-2\na:3:x3\na-4-4\na:5:x5\na-6-6\n--\na-9-9\na:10:x10\n--\nb:1:x\n");
    }

    @Test
    void leavesOutWhatGitIgnoresAndWhatIsNoText() throws IOException {
        bench.file(".gitignore", "build/\n*.log\n!keep.log\n");
        bench.file("sub/.gitignore", "/local\n");
        for (String path : new String[] {"build/x", "a.log", "keep.log", "sub/local", "sub/other", "other/local"}) {
            bench.file(path, "here");
        }
        bench.file(".git/config", "here");
        bench.file("binary", "here\0");
        Files.createSymbolicLink(bench.workspace.resolve("link"), bench.path("keep.log"));
        try (RandomAccessFile large =
                new RandomAccessFile(bench.file("large", "").toFile(), "rw")) {
            large.setLength((32 << 20) + 1);
        }
        assertThat(found("pattern", "here"))
                .isEqualTo("keep.log:1:here\nother/local:1:here\nsub/other:1:here\n"
                        + "[1 files are larger than 32 MB and were not searched]\n");
        assertThat(found("pattern", "here", "ignored", true).lines()).hasSize(7);
    }

    /** More than is read at once, and one file that is alone more than that. */
    @Test
    void findsInTheOrderOfNamesHoweverMuchThereIs() throws IOException {
        String noise = "some line of no interest\n".repeat(400);
        StringBuilder expected = new StringBuilder();
        for (int i = 100; i < 400; i++) {
            boolean large = i == 250;
            bench.file("f" + i, (large ? noise.repeat(300) : noise) + "needle " + i);
            expected.append("f").append(i).append(':').append(large ? 120_001 : 401);
            expected.append(":needle ").append(i).append('\n');
        }
        assertThat(found("pattern", "needle [0-9]+")).isEqualTo(expected.toString());
        assertThat(found("pattern", "NEEDLE 3", "ignore_case", true).lines()).hasSize(100);
        assertThat(found("pattern", "line").lines()).hasSize(1_001);
    }

    /** Looked for eight bytes at a time. */
    @Test
    void aNulIsFoundWhereverItStands() throws IOException {
        String text = "needle and what follows it";
        for (int at = 0; at <= text.length(); at++) {
            bench.file("nul" + at, text.substring(0, at) + '\0' + text.substring(at));
            bench.file("one" + at, text.substring(0, at) + "\1\u0100\1" + text.substring(at));
        }
        bench.file("late", "x".repeat(8_000) + "\0\nneedle");
        assertThat(found("pattern", "n").lines()).hasSize(text.length() + 2).noneMatch(line -> line.startsWith("nul"));
    }

    @Test
    void isBounded() throws IOException {
        bench.file("many", "match\n".repeat(1_500));
        assertThat(found("pattern", "match").lines())
                .hasSize(1_001)
                .last()
                .isEqualTo("[more lines match: narrow the search with glob or path]");
        bench.file("many", "x".repeat(100_000) + "match" + "y".repeat(100_000));
        assertThat(found("pattern", "match").strip())
                .hasSizeLessThan(600)
                .startsWith("many:1:…x")
                .contains("match")
                .endsWith("y…");
    }

    @Test
    void aPatternThatNeverEndsIsEnded() throws IOException {
        bench.file("a", "a".repeat(60) + "!\n");
        assertThat(refused("pattern", "(.*a){20}[b]")).contains("it takes too long", "use a simpler one");
        bench.file("a", "ab".repeat(100_000) + "\n");
        assertThat(refused("pattern", "(a|b)*[c]")).contains("leave out groups that are repeated");
        assertThat(refused("pattern", "(".repeat(100_000))).contains("the pattern cannot be used");
    }

    @Test
    void whatIsNoPatternIsSaid() {
        assertThat(refused("pattern", "a(b")).contains("the pattern cannot be used: Unclosed group near index 3");
        assertThat(refused("pattern", "a\nb")).contains("line break");
        assertThat(refused("pattern", "a", "glob", "[a")).contains("nothing was searched");
        assertThat(refused("pattern", "a", "path", "../x")).contains("leads out of the workspace");
        assertThat(found("pattern", "a(b", "literal", true)).startsWith("no line matches");
    }
}
