package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the mirror small: packs what lies about, and drops what nothing refers to any more, when there is enough of it. So the
 * mirror takes hardly more than one and a half times what lives in it.
 *
 * <p>What lives is what a ref reaches, and what the {@linkplain SnapshotObjects snapshots} of workspaces refer to. Other
 * objects stay for {@link #GRACE}, since a git process that has outlived its JVM may be about to refer to them. While it
 * works nobody changes the mirror, and nobody of this process clones it or takes a snapshot.
 */
final class MirrorUpkeep {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorUpkeep.class);
    private static final Duration GRACE = Duration.ofDays(1);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofHours(1);
    /** The space that the smallest file takes. */
    private static final long BLOCK = 4096;

    private static final long SMALL = 160 << 10;
    private static final int MOST_LOOSE = 2000;
    private static final int MOST_PACKS = 30;
    private static final Pattern PACK = Pattern.compile("(pack-[0-9a-f]+)\\..*");

    private final Mirror mirror;
    private final SnapshotObjects snapshots;
    private Instant notBefore = Instant.MIN;

    MirrorUpkeep(Mirror mirror, SnapshotObjects snapshots) {
        this.mirror = mirror;
        this.snapshots = snapshots;
    }

    /** What lies in the mirror, in bytes as they are taken on the disk. */
    private record Space(long largest, long unreachable, long rest, int packs, int loose) {
        boolean wasteful() {
            return rest > largest / 3 + SMALL;
        }

        boolean scattered() {
            return packs > MOST_PACKS || loose > MOST_LOOSE;
        }
    }

    /** Does what is due. A failure is no harm: what was not packed is packed later. Lock of the mirror held. */
    void runIfDue() throws IOException {
        Space space = space();
        boolean expired = space.unreachable > space.largest / 4 + SMALL && isExpired();
        if (Instant.now().isBefore(notBefore) || !(space.wasteful() || space.scattered() || expired)) {
            return;
        }
        Lock alone = mirror.alone();
        try {
            // Who clones or takes a snapshot ends soon; if not, then the next story does it.
            if (!alone.tryLock(5, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException("cancelled while waiting for those who read the mirror " + mirror.directory(), e);
        }
        try {
            run(space.wasteful() || expired);
            LOG.debug("packed the mirror {}: {} became {}", mirror.directory(), space, space());
        } catch (GitException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            notBefore = Instant.now().plus(PAUSE_AFTER_FAILURE);
            LOG.warn("the mirror {} could not be packed, it is used as it is: {}", mirror.directory(), e.getMessage());
        } finally {
            alone.unlock();
        }
    }

    /** Packs what lies about; all of it, or only what is small. What has expired goes with all. */
    void run(boolean all) throws IOException {
        removeTemporary();
        git("pack-refs", "--all", "--prune");
        if (all) {
            snapshots.keepUsed(mirror);
            String since = GRACE.toSeconds() + ".seconds.ago";
            git("repack", "-d", "-q", "--cruft", "--cruft-expiration=" + since);
            git("prune", "--expire=" + since);
        } else {
            git("repack", "-d", "-q", "--geometric=2");
        }
    }

    private void git(String... command) {
        List<String> arguments = new ArrayList<>(List.of("--git-dir=" + mirror.directory()));
        arguments.addAll(List.of(command));
        mirror.git()
                .local(mirror.parent(), arguments.toArray(String[]::new))
                .orThrow("cannot pack the mirror " + mirror.directory());
    }

    private Space space() throws IOException {
        Map<String, Long> packs = new HashMap<>();
        Set<String> cruft = new HashSet<>();
        long other = 0;
        int loose = 0;
        Path objects = mirror.directory().resolve("objects");
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(objects, "??")) {
            for (Path directory : directories) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                    for (Path file : files) {
                        loose++;
                        other += blocks(file);
                    }
                }
            }
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(objects.resolve("pack"), "pack-*")) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                String pack = PACK.matcher(name).replaceFirst("$1");
                packs.merge(pack, blocks(file), Long::sum);
                if (name.endsWith(".mtimes")) {
                    cruft.add(pack);
                }
            }
        }
        long unreachable =
                cruft.stream().mapToLong(pack -> packs.getOrDefault(pack, 0L)).sum();
        packs.keySet().removeAll(cruft);
        long sum = packs.values().stream().mapToLong(Long::longValue).sum();
        long largest = packs.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return new Space(largest, unreachable, sum - largest + other + refs(), packs.size(), loose);
    }

    private static long blocks(Path file) throws IOException {
        return (Files.size(file) + BLOCK - 1) / BLOCK * BLOCK;
    }

    /** Each loose ref is a file, mostly in directories of its own. */
    private long refs() throws IOException {
        long[] entries = {0};
        Files.walkFileTree(mirror.directory().resolve("refs"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                entries[0]++;
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
                entries[0]++;
                return FileVisitResult.CONTINUE;
            }
        });
        return entries[0] * BLOCK;
    }

    /** Whether a pack of what nothing refers to is so old that it can go. */
    private boolean isExpired() throws IOException {
        Path packs = mirror.directory().resolve("objects").resolve("pack");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(packs, "*.mtimes")) {
            for (Path file : files) {
                if (isOld(file)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What was being written when a process was killed. Git's own names, and JGit's. */
    private void removeTemporary() throws IOException {
        Files.walkFileTree(mirror.directory().resolve("objects"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = String.valueOf(file.getFileName());
                boolean temporary = name.startsWith("tmp_") || name.startsWith(".tmp-") || name.startsWith("noz");
                if (temporary && isOld(file)) {
                    Files.deleteIfExists(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static boolean isOld(Path file) throws IOException {
        return Files.getLastModifiedTime(file)
                .toInstant()
                .isBefore(Instant.now().minus(GRACE));
    }
}
