package io.maestro.docker.internal.compose;

import io.maestro.docker.internal.BuildFiles;
import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import io.maestro.docker.internal.compose.WorkspaceFiles.ResolvedFile;
import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A copy of what an image is built from, out of the agents' reach: while the engine's client reads a directory, an agent could
 * put a link to anywhere in the place of a file. Without {@code .git}, and without links that lead out. Deleted when it is closed.
 */
public final class BuildCopy implements AutoCloseable {
    /** How much is copied at most. */
    private static final long MOST_BYTES = 2L << 30;

    private final Path directory;
    private final Path context;
    private final Path dockerfile;

    private BuildCopy(Path directory, Path context, Path dockerfile) {
        this.directory = directory;
        this.context = context;
        this.dockerfile = dockerfile;
    }

    /**
     * Copies.
     *
     * @param workspace the workspace
     * @param context the directory that is built from, relative to it
     * @param dockerfile the Dockerfile, relative to the workspace
     * @param parent where the copy is made, out of the agents' reach
     * @param secrets what must not be in it
     * @throws IllegalArgumentException when something is not there, leads out or is too large; the message is for a model
     */
    public static BuildCopy of(Path workspace, Path context, Path dockerfile, Path parent, KnownSecrets secrets) {
        Path directory = parent.resolve(UUID.randomUUID().toString());
        boolean good = false;
        try {
            WorkspaceFiles files = new WorkspaceFiles(workspace);
            // Before anything is copied: a giant one would be, too.
            files.read(files.find(Path.of(""), dockerfile.toString()), BuildFiles.MOST_BYTES);
            WorkspaceCopies copies = new WorkspaceCopies(files, directory, MOST_BYTES, secrets);
            ResolvedFile from = files.find(Path.of(""), context.toString().isEmpty() ? "." : context.toString());
            Path copied = copies.forBuild(from);
            Path inContext =
                    dockerfile.startsWith(context) || context.toString().isEmpty()
                            ? copied.resolve(context.toString().isEmpty() ? dockerfile : context.relativize(dockerfile))
                            : copies.file(files.find(Path.of(""), dockerfile.toString()));
            good = true;
            return new BuildCopy(directory, copied, inContext);
        } catch (RefusedFileException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the files to build from cannot be copied: " + WorkspaceFiles.reason(e), e);
        } finally {
            if (!good) {
                delete(directory);
            }
        }
    }

    /** Nothing outside of it is read. */
    public Path root() {
        return dockerfile.startsWith(context) ? context : directory;
    }

    /** The directory that is built from. */
    public Path context() {
        return context;
    }

    /** The Dockerfile. */
    public Path dockerfile() {
        return dockerfile;
    }

    private static void delete(Path directory) {
        try {
            SafeDirectory.deleteTree(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("the copy of a workspace in " + directory + " cannot be deleted", e);
        }
    }

    @Override
    public void close() {
        delete(directory);
    }
}
