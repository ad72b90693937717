package io.maestro.files.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.tools.ToolException;
import io.maestro.tools.WorkspaceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentFilesTest {
    @TempDir
    Path directory;

    private Path workspace;
    private WorkspaceFiles files;

    @BeforeEach
    void make() throws IOException {
        workspace = Files.createDirectories(directory.resolve("workspace"));
        files = new AgentFiles(() -> workspace, false);
    }

    private static void refused(String message, Runnable use) {
        assertThatExceptionOfType(ToolException.class).isThrownBy(use::run).withMessageContaining(message);
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        files.write("src/a/Ä.txt", "grün\n");
        files.write("src/a/Ä.txt", "blau\n");

        assertThat(files.read("src/a/Ä.txt", 5)).isEqualTo("blau\n");
        assertThat(files.size("src/a/Ä.txt")).hasValue(5);
        assertThat(files.size("src/a")).isEmpty();
        assertThat(files.size("src/b/c")).isEmpty();
        try (Stream<Path> left = Files.walk(workspace).filter(Files::isRegularFile)) {
            assertThat(left).hasSize(1);
        }
    }

    /** A policy may have seen the path as an argument that its tool does not call one. */
    @ParameterizedTest
    @ValueSource(strings = {"./a.txt", "x/../a.txt", "a.txt/", ".//a.txt"})
    void aFileHasOneSpelling(String path) {
        files.write("a.txt", "x");
        String use = "'" + path + "' is another spelling of 'a.txt'; use that one";
        refused(use, () -> files.read(path, 5));
        refused(use, () -> files.write(path, "y"));
        refused(use, () -> files.size(path));
    }

    @Test
    void aFileIsReadWholeOrNotAtAll() throws IOException {
        files.write("a.txt", "123456");
        Files.write(workspace.resolve("b.bin"), new byte[] {(byte) 0xff, 0});

        refused("a.txt is larger than 5 bytes; call read_file for a part of it", () -> files.read("a.txt", 5));
        refused("b.bin is no UTF-8 text", () -> files.read("b.bin", 5));
        refused("there is no file 'c.txt'", () -> files.read("c.txt", 5));
        refused("at most 10485760 are allowed", () -> files.write("d", "x".repeat(WorkspaceFiles.MOST_BYTES + 1)));
        assertThatIllegalArgumentException().isThrownBy(() -> files.read("a.txt", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> files.list("**", WorkspaceFiles.MOST_PATHS + 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"../out.txt", "/etc/passwd", ".git/config", "sub/.GIT/config", "link/a.txt", "pipe", "", "sub"})
    void nothingLeadsOutOfTheWorkspace(String path) throws Exception {
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(outside.resolve("a.txt"), "secret");
        Files.createSymbolicLink(workspace.resolve("link"), outside);
        Files.createDirectories(workspace.resolve("sub"));
        assertThat(new ProcessBuilder("mkfifo", workspace.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();

        Consumer<Runnable> fails =
                use -> assertThatExceptionOfType(ToolException.class).isThrownBy(use::run);
        fails.accept(() -> files.read(path, 100));
        fails.accept(() -> files.write(path, "x"));
        assertThat(directory.resolve("out.txt")).doesNotExist();
        assertThat(outside.resolve("a.txt")).hasContent("secret");
    }

    @Test
    void listsFilesInTheirOrder() throws IOException {
        for (String path : new String[] {"b.java", "src/c.java", "src/a.java", "z.txt"}) {
            files.write(path, "");
        }
        Files.createDirectories(workspace.resolve(".git"));
        Files.writeString(workspace.resolve(".git/config"), "");
        Files.createSymbolicLink(workspace.resolve("l.java"), workspace.resolve("b.java"));

        assertThat(files.list("**", 10)).containsExactly("b.java", "src/a.java", "src/c.java", "z.txt");
        assertThat(files.list("**/*.java", 2)).containsExactly("b.java", "src/a.java");
        assertThat(files.list("*.kt", 2)).isEmpty();
        refused("not a glob pattern", () -> files.list("[a", 2));
    }

    @Test
    void nothingIsWrittenWhereItMustNot() {
        WorkspaceFiles reading = new AgentFiles(() -> workspace, true);
        refused("the workspace is read-only now; a.txt was not written", () -> reading.write("a.txt", "x"));
        assertThat(workspace.resolve("a.txt")).doesNotExist();
    }

    @Test
    void itIsToldWhenTheWorkspaceIsGone() {
        WorkspaceFiles gone = new AgentFiles(
                () -> {
                    throw new ToolException("coder-001 is not at work any more");
                },
                false);
        refused("not at work any more", () -> gone.read("a.txt", 1));
        refused("not at work any more", () -> gone.list("**", 1));
    }
}
