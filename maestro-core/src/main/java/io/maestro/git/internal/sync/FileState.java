package io.maestro.git.internal.sync;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * How a file of the workspace looked when its content was last known.
 *
 * @param size in bytes
 * @param modified in nanoseconds since 1970
 * @param key the system's name for it, which a file that took its place does not share
 * @param mode its permission bits
 * @param recent whether it was so new that another change might not show in these
 * @param content the id of its content; null when it must be read
 */
record FileState(
        long size,
        long modified,
        @Nullable Object key,
        int mode,
        boolean recent,
        @Nullable ObjectId content) {
    private static final long TICK = 1_000_000_000L;

    static FileState of(BasicFileAttributes attributes, long now, @Nullable ObjectId content) {
        long modified = attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
        return new FileState(
                attributes.size(), modified, attributes.fileKey(), modeOf(attributes), modified > now - TICK, content);
    }

    boolean looksLike(FileState other) {
        return size == other.size && modified == other.modified && mode == other.mode && Objects.equals(key, other.key);
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
