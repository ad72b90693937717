package io.maestro.files.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent replaces a directory by a link between two steps of the host. */
class SafeDirectoryTest {
    @TempDir
    Path directory;

    private Path workspace;
    private Path outside;

    @BeforeEach
    void create() throws IOException {
        workspace = Files.createDirectories(directory.resolve("workspace"));
        outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(Files.createDirectories(workspace.resolve("real")).resolve("file"), "harmless");
        Files.writeString(outside.resolve("file"), "secret");
        try (var stream = Files.newDirectoryStream(directory)) {
            assumeTrue(stream instanceof SecureDirectoryStream);
        }
    }

    private void swap() throws IOException {
        Files.move(workspace.resolve("real"), workspace.resolve("aside"));
        Files.createSymbolicLink(workspace.resolve("real"), outside);
    }

    @Test
    void aLinkIsNotOpened() throws IOException {
        swap();
        Files.createSymbolicLink(workspace.resolve("link"), outside.resolve("file"));
        try (SafeDirectory root = SafeDirectory.open(workspace)) {
            assertThatThrownBy(() -> root.directory("real")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> root.read("link")).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> SafeDirectory.open(workspace.resolve("real"))).isInstanceOf(IOException.class);
    }

    @Test
    void aDirectoryThatWasOpenedStaysTheOneItWas() throws IOException {
        Path staging = Files.createDirectories(directory.resolve("staging"));
        Files.writeString(staging.resolve("new"), "new");
        try (SafeDirectory root = SafeDirectory.open(workspace);
                SafeDirectory opened = root.directory("real");
                SafeDirectory source = SafeDirectory.open(staging)) {
            swap();
            try (InputStream in = opened.read("file")) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("harmless");
            }
            assertThat(opened.attributes("file").size()).isEqualTo("harmless".length());
            opened.adopt(source, "new", "adopted");
            opened.delete("file", false);
            assertThat(opened.list())
                    .extracting(SafeDirectory.DirectoryEntry::name)
                    .containsExactly("adopted");
        }
        assertThat(workspace.resolve("aside/adopted")).hasContent("new");
        assertThat(outside.resolve("file")).hasContent("secret");
        assertThat(outside.toFile().list()).containsExactly("file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "../outside", "/", "/etc", "real/file", "real/", "a\0b", "\u00e9/x"})
    void aNameLeadsNowhereElse(String name) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(workspace)) {
            List<ThrowingCallable> all = List.of(
                    () -> root.directory(name),
                    () -> root.makeDirectory(root, name),
                    () -> root.attributes(name),
                    () -> root.read(name),
                    () -> root.write(name),
                    () -> root.link(name),
                    () -> root.adopt(root, name, "x"),
                    () -> root.adopt(root, "real", name),
                    () -> root.delete(name, true),
                    () -> root.deleteIfEmpty(name));
            for (ThrowingCallable call : all) {
                assertThatThrownBy(call)
                        .isInstanceOf(FileSystemException.class)
                        .hasMessageEndingWith("Not the name of a file");
            }
        }
        assertThat(workspace.toFile().list()).containsExactly("real");
    }

    @Test
    void aLinkIsNotWrittenThrough() throws IOException {
        Files.createSymbolicLink(workspace.resolve("link"), outside.resolve("file"));
        Files.createSymbolicLink(workspace.resolve("dangling"), outside.resolve("new"));
        try (SafeDirectory root = SafeDirectory.open(workspace)) {
            assertThatThrownBy(() -> root.write("link")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> root.write("dangling")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> root.makeDirectory(root, "link")).isInstanceOf(FileSystemException.class);
        }
        assertThat(outside.resolve("file")).hasContent("secret");
        assertThat(outside.toFile().list()).containsExactly("file");
        assertThat(workspace.toFile().list()).containsExactlyInAnyOrder("real", "link", "dangling");
    }

    @Test
    void aDirectoryIsMadeInTheOneThatIsOpen() throws IOException {
        try (SafeDirectory root = SafeDirectory.open(workspace);
                SafeDirectory opened = root.directory("real")) {
            swap();
            try (SafeDirectory made = opened.makeDirectory(root, "made");
                    OutputStream out = made.write("new")) {
                out.write('x');
            }
            try (SafeDirectory again = opened.makeDirectory(root, "made")) {
                assertThat(again.list())
                        .extracting(SafeDirectory.DirectoryEntry::name)
                        .containsExactly("new");
            }
        }
        assertThat(workspace.resolve("aside/made/new")).hasContent("x");
        assertThat(outside.toFile().list()).containsExactly("file");
        assertThat(workspace.toFile().list()).containsExactlyInAnyOrder("real", "aside");
    }

    @Test
    void aPipeIsNoDirectoryAndIsNotWaitedFor() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", workspace.resolve("pipe").toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        try (SafeDirectory root = SafeDirectory.open(workspace)) {
            assertThatThrownBy(() -> root.directory("pipe")).isInstanceOf(NotDirectoryException.class);
            assertThatThrownBy(() -> root.directory("none")).isInstanceOf(NoSuchFileException.class);
        }
    }

    private Path pipe(String name) throws Exception {
        Path pipe = workspace.resolve(name);
        assertThat(new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        return pipe;
    }

    @Test
    void aPipeIsNeitherReadNorWritten() throws Exception {
        pipe("pipe");
        try (SafeDirectory root = SafeDirectory.open(workspace)) {
            assertThatThrownBy(() -> root.read("pipe")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> root.write("pipe")).isInstanceOf(FileSystemException.class);
        }
    }

    /** It was a file when it was looked at. */
    @Test
    @Timeout(60)
    void aPipeThatTookAPlaceBetweenTwoStepsIsLeftBehindAndClosedWhenItOpens() throws Exception {
        Path pipe = pipe("pipe");
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (Opener opener = new Opener(Duration.ofMillis(500))) {
            assertThatThrownBy(() -> opener.open(
                            "pipe",
                            () -> Files.newByteChannel(pipe),
                            () -> {},
                            () -> events.add("stuck"),
                            () -> events.add("last")))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("does not open");
            assertThat(events).containsExactly("stuck");
            // What is asked for next is not kept waiting by it.
            opener.open("real", () -> Files.newDirectoryStream(workspace), () -> {}, () -> {}, () -> {})
                    .close();
        }
        try (OutputStream other = Files.newOutputStream(pipe)) {
            await(() -> events.contains("last"));
            await(() -> isBroken(other));
        }
        assertThat(events).containsExactly("stuck", "last");
    }

    /** No thread is left behind, and nobody waits to the limit. */
    @Test
    @Timeout(60)
    void aPipeThatTookAPlaceBetweenTwoStepsIsLetGoOf() throws Exception {
        Path pipe = pipe("pipe");
        try (Opener opener = new Opener(Duration.ofMinutes(5));
                DirectoryStream<Path> stream = Files.newDirectoryStream(workspace)) {
            assertThatThrownBy(() -> opener.open(
                            "pipe",
                            () -> Opener.requireFile("pipe", Files.newByteChannel(pipe)),
                            () -> Opener.release(stream, workspace, Path.of("pipe")),
                            () -> {},
                            () -> {}))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("No regular file");
        }
    }

    @Test
    @Timeout(60)
    void thereIsAnEndOfThreadsThatAreLeftBehindAndAnInterruptShortensTheWait() throws Exception {
        Path pipe = pipe("pipe");
        try (Opener opener = new Opener(Duration.ofMinutes(5))) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(
                            () -> opener.open("pipe", () -> Files.newByteChannel(pipe), () -> {}, () -> {}, () -> {}))
                    .isInstanceOf(FileSystemException.class);
            assertThat(Thread.interrupted()).isEqualTo(true);
        }
        Files.newByteChannel(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)
                .close();
        try (Opener opener = new Opener(Duration.ofMillis(20))) {
            for (int i = 0; i < 6; i++) {
                assertThatThrownBy(() ->
                                opener.open("pipe", () -> Files.newByteChannel(pipe), () -> {}, () -> {}, () -> {}))
                        .isInstanceOf(FileSystemException.class);
            }
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().startsWith("maestro-open")
                                    && Stream.of(thread.getStackTrace())
                                            .anyMatch(at -> at.getMethodName().contains("open0")))
                            .count())
                    .isLessThanOrEqualTo(4);
        }
        Files.newByteChannel(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)
                .close();
    }

    /** The whole work is on the thread that is left behind. */
    @Test
    @Timeout(60)
    void workThatOpensAPipeIsLeftBehindAndEndsWhenItOpens() throws Exception {
        Path pipe = pipe("pipe");
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        assertThatThrownBy(() -> WatchedOpener.run(Duration.ofMillis(500), opener -> {
                    opener.open("real", () -> Files.newDirectoryStream(workspace), () -> {}, () -> {}, () -> {})
                            .close();
                    try {
                        return opener.open("pipe", () -> Files.newByteChannel(pipe), () -> {}, () -> {}, () -> {});
                    } catch (CancellationException e) {
                        events.add(e.getMessage());
                        throw e;
                    }
                }))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("pipe")
                .hasMessageContaining("does not open");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> WatchedOpener.run(
                        Duration.ofMinutes(5),
                        opener -> opener.open("pipe", () -> Files.newByteChannel(pipe), () -> {}, () -> {}, () -> {})))
                .hasMessageContaining("does not open");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(events).isEmpty();
        try (OutputStream other = Files.newOutputStream(pipe)) {
            await(() -> !events.isEmpty());
            await(() -> isBroken(other));
        }
        assertThat(events).containsExactly("nobody waits for it any more");
    }

    /** Nobody reads at its other end. */
    private static boolean isBroken(OutputStream pipe) {
        try {
            pipe.write(1);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    @Timeout(60)
    void watchedWorkLetsGoOfAPipe() throws Exception {
        Path pipe = pipe("pipe");
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(workspace)) {
            assertThatThrownBy(() -> WatchedOpener.run(
                            Duration.ofMinutes(5),
                            opener -> opener.open(
                                    "pipe",
                                    () -> Opener.requireFile("pipe", Files.newByteChannel(pipe)),
                                    () -> Opener.release(stream, workspace, Path.of("pipe")),
                                    () -> {},
                                    () -> {})))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("No regular file");
        }
    }

    /** An agent swaps a file and a pipe as fast as it can. */
    @Test
    @Timeout(120)
    void aRaceWithPipesHangsNobody() throws Exception {
        Path pipe = pipe("pipe");
        Path file = Files.writeString(workspace.resolve("file"), "harmless");
        Process agent = new ProcessBuilder(
                        "sh",
                        "-c",
                        "while :; do ln -f pipe next; mv -f next name; ln -f file next; mv -f next name; done")
                .directory(workspace.toFile())
                .start();
        int read = 0;
        int refused = 0;
        try {
            await(() -> Files.exists(workspace.resolve("name")));
            long end = System.nanoTime() + 1_000_000_000L;
            while (System.nanoTime() < end) {
                try (SafeDirectory root = SafeDirectory.open(workspace, new Opener(Duration.ofMillis(200)));
                        InputStream in = root.read("name")) {
                    assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                            .isEqualTo("harmless");
                    read++;
                } catch (FileSystemException e) {
                    refused++;
                }
            }
        } finally {
            agent.destroyForcibly().waitFor();
            // Those who still wait for it go on.
            Files.newByteChannel(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)
                    .close();
        }
        assertThat(file).exists();
        assertThat(read).as("%s refused", refused).isPositive();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + 30_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    /** It is about to be deleted, and the path may lead elsewhere by then: nobody else gets more rights by it. */
    @Test
    void anInaccessibleDirectoryIsDeleted() throws IOException {
        Path locked = Files.createDirectories(workspace.resolve("real/locked"));
        Files.writeString(locked.resolve("file"), "x");
        Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("---rwxrwx"));
        SafeDirectory.deleteTree(workspace.resolve("real"));
        assertThat(workspace).isEmptyDirectory();
    }

    @Test
    void aWalkIsInOrderAndBounded() throws IOException {
        for (String name : new String[] {"b", "a/z", "a/.git/x", ".git/x", "real/\u00fc"}) {
            Path file = workspace.resolve(RawName.path(RawName.ofText(name)));
            Files.createDirectories(file.getParent());
            Files.writeString(file, "");
        }
        Files.createSymbolicLink(workspace.resolve("c"), outside);
        List<String> seen = new ArrayList<>();
        assertThat(FileWalk.walk(workspace, 9, (name, attributes) -> seen.add(RawName.text(name))))
                .isTrue();
        assertThat(seen).containsExactly("a/z", "b", "c", "real/file", "real/\u00fc");
        assertThat(FileWalk.walk(workspace, 8, (name, attributes) -> {})).isFalse();

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> FileWalk.walk(workspace, 9, (name, attributes) -> {}))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void bytesThatAreNoTextMakeTheRoundTrip() {
        for (String raw : new String[] {"a", "\u00e9\u00ff%41 +?#;", "b\u0080/c\u00fe", "/x/\u00e9", "\u00c3\u00a9"}) {
            assertThat(RawName.of(RawName.path(raw))).isEqualTo(raw);
        }
        assertThat(RawName.text("\u00c3\u00a9")).isEqualTo("é");
        assertThat(RawName.shown("a\nb\u001b[31m")).isEqualTo("a\\x0ab\\x1b[31m");
    }
}
