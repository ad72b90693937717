package io.maestro;

import io.maestro.error.MaestroException;
import io.maestro.exec.internal.ShutdownHook;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A directory in that for temporary files, closed to other users, for as long as something is looked at. */
final class ScratchDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(ScratchDirectory.class);

    private static final int ATTEMPTS = 5;
    private static final Duration PAUSE = Duration.ofMillis(20);

    private ScratchDirectory() {}

    static <T> T use(Function<Path, T> work) {
        Path directory;
        try {
            directory = Files.createTempDirectory("maestro-check-").toRealPath();
        } catch (IOException e) {
            throw new MaestroException("no temporary directory can be made: " + e, e);
        }
        // Ctrl-C, too.
        ShutdownHook hook = new ShutdownHook(() -> delete(directory));
        try {
            return work.apply(directory);
        } finally {
            hook.remove();
            delete(directory);
        }
    }

    private static void delete(Path directory) {
        IOException failure = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                SafeDirectory.deleteTree(directory);
                return;
            } catch (IOException e) {
                // When the JVM is shut down, the work goes on meanwhile.
                failure = e;
                Uninterrupted.pause(PAUSE);
            }
        }
        LOG.warn("the temporary directory {} cannot be deleted: {}", directory, String.valueOf(failure));
    }
}
