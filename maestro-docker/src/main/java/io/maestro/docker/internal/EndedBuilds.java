package io.maestro.docker.internal;

import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.error.MaestroException;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds of untrusted files that were ended. The older builders go on with the step at hand whatever becomes of their client, and
 * keep its image. So an ended build is over when the engine has ended it, too; then what it has left is removed: images with {@link
 * Labels#UNFINISHED}, as soon as nothing else is built here. Safe for use by several threads.
 */
final class EndedBuilds {
    private static final Logger LOG = LoggerFactory.getLogger(EndedBuilds.class);

    /** How long the engine may take to end a step, which may have to copy all that a build may write. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** So many looks in a row without a sign of the build: one of them may fall between two steps. */
    private static final int QUIET = 4;

    /** A step that writes less between two looks is not told from what others write. */
    private static final long NOISE = 8L << 20;

    /** How the older builders name the image of a step. */
    private static final Pattern MADE = Pattern.compile("^ ?--(?:-)?> ([0-9a-f]{11,64})$");

    private final Engine engine;
    private final ReadWriteLock builds = new ReentrantReadWriteLock();
    private volatile boolean left;

    EndedBuilds(Engine engine) {
        this.engine = engine;
    }

    /** Runs a build on the calling thread, and removes what ended ones have left when it was the only one. */
    <T> T counted(Supplier<T> build) {
        builds.readLock().lock();
        try {
            return build.get();
        } finally {
            builds.readLock().unlock();
            if (left && builds.writeLock().tryLock()) {
                try {
                    left = false;
                    removeLeft(engine, engine.instance().id());
                } finally {
                    builds.writeLock().unlock();
                }
            }
        }
    }

    /** Waits until the engine has ended a build whose client was ended: it has no container, and the disk loses nothing more. */
    void await() {
        left = true;
        try {
            awaitQuiet(engine.facts().storage());
        } catch (MaestroException e) {
            LOG.warn("whether the engine has ended a build is not known: {}", e.getMessage());
        }
    }

    private void awaitQuiet(Optional<Path> storage) {
        long end = System.nanoTime() + engine.cli().closing().left(LONGEST).toNanos();
        long free = free(storage);
        for (int quiet = 0; quiet < QUIET; ) {
            if (System.nanoTime() - end > 0) {
                LOG.warn(
                        "the engine {} goes on with a build that was ended; what it leaves is removed later",
                        engine.cli().host().name());
                return;
            }
            LockSupport.parkNanos(LOOK_NANOS);
            long before = free;
            free = free(storage);
            quiet = before - free <= NOISE && !runs() ? quiet + 1 : 0;
        }
    }

    private boolean runs() {
        return !engine.inspector()
                .labelled(
                        ObjectKind.CONTAINER,
                        Labels.UNFINISHED + "=" + engine.instance().id())
                .isEmpty();
    }

    private static long free(Optional<Path> storage) {
        try {
            return storage.isPresent() ? Files.getFileStore(storage.get()).getUsableSpace() : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Removes the images of steps that an instance's builds have left. None of it builds. */
    static void removeLeft(Engine engine, String instanceId) {
        Uninterrupted.run(() -> {
            try {
                engine.inspector()
                        .labelled(ObjectKind.IMAGE, Labels.UNFINISHED + "=" + instanceId)
                        .forEach(id -> engine.builder().removeUnnamed(id));
            } catch (MaestroException e) {
                LOG.warn("what builds have left is removed later: {}", e.getMessage());
            }
        });
    }

    /** The image of the last step, when the build has made it; not one from the cache, which may be in use elsewhere. */
    static Optional<String> lastMade(String output) {
        String last = null;
        boolean made = false;
        for (String line : output.lines().toList()) {
            String text = line.stripTrailing();
            Matcher matcher = MADE.matcher(text);
            if (text.toLowerCase(Locale.ROOT).startsWith("step ")) {
                // The base's own id follows a FROM of the classic builder.
                made = !text.contains(" FROM ");
            } else if (text.contains("Using cache")) {
                made = false;
                last = null;
            } else if (matcher.matches() && made) {
                last = matcher.group(1);
            }
        }
        return Optional.ofNullable(last);
    }
}
