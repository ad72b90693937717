package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.rules.PathRules;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which blobs the files of a workspace became, so that one which nobody has changed since is not read again. A file
 * is the one that it was when its size, its times and its inode are the same. What counts is the time of the inode's last
 * change ({@code ctime}): the system sets it, and no agent can set it back. As in git, a file that was changed so recently that
 * another change could have the same time is not remembered; and where the file system has no such time, nothing is.
 *
 * <p>A write through mapped memory may show in that time late, so that what a review looks at is read
 * {@linkplain #forget() afresh}. Guarded by the lock of the workspace.
 */
final class BlobCache {
    /** More files are read each time. */
    private static final int MOST = 500_000;

    /** In the past, and in the range of each file system. */
    private static final FileTime LONG_AGO = FileTime.fromMillis(631_152_000_000L);

    private final Path probe;
    private Map<String, KnownBlob> before = new HashMap<>();
    private Map<String, KnownBlob> now = new HashMap<>();
    private SafeDirectory.@Nullable Inode started;
    private int read;

    /** What decides on the blob of a file. */
    record BlobKey(
            long size,
            FileTime modified,
            FileTime changed,
            Object file,
            @Nullable TreeEntry base,
            ObjectId attributes) {}

    private record KnownBlob(BlobKey key, ObjectId blob) {}

    /**
     * Starts with nothing.
     *
     * @param probe a file that may be made, on the file system of the workspace and out of the agents' reach
     */
    BlobCache(Path probe) {
        this.probe = probe;
    }

    /** To be called before each reading of the workspace. */
    void begin() throws IOException {
        before = now;
        now = new HashMap<>();
        read = 0;
        started = clock();
    }

    /** The next reading reads each file. */
    void forget() {
        now = new HashMap<>();
    }

    /** How many files were read since {@link #begin}. */
    int read() {
        return read;
    }

    /**
     * The file system's own time, and which one it is: other clocks may go differently. Null where the time of a change is one
     * that can be set.
     */
    private SafeDirectory.@Nullable Inode clock() throws IOException {
        PrivateFiles.makeMissing(ParentDirectory.of(probe));
        Files.deleteIfExists(probe);
        Files.createFile(probe);
        try {
            Files.setLastModifiedTime(probe, LONG_AGO);
            Map<String, Object> unix = Files.readAttributes(probe, "unix:dev,ctime", LinkOption.NOFOLLOW_LINKS);
            SafeDirectory.Inode clock = SafeDirectory.Inode.of(unix);
            return clock.changed().equals(Files.getLastModifiedTime(probe)) ? null : clock;
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return null;
        } finally {
            Files.delete(probe);
        }
    }

    /** What a file is known by; null when it must be read. To be asked for before it is read. */
    @Nullable
    BlobKey key(SafeDirectory directory, SafeDirectory.DirectoryEntry entry, @Nullable TreeEntry base, PathRules rules)
            throws IOException {
        SafeDirectory.Inode inode = started == null ? null : directory.inode(entry);
        if (started == null
                || inode == null
                || !inode.device().equals(started.device())
                || inode.changed().compareTo(started.changed()) >= 0) {
            return null;
        }
        return new BlobKey(
                entry.attributes().size(),
                entry.attributes().lastModifiedTime(),
                inode.changed(),
                entry.attributes().fileKey(),
                base,
                rules.attributesId());
    }

    /** The blob of a file that is what it was; null when it must be read. */
    @Nullable
    ObjectId get(String path, @Nullable BlobKey key) {
        KnownBlob known = key == null ? null : before.get(path);
        if (known != null && known.key.equals(key)) {
            return known.blob;
        }
        read++;
        return null;
    }

    /** Remembers a blob. */
    void put(String path, @Nullable BlobKey key, ObjectId blob) {
        if (key != null && now.size() < MOST) {
            now.put(path, new KnownBlob(key, blob));
        }
    }
}
