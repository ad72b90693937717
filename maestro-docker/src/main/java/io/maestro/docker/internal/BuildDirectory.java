package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory for as long as an image is built from it. */
final class BuildDirectory {
    private BuildDirectory() {}

    /** What is done with it. */
    @FunctionalInterface
    interface Use<T> {
        T with(Path directory) throws IOException;
    }

    static <T> T use(Path parent, Use<T> use) {
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
        try (Stream<Path> paths = Files.walk(directory)) {
            List<Path> all = paths.sorted(Comparator.reverseOrder()).toList();
            for (Path path : all) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new DockerException("the temporary directory " + directory + " cannot be deleted", e);
        }
    }
}
