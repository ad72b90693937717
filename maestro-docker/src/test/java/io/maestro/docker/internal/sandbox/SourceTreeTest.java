package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.workspace.TarWriter;
import io.maestro.internal.RawName;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trees of this machine that change while they are read. */
class SourceTreeTest {
    private static final CopyLimits LIMITS = new CopyLimits(1000, 20);

    @TempDir
    Path directory;

    private Path tree;

    @BeforeEach
    void prepare() throws IOException {
        tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("f"), "x".repeat(600));
    }

    private static String written(SourceTree source) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarWriter tar = new TarWriter(bytes, "", 0, 0)) {
            source.write(tar, "t");
        }
        return RawName.of(bytes.toByteArray());
    }

    @Test
    void whatHasGrownSinceItWasCheckedIsRefused() throws IOException {
        SourceTree source = new SourceTree(tree, LIMITS);
        source.check();
        Files.writeString(tree.resolve("g"), "x".repeat(600));
        assertThatThrownBy(() -> written(source))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("more than 1000 bytes by now");
    }

    @Test
    void aFileWithLessThanItSaysIsRefused() throws IOException {
        // The kernel says that it has a page.
        Path file = Path.of("/sys/kernel/uevent_seqnum");
        assumeTrue(Files.isReadable(file) && Files.size(file) > 1000, "no such file here");
        SourceTree source = new SourceTree(file, CopyLimits.DEFAULT);
        source.check();
        assertThatThrownBy(() -> written(source))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("shorter");
    }

    @Test
    void directoriesInEachOtherHaveAnEnd() throws IOException {
        Files.createDirectories(tree.resolve("d/".repeat(CopyLimits.DEPTH)));
        assertThatThrownBy(() -> new SourceTree(tree, CopyLimits.DEFAULT).check())
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("directories in each other");
    }

    @Test
    void anInterruptEndsIt() throws IOException {
        SourceTree source = new SourceTree(tree, LIMITS);
        Thread.currentThread().interrupt();
        assertThatThrownBy(source::check).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void noDirectoryThatBecomesALinkIsFollowed() throws Exception {
        Path secret = Files.createDirectory(directory.resolve("outside")).resolve("f");
        Files.writeString(secret, "SECRET");
        Path kept = Files.createDirectory(directory.resolve("kept"));
        Files.writeString(Files.createDirectory(kept.resolve("real")).resolve("f"), "fine");
        Path link = Files.createSymbolicLink(kept.resolve("link"), secret.getParent());
        Path place = tree.resolve("d");
        AtomicBoolean end = new AtomicBoolean();
        Thread swap = new Thread(() -> {
            try {
                while (!end.get()) {
                    Files.move(kept.resolve("real"), place);
                    Files.move(place, kept.resolve("real"));
                    Files.move(link, place);
                    Files.move(place, link);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        swap.start();
        int real = 0;
        try {
            for (int i = 0; i < 500; i++) {
                try {
                    String text = written(new SourceTree(tree, LIMITS));
                    assertThat(text).doesNotContain("SECRET");
                    real += text.contains("fine") ? 1 : 0;
                } catch (IOException e) {
                    // It was gone, or no directory any more.
                }
            }
        } finally {
            end.set(true);
            swap.join();
        }
        assertThat(real).isPositive();
    }
}
