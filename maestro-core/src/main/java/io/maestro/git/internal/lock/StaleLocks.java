package io.maestro.git.internal.lock;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the {@code *.lock} files that a killed git left in the mirror and that would refuse every later change. To be
 * called by the holder of the mirror's lock: nobody else writes there, except a git process that outlived a killed JVM;
 * such a process holds a lock only for moments, so one that is older than {@link #AGE} belongs to nobody.
 */
public final class StaleLocks {
    public static final Duration AGE = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(StaleLocks.class);
    private static final Pattern LOOSE_OBJECTS = Pattern.compile("[0-9a-f]{2}");

    private StaleLocks() {}

    /**
     * Removes those that are old enough.
     *
     * @param waited whether the caller has waited for {@link #AGE}; then one from the future counts as old, for somebody has
     *     set the clock back
     * @return how long it takes until the others are; zero when there are none
     */
    public static Duration remove(Path mirror, boolean waited) throws IOException {
        Duration wait = Duration.ZERO;
        for (Path lock : find(mirror)) {
            Duration left;
            try {
                Duration age = Duration.between(Files.getLastModifiedTime(lock).toInstant(), Instant.now());
                left = !age.isNegative() ? AGE.minus(age) : waited ? Duration.ZERO : AGE;
            } catch (NoSuchFileException e) {
                continue;
            }
            if (left.compareTo(Duration.ZERO) > 0) {
                wait = left.compareTo(wait) > 0 ? left : wait;
            } else if (Files.deleteIfExists(lock)) {
                LOG.warn("removed the lock {} that a killed process left behind", lock);
            }
        }
        return wait;
    }

    private static List<Path> find(Path mirror) throws IOException {
        List<Path> found = new ArrayList<>();
        Path objects = mirror.resolve("objects");
        Files.walkFileTree(mirror, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return objects.equals(directory.getParent())
                                && LOOSE_OBJECTS
                                        .matcher(String.valueOf(directory.getFileName()))
                                        .matches()
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().endsWith(".lock")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
