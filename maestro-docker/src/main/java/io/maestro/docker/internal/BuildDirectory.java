package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory for as long as an image is built from it. */
public final class BuildDirectory {
    private BuildDirectory() {}

    /** What is done with it. */
    @FunctionalInterface
    public interface Use<T> {
        T with(Path directory) throws IOException;
    }

    public static <T> T use(Path parent, Use<T> use) {
        Path directory = null;
        try {
            directory = Files.createTempDirectory(parent, "maestro-build-");
            return use.with(directory);
        } catch (IOException e) {
            throw new DockerException("the files of an image cannot be written to a temporary directory", e);
        } finally {
            if (directory != null) {
                delete(directory);
            }
        }
    }

    private static void delete(Path directory) {
        try {
            SafeDirectory.deleteTree(directory);
        } catch (IOException e) {
            throw new DockerException("the temporary directory " + directory + " cannot be deleted", e);
        }
    }
}
