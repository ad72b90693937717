package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lock by which a Maestro keeps others out of its project directory, taken for a while. */
public final class ProjectLockFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectLockFile.class);

    private final FileChannel channel;

    private ProjectLockFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock for a program that uses containers without a Maestro.
     *
     * @throws DockerException when the directory is in use
     */
    public static ProjectLockFile hold(Path projectDirectory) {
        Path project = ProjectFiles.make(projectDirectory).project();
        Path file = file(project);
        // Where it cannot be known whether this process has the file open, a directory must be usable twice all the
        // same.
        Optional<ProjectLockFile> lock = isOpenHere(file).orElse(false) ? Optional.empty() : lock(file);
        ProjectLockFile held = lock.orElseThrow(() -> new DockerException(
                "the project directory " + project + " is in use by another program, or twice in this one;"
                        + " close it first, or choose another directory",
                null));
        held.writeOwner();
        return held;
    }

    /**
     * Takes the lock of another's project if nobody has it.
     *
     * @return empty when somebody has it, or it cannot be known
     */
    static Optional<ProjectLockFile> tryLock(Path project) {
        Path file = file(project);
        // Even to open and close the file would drop this process's own lock on it.
        return isOpenHere(file).orElse(true) ? Optional.empty() : lock(file);
    }

    private static Path file(Path project) {
        return project.resolve(".maestro").resolve("lock");
    }

    private static Optional<ProjectLockFile> lock(Path file) {
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

    /** Whom a Maestro names that wants it too. */
    private void writeOwner() {
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            LOG.debug("the owner of a lock is not written down", e);
        }
    }

    /** Whether this process has the file open; empty where that cannot be known, as on macOS. */
    private static Optional<Boolean> isOpenHere(Path file) {
        if (!Files.exists(file)) {
            return Optional.of(false);
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            Path real = file.toRealPath();
            for (Path descriptor : descriptors) {
                if (leadsTo(descriptor, real)) {
                    return Optional.of(true);
                }
            }
            return Optional.of(false);
        } catch (IOException | DirectoryIteratorException e) {
            return Optional.empty();
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

    /** Gives it back. A second call does nothing. */
    @Override
    public void close() {
        close(channel);
    }
}
