package io.maestro.files.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that a tool writes is never seen half written, and is otherwise the one that it was. */
class WholeFileTest {
    @TempDir
    Path directory;

    private Path workspace;

    @BeforeEach
    void create() throws IOException {
        workspace = Files.createDirectories(directory.resolve("workspace"));
    }

    private void write(String name, byte[] content) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(workspace)) {
            WholeFile.write(root, name, content);
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(workspace)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static byte[] full(int size, int fill) {
        byte[] content = new byte[size];
        Arrays.fill(content, (byte) fill);
        return content;
    }

    @Test
    void whoeverReadsSeesOneOrTheOther() throws Exception {
        Path file = workspace.resolve("file");
        write("file", full(300_000, 'a'));
        AtomicBoolean goesOn = new AtomicBoolean(true);
        CompletableFuture<Set<String>> seen = CompletableFuture.supplyAsync(() -> {
            Set<String> kinds = new TreeSet<>();
            while (goesOn.get()) {
                try {
                    byte[] content = Files.readAllBytes(file);
                    kinds.add(content.length + " of " + (char) content[0]
                            + (Arrays.equals(content, full(content.length, content[0])) ? "" : " and others"));
                } catch (IOException | RuntimeException e) {
                    kinds.add(e.toString());
                }
            }
            return kinds;
        });
        for (int i = 0; i < 300; i++) {
            write("file", i % 2 == 0 ? full(200_000, 'b') : full(300_000, 'a'));
        }
        goesOn.set(false);
        assertThat(seen.get()).isSubsetOf("200000 of b", "300000 of a").isNotEmpty();
        assertThat(names()).containsExactly("file");
    }

    @Test
    void modeAndOwnerStay() throws Exception {
        Path file = workspace.resolve("run");
        Files.writeString(file, "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));
        boolean root = Files.getAttribute(file, "unix:uid").equals(0);
        if (root) {
            Files.setAttribute(file, "unix:uid", 4711);
            Files.setAttribute(file, "unix:gid", 4712);
        }
        Object uid = Files.getAttribute(file, "unix:uid");
        Object gid = Files.getAttribute(file, "unix:gid");
        write("run", "new".getBytes());
        assertThat(file).hasContent("new");
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(uid);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(gid);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x--x");
        assumeTrue(root, "only root can give a file to another user");
    }

    @Test
    void linksAndDirectoriesAreRefusedAndNothingIsLeft() throws Exception {
        Path outside = Files.writeString(directory.resolve("outside"), "secret");
        Files.createSymbolicLink(workspace.resolve("link"), outside);
        Files.createDirectory(workspace.resolve("sub"));
        for (String name : List.of("link", "sub")) {
            assertThatThrownBy(() -> write(name, full(10, 'x')))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("No regular file");
        }
        assertThat(outside).hasContent("secret");
        assertThat(Files.isSymbolicLink(workspace.resolve("link"))).isTrue();
        assertThat(Files.isDirectory(workspace.resolve("sub"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
        assertThat(names()).containsExactly("link", "sub");
    }

    /** Of a process that was killed while it wrote. */
    @Test
    void whatIsUnfinishedIsNoFileOfTheWorkspace() throws Exception {
        Files.writeString(workspace.resolve(WholeFile.unfinished()), "half");
        Files.writeString(workspace.resolve(".maestro-new-thing"), "somebody's");
        List<String> seen = new ArrayList<>();
        FileWalk.walk(workspace, 100, (path, attributes) -> seen.add(path));
        assertThat(seen).containsExactly(".maestro-new-thing");
    }
}
