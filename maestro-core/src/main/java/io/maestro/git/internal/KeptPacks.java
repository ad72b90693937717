package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packs of the last clone of a large mirror, beside it and out of reach of agents: to copy them is five times faster than to
 * let git make them again. They hold what is reachable from the commits and tags of a list, and nothing else. They appear and
 * are replaced as a whole; who finds them gone while it copies makes its own.
 */
final class KeptPacks {
    /** Below it git makes a pack in about 20 ms. */
    static final long LARGE = 4 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(KeptPacks.class);
    private static final String IDS = "ids";

    private final Mirror mirror;
    private final Path directory;

    /**
     * What is reachable from a commit, and the objects of some of the tags in there.
     *
     * @param commit its id
     * @param tags their ids; also those of commits, for tags that have no object of their own
     */
    record Contents(String commit, Set<String> tags) {
        List<String> ids() {
            return Stream.concat(Stream.of(commit), tags.stream()).toList();
        }
    }

    KeptPacks(Mirror mirror) {
        this.mirror = mirror;
        this.directory = mirror.directory().resolveSibling(mirror.directory().getFileName() + ".packs");
    }

    /**
     * Copies the packs into a clone, if nothing is in them that the clone is not to have.
     *
     * @param packs an empty directory
     * @param wanted what the clone has
     * @return what is there now; empty when nothing is
     */
    Optional<Contents> copyInto(Path packs, Contents wanted) throws IOException {
        try {
            List<String> ids = Files.readAllLines(directory.resolve(IDS));
            // After the version, which is there to be compared.
            Contents kept = new Contents(ids.get(1), new TreeSet<>(ids.subList(2, ids.size())));
            if (!wanted.tags().containsAll(kept.tags()) || !isIn(wanted.commit(), kept.commit())) {
                return Optional.empty();
            }
            copy(directory, packs);
            if (Files.readAllLines(directory.resolve(IDS)).equals(ids)) {
                return Optional.of(kept);
            }
        } catch (NoSuchFileException e) {
            // There are none yet, or they have just been replaced.
        }
        SafeDirectory.empty(packs);
        return Optional.empty();
    }

    private boolean isIn(String commit, String part) {
        return part.equals(commit)
                || mirror.git()
                                .local(
                                        mirror.parent(),
                                        "--git-dir=" + mirror.directory(),
                                        "merge-base",
                                        "--is-ancestor",
                                        part,
                                        commit)
                                .exitCode()
                        == 0;
    }

    /**
     * Keeps the packs of a clone, when it is large and so much of it had to be made that the next one gains by it.
     *
     * @param packs those of a clone that no agent has reached yet
     * @param contents what they hold
     * @param copied whether the clone began with the packs that are kept
     */
    void keep(Path packs, Contents contents, boolean copied) throws IOException {
        long size = size(packs);
        if (size < LARGE || copied && size - size(directory) < size / 8) {
            return;
        }
        String version = UUID.randomUUID().toString();
        Path made = Files.createDirectory(sibling(version));
        try {
            copy(packs, made);
            List<String> ids = new ArrayList<>(List.of(version));
            ids.addAll(contents.ids());
            Files.write(made.resolve(IDS), ids);
            force(made);
            boolean unused = mirror.locked(() -> replace(made));
        } catch (IOException e) {
            warn(e);
        } finally {
            SafeDirectory.deleteTree(made);
        }
    }

    /** Lock of the mirror held, which nothing that fails here makes unusable. */
    private boolean replace(Path made) {
        try {
            removeLeftovers(made);
            Path old = sibling("old");
            if (Files.exists(directory)) {
                // At once, for those who are copying them.
                Files.move(directory, old);
            }
            Files.move(made, directory);
            SafeDirectory.deleteTree(old);
            return true;
        } catch (IOException e) {
            warn(e);
            return false;
        }
    }

    /** Of the clone nothing is missing. */
    private void warn(IOException e) {
        LOG.warn(
                "the next workspaces take as long as this one: packs cannot be kept in {}: {}",
                directory,
                e.toString());
    }

    private Path sibling(String suffix) {
        return directory.resolveSibling(directory.getFileName() + "-" + suffix);
    }

    /** Of processes that were killed, or are still about to keep theirs and then do without. Lock of the mirror held. */
    private void removeLeftovers(Path made) throws IOException {
        try (DirectoryStream<Path> leftovers =
                Files.newDirectoryStream(mirror.parent(), directory.getFileName() + "-*")) {
            for (Path path : leftovers) {
                if (!path.equals(made)) {
                    SafeDirectory.deleteTree(path);
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path file : packs(from)) {
            Files.copy(file, to.resolve(file.getFileName()));
        }
    }

    private static void force(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                    channel.force(true);
                }
            }
        }
    }

    private static long size(Path directory) throws IOException {
        long sum = 0;
        for (Path file : packs(directory)) {
            sum += Files.size(file);
        }
        return sum;
    }

    private static List<Path> packs(Path directory) throws IOException {
        List<Path> packs = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "pack-*")) {
            files.forEach(packs::add);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return packs;
    }
}
