package io.maestro.files.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is read that was just listed, and may be another or none by now. */
class ListedFileTest {
    @TempDir
    Path directory;

    @Test
    void asMuchIsReadAsThereIsRoomForOrInTheFile() throws IOException {
        Files.writeString(directory.resolve("file"), "abcdef");
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            byte[] bytes = new byte[9];
            assertThat(root.readListed("file", ByteBuffer.wrap(bytes, 0, 4))).isEqualTo(4);
            assertThat(bytes).startsWith("abcd".getBytes()).endsWith(0, 0, 0, 0, 0);
            assertThat(root.readListed("file", ByteBuffer.wrap(bytes))).isEqualTo(6);
        }
    }

    /** Only a pipe that somebody has open for writing opens; nothing is read from it. */
    @Test
    void whatHasTakenItsPlaceIsAMatterOfThisOneFile() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Files.createDirectory(directory.resolve("directory"));
        Files.createSymbolicLink(directory.resolve("link"), Files.writeString(directory.resolve("file"), "secret"));
        try (RandomAccessFile other = new RandomAccessFile(pipe.toFile(), "rw");
                SafeDirectory root = SafeDirectory.open(directory)) {
            other.write(new byte[10]);
            for (String name : new String[] {"pipe", "directory", "link", "gone"}) {
                assertThatThrownBy(() -> root.readListed(name, ByteBuffer.allocate(5)), name)
                        .isInstanceOf(FileSystemException.class)
                        .hasMessageContaining(name);
            }
            assertThat(other.read()).isZero();
        }
    }
}
