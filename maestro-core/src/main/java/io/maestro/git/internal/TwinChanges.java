package io.maestro.git.internal;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/** What was changed on this machine since a workspace and its twin were last the same. Immutable. */
public final class TwinChanges {
    final List<Change> written;
    final List<String> deleted;
    final Map<String, Seen> seen;

    TwinChanges(List<Change> written, List<String> deleted, Map<String, Seen> seen) {
        this.written = List.copyOf(written);
        this.deleted = List.copyOf(deleted);
        this.seen = seen;
    }

    /**
     * Whether nothing has to be taken to the twin.
     *
     * @return false when a file was written or deleted
     */
    public boolean isEmpty() {
        return written.isEmpty() && deleted.isEmpty();
    }

    /**
     * Which files and links are gone, and which directories have become a file or a link.
     *
     * @return their raw paths, relative to the workspace; a directory's ends with a slash
     */
    public List<String> deleted() {
        Set<String> files = new HashSet<>();
        for (Change change : written) {
            if (!change.attributes().isDirectory()) {
                files.add(change.path());
            }
        }
        Set<String> replaced = new LinkedHashSet<>();
        for (String path : deleted) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                if (files.contains(path.substring(0, slash))) {
                    replaced.add(path.substring(0, slash + 1));
                }
            }
        }
        List<String> all = new ArrayList<>(deleted);
        all.addAll(replaced);
        return all;
    }

    /**
     * Which of the files that have to be taken along git could have in a tree.
     *
     * @return their raw paths
     */
    public List<String> tracked() {
        return written.stream().filter(Change::tracked).map(Change::path).toList();
    }

    /**
     * A file, link or directory that has to be taken along.
     *
     * @param path its raw path
     * @param attributes its own
     * @param tracked whether it is one that git could have in a tree
     */
    record Change(String path, BasicFileAttributes attributes, boolean tracked) {}

    /**
     * How a file looked when its content was last known.
     *
     * @param size in bytes
     * @param modified in nanoseconds since 1970
     * @param key the system's name for it, which a file that took its place does not share
     * @param mode its permission bits
     * @param recent whether it was so new that another change might not show in these
     * @param content the id of its content; null when it must be read
     */
    record Seen(
            long size,
            long modified,
            @Nullable Object key,
            int mode,
            boolean recent,
            @Nullable ObjectId content) {
        private static final long TICK = 1_000_000_000L;

        static Seen of(BasicFileAttributes attributes, long now, @Nullable ObjectId content) {
            long modified = attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
            return new Seen(
                    attributes.size(),
                    modified,
                    attributes.fileKey(),
                    modeOf(attributes),
                    modified > now - TICK,
                    content);
        }

        boolean looksLike(Seen other) {
            return size == other.size
                    && modified == other.modified
                    && mode == other.mode
                    && Objects.equals(key, other.key);
        }
    }

    /** Permission bits; those of most files where the system has none. */
    static int modeOf(BasicFileAttributes attributes) {
        if (!(attributes instanceof PosixFileAttributes posix)) {
            return attributes.isDirectory() ? 0755 : 0644;
        }
        int mode = 0;
        for (PosixFilePermission permission : posix.permissions()) {
            mode |= switch (permission) {
                case OWNER_READ -> 0400;
                case OWNER_WRITE -> 0200;
                case OWNER_EXECUTE -> 0100;
                case GROUP_READ -> 040;
                case GROUP_WRITE -> 020;
                case GROUP_EXECUTE -> 010;
                case OTHERS_READ -> 04;
                case OTHERS_WRITE -> 02;
                case OTHERS_EXECUTE -> 01;
            };
        }
        return mode;
    }
}
