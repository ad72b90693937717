package io.maestro.testing;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Puts the directories of tests into memory where there is room: git and SQLite wait for the disk after every step, and nearly
 * all that a test of a story takes is that wait. Tests with the tag {@value #ENGINE} get theirs on the disk: an engine mounts
 * them, and nothing below {@code /dev} is ever mounted.
 */
public final class MemoryTempDir implements TempDirFactory {
    private static final String ENGINE = "engine";
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 4L << 30;

    /** For JUnit, which finds it by its name in {@code junit-platform.properties}. */
    public MemoryTempDir() {}

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
        return context.getTags().contains(ENGINE) ? Files.createTempDirectory("junit-") : create("junit-");
    }

    /**
     * A new directory that its caller removes.
     *
     * @param prefix what its name begins with
     * @return a directory in memory, or where there is no room, a temporary one
     */
    public static Path create(String prefix) throws IOException {
        return hasRoom() ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
    }

    private static boolean hasRoom() throws IOException {
        if (!Files.isWritable(MEMORY)) {
            return false;
        }
        FileStore store = Files.getFileStore(MEMORY);
        return store.type().equals("tmpfs") && store.getUsableSpace() > ROOM;
    }
}
