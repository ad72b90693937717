package io.maestro;

import io.maestro.error.MaestroException;
import io.maestro.internal.FileLocks;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second Maestro, of this process or another, out of a project directory: both would write to the same workspaces.
 * The operating system gives the lock back when the process ends, however it ends; the file itself stays. Removing the file lets
 * nobody in.
 */
final class ProjectLock implements AutoCloseable {
    private final FileLocks.Held held;

    private ProjectLock(FileLocks.Held held) {
        this.held = held;
    }

    /** Takes the lock, or says who has it. */
    static ProjectLock acquire(Path projectDirectory) {
        try {
            if (Files.exists(projectDirectory.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
                throw new MaestroException("the project directory " + projectDirectory
                        + " is a working copy of git; Maestro keeps its record and its own clones there, so name a"
                        + " directory beside it, and the working copy as repository(…)");
            }
            PrivateFiles.makeMissing(projectDirectory);
            // Somebody may just have been faster.
            PrivateFiles.requireTrusted(projectDirectory);
            Path file = PrivateFiles.makeOwn(projectDirectory.resolve(".maestro"))
                    .toRealPath()
                    .resolve("lock");
            Optional<FileLocks.Held> held = FileLocks.tryLock(file);
            if (held.isEmpty()) {
                throw inUse(projectDirectory, FileLocks.owner(file));
            }
            return new ProjectLock(held.get());
        } catch (IOException e) {
            throw unusable(projectDirectory, e);
        }
    }

    /**
     * The absolute path of a project directory in which no other user can have put settings, a record or a workspace. Changes nothing.
     *
     * @throws MaestroException when none is given, or it is no such one
     */
    static Path safe(@Nullable Path given) {
        if (given == null) {
            throw new MaestroException(
                    "Maestro needs a projectDirectory: set it by Maestro.builder().projectDirectory(…)");
        }
        Path directory = given.toAbsolutePath().normalize();
        try {
            PrivateFiles.requireTrusted(directory);
            PrivateFiles.requireOwn(directory.resolve(".maestro"));
            return directory;
        } catch (IOException e) {
            throw unusable(directory, e);
        }
    }

    private static MaestroException unusable(Path projectDirectory, IOException e) {
        return new MaestroException(
                "the project directory " + projectDirectory + " cannot be used: " + e
                        + "; it must be a directory that can be written",
                e);
    }

    private static MaestroException inUse(Path projectDirectory, OptionalLong owner) {
        String who = owner.isEmpty()
                ? "of another process"
                : owner.getAsLong() == ProcessHandle.current().pid() ? "in this JVM" : "process " + owner.getAsLong();
        return new MaestroException("another Maestro (" + who + ") uses the project directory " + projectDirectory
                + "; close it first, or give this one a directory of its own");
    }

    /** A second call does nothing. */
    @Override
    public void close() {
        try {
            held.close();
        } catch (IOException e) {
            throw new MaestroException("the lock on the project directory cannot be given back", e);
        }
    }
}
