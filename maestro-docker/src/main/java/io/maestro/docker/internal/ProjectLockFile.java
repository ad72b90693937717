package io.maestro.docker.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lock by which a Maestro keeps others out of its project directory, taken for a while. */
final class ProjectLockFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectLockFile.class);

    private final FileChannel channel;

    private ProjectLockFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock if nobody has it.
     *
     * @return empty when somebody has it, or it cannot be known
     */
    static Optional<ProjectLockFile> tryLock(Path project) {
        Path file = project.resolve(".maestro").resolve("lock");
        // Even to open and close the file would drop this process's own lock on it.
        if (isOpenHere(file)) {
            return Optional.empty();
        }
        @Nullable FileChannel channel = null;
        boolean held = false;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            held = lock != null;
            return held ? Optional.of(new ProjectLockFile(channel)) : Optional.empty();
        } catch (IOException | OverlappingFileLockException e) {
            LOG.debug("the lock {} cannot be taken", file, e);
            return Optional.empty();
        } finally {
            if (channel != null && !held) {
                close(channel);
            }
        }
    }

    /** Whether this process has the file open; true too where that cannot be known, as on macOS. */
    private static boolean isOpenHere(Path file) {
        if (!Files.exists(file)) {
            return false;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            Path real = file.toRealPath();
            for (Path descriptor : descriptors) {
                if (leadsTo(descriptor, real)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            // Closed meanwhile, such as the listing's own.
            return false;
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the lock on a project directory cannot be given back", e);
        }
    }

    @Override
    public void close() {
        close(channel);
    }
}
