package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.files.internal.SafeFiles;
import io.maestro.testing.Campaign;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a model or its workspace does, no file outside is read, changed, made or named. */
class EscapeTest {
    private static final String SECRET = "the host's own";

    @TempDir
    Path directory;

    private ToolBench bench;
    private Path outside;

    @BeforeEach
    void open() throws IOException {
        bench = new ToolBench(directory);
        outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(outside.resolve("file"), SECRET);
        bench.file("dir/file", "inside");
    }

    @AfterEach
    void nothingOutsideHasChanged() throws IOException {
        bench.close();
        assertThat(outside.resolve("file")).hasContent(SECRET);
        assertThat(outside.toFile().list()).containsExactly("file");
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("outside", ToolBench.CODER);
    }

    /** All three tools, on one path. */
    private void refused(String path, String because) {
        for (ToolResult result : new ToolResult[] {
            bench.call("read_file", "path", path),
            bench.call("edit_file", "path", path, "old", "host", "new", "guest"),
            bench.call("write_file", "path", path, "content", "changed")
        }) {
            assertThat(result.isError()).as(path).isTrue();
            assertThat(result.text())
                    .contains(because)
                    .doesNotContain(SECRET)
                    .doesNotContain(directory.toString() + "/" + ToolBench.CODER);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..",
                "../outside/file",
                "dir/../../outside/file",
                "dir/./../../outside/file",
                "./../outside/file",
                "dir/..//../coder-001/dir/file"
            })
    void pathsThatLeadOut(String path) {
        refused(path, "leads out of the workspace");
    }

    @Test
    void absolutePaths() {
        refused(outside.resolve("file").toString(), "is absolute");
        refused("//" + outside.resolve("file"), "is absolute");
        refused(outside.resolve("file").toString().replace("/outside/", "/./outside//"), "is absolute");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "./", "dir/..", "dir/../.", " "})
    void pathsThatNameNoFile(String path) throws IOException {
        assertThat(bench.call("read_file", "path", path).isError()).isTrue();
        if (!path.isBlank()) {
            refused(path, "names no file");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {".git", ".git/config", ".GIT/hooks/pre-push", "dir/.Git/config", ".git/../.git/config"})
    void whatGitKeeps(String path) throws IOException {
        bench.file(".git/config", "[core]");
        refused(path, "is inside .git");
        assertThat(bench.workspace.resolve(".git/config")).hasContent("[core]");
    }

    @Test
    void linksToFilesAndDirectories() throws IOException {
        Path workspace = bench.workspace;
        Files.createSymbolicLink(workspace.resolve("link"), outside.resolve("file"));
        Files.createSymbolicLink(workspace.resolve("relative"), Path.of("../outside/file"));
        Files.createSymbolicLink(workspace.resolve("dangling"), outside.resolve("new"));
        Files.createSymbolicLink(workspace.resolve("dir/inner"), outside);
        Files.createSymbolicLink(workspace.resolve("within"), Path.of("dir/file"));
        for (String path : new String[] {"link", "relative", "dangling", "within", "dir/inner"}) {
            refused(path, "is a symbolic link or no regular file");
        }
        for (String path : new String[] {"dir/inner/file", "dir/inner/new/file", "link/x"}) {
            refused(path, "a directory in it is a symbolic link or no directory");
        }
        // What a path means does not depend on what is there: x/.. is nothing, even where x is a link.
        assertThat(bench.call("read_file", "path", "dir/inner/../file").text()).isEqualTo("inside");
    }

    @Test
    void thingsThatAreNoFiles() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", bench.workspace.resolve("pipe").toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        refused("pipe", "no regular file");
        refused("pipe/x", "no directory");
        refused("dir", "is a directory");
        refused("dir/file/x", "no directory");
        assertThat(bench.workspace.resolve("dir/file")).hasContent("inside");
        assertThat(bench.call("list_files").text().lines()).containsExactlyInAnyOrder("pipe", "dir/file");
    }

    @Test
    void namesThatNoFileCanHave() {
        refused("a\0b", "'a\\x00b' cannot be used: Not the name of a file");
        refused("a\0b/c", "Not the name of a file");
        refused("x".repeat(256), "File name too long");
        refused("x".repeat(256) + "/y", "File name too long");
        refused("x/".repeat(2049), "is too long");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-rf",
                "--",
                "a\nb",
                " a ",
                "a\\b",
                "..\\outside\\file",
                "~",
                "$HOME",
                "*",
                "...",
                ".gitignore",
                "%2e%2e"
            })
    void oddNamesAreNamesAndNothingElse(String path) {
        assertThat(bench.call("write_file", "path", path, "content", "odd").isError())
                .isFalse();
        assertThat(bench.workspace.resolve(path)).hasContent("odd");
        assertThat(bench.call("read_file", "path", path).text()).isEqualTo("odd");
    }

    @Test
    void aWorkspaceThatIsALink() throws IOException {
        SafeDirectory.deleteTree(bench.workspace);
        Files.createSymbolicLink(bench.workspace, outside);
        refused("file", "a directory in it is a symbolic link or no directory");
        assertThat(bench.call("list_files").isError()).isTrue();
    }

    /** Turns something into a link and back, as fast as it can. */
    private final class Flipper implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final Path place;
        private final Path aside = bench.workspace.resolve("aside");
        private final Path link = bench.workspace.resolve("ready");
        private final Thread thread = new Thread(this::flip);

        Flipper(Path place, Path target) throws IOException {
            try (var stream = Files.newDirectoryStream(directory)) {
                assumeTrue(stream instanceof SecureDirectoryStream, "elsewhere the race can be won");
            }
            this.place = place;
            Files.createSymbolicLink(link, target);
            thread.start();
        }

        private void flip() {
            while (!stop.get()) {
                try {
                    Files.move(place, aside);
                    Files.move(link, place);
                    Files.move(place, link);
                    Files.move(aside, place);
                } catch (IOException e) {
                    // The tool has made something in the meantime.
                    repair();
                }
            }
        }

        private void repair() {
            try {
                if (!Files.exists(link, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                    Files.move(place, link);
                }
                if (Files.exists(aside)) {
                    if (Files.isDirectory(place)) {
                        SafeDirectory.deleteTree(place);
                    }
                    Files.deleteIfExists(place);
                    Files.move(aside, place);
                }
            } catch (IOException e) {
                // Tried again in the next round.
            }
        }

        @Override
        public void close() throws InterruptedException {
            stop.set(true);
            thread.join();
        }
    }

    private static final int ROUNDS = Campaign.number(250);

    @Test
    void aDirectoryThatBecomesALinkWhileItIsRead() throws Exception {
        SafeFiles files = new SafeFiles(bench.workspace);
        int read = 0;
        try (Flipper flipper = new Flipper(bench.workspace.resolve("dir"), outside)) {
            for (int i = 0; i < ROUNDS; i++) {
                try {
                    assertThat(new String(files.read("dir/file", 100), StandardCharsets.UTF_8))
                            .isEqualTo("inside");
                    read++;
                } catch (SafeFiles.RefusedPathException e) {
                    assertThat(e).message().doesNotContain(directory.toString());
                }
            }
        }
        assertThat(read).isPositive();
    }

    @Test
    void aFileThatBecomesALinkWhileItIsReadAndWritten() throws Exception {
        SafeFiles files = new SafeFiles(bench.workspace);
        try (Flipper flipper = new Flipper(bench.workspace.resolve("dir/file"), outside.resolve("file"))) {
            for (int i = 0; i < ROUNDS; i++) {
                try {
                    files.write("dir/file", "inside".getBytes(StandardCharsets.UTF_8));
                    assertThat(new String(files.read("dir/file", 100), StandardCharsets.UTF_8))
                            .isIn("inside", "");
                } catch (SafeFiles.RefusedPathException e) {
                    assertThat(e).message().doesNotContain(directory.toString());
                }
            }
        }
    }

    @Test
    void aDirectoryThatBecomesALinkWhileFilesAndDirectoriesAreMadeInIt() throws Exception {
        SafeFiles files = new SafeFiles(bench.workspace);
        int written = 0;
        try (Flipper flipper = new Flipper(bench.workspace.resolve("dir"), outside)) {
            for (int i = 0; i < ROUNDS; i++) {
                try {
                    files.write("dir/new" + i + "/deep/file", new byte[] {1});
                    written++;
                } catch (SafeFiles.RefusedPathException e) {
                    assertThat(e).message().doesNotContain(directory.toString());
                }
            }
        }
        assertThat(written).isPositive();
        assertThat(bench.workspace.toFile().list())
                .as("nothing half made is left")
                .noneMatch(name -> name.startsWith(".maestro"));
    }

    @Test
    void aDirectoryThatBecomesALinkWhileFilesAreListed() throws Exception {
        Files.createDirectories(bench.workspace.resolve("dir/sub"));
        try (Flipper flipper = new Flipper(bench.workspace.resolve("dir"), outside.getParent())) {
            for (int i = 0; i < ROUNDS / 3; i++) {
                FileWalk.walk(
                        bench.workspace,
                        1000,
                        (name, attributes) ->
                                assertThat(name).doesNotContain("outside").doesNotContain(ToolBench.CODER));
            }
        }
    }
}
