package io.maestro;

import io.maestro.error.MaestroException;
import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A directory in that for temporary files, closed to other users, for as long as something is looked at. */
final class ScratchDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(ScratchDirectory.class);

    private ScratchDirectory() {}

    static <T> T use(Function<Path, T> work) {
        Path directory;
        try {
            directory = Files.createTempDirectory("maestro-check-").toRealPath();
        } catch (IOException e) {
            throw new MaestroException("no temporary directory can be made: " + e, e);
        }
        try {
            return work.apply(directory);
        } finally {
            try {
                SafeDirectory.deleteTree(directory);
            } catch (IOException e) {
                LOG.warn("the temporary directory {} cannot be deleted: {}", directory, e.toString());
            }
        }
    }
}
