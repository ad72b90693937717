package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.internal.FileLocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lock by which a Maestro keeps others out of its project directory, taken for a while. */
public final class ProjectLockFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectLockFile.class);

    private final FileLocks.Held held;

    private ProjectLockFile(FileLocks.Held held) {
        this.held = held;
    }

    /**
     * Takes the lock for a program that uses containers without a Maestro.
     *
     * @throws DockerException when the directory is in use
     */
    public static ProjectLockFile hold(Path projectDirectory) {
        Path project = ProjectFiles.make(projectDirectory).project();
        return tryLock(project)
                .orElseThrow(() -> new DockerException(
                        "the project directory " + project + " is in use by another program, or twice in this one;"
                                + " close it first, or choose another directory",
                        null));
    }

    /**
     * Takes the lock of another's project if nobody has it.
     *
     * @return empty when somebody has it, or it cannot be known
     */
    static Optional<ProjectLockFile> tryLock(Path project) {
        Path directory = project.resolve(".maestro");
        try {
            return FileLocks.tryLock(directory.toRealPath().resolve("lock")).map(ProjectLockFile::new);
        } catch (IOException e) {
            LOG.debug("the lock in {} cannot be taken", directory, e);
            return Optional.empty();
        }
    }

    /** Gives it back. A second call does nothing. */
    @Override
    public void close() {
        try {
            held.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the lock on a project directory cannot be given back", e);
        }
    }
}
