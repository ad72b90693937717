package io.maestro.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Writes small files so that after a power failure they hold either what they held before or all of the new content. */
public final class DurableFile {
    private DurableFile() {}

    /**
     * Writes a file and moves it to its place; both are on the disk when this returns.
     *
     * @param made where it is made, in the same directory; overwritten
     * @param file where it goes; replaced
     * @param content written as UTF-8
     */
    public static void write(Path made, Path file, String content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                made, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Path parent = Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file lies in a directory");
        try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}
