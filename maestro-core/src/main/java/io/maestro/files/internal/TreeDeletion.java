package io.maestro.files.internal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;

/** Deletes what is in a directory. */
final class TreeDeletion {
    /** Deeper levels are flattened while they are deleted, so that neither the stack nor the open files run out. */
    private static final int MAX_DEPTH = 64;

    private static final Set<PosixFilePermission> OWNER = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    private TreeDeletion() {}

    /**
     * Deletes an entry of a directory with all that is in it.
     *
     * @return whether something was moved up to the root, which has to be deleted in another round
     */
    static boolean delete(SafeDirectory root, SafeDirectory parent, SafeDirectory.DirectoryEntry entry, int depth)
            throws IOException {
        if (!entry.attributes().isDirectory()) {
            parent.delete(entry.name(), false);
            return false;
        }
        if (depth >= MAX_DEPTH) {
            root.adopt(parent, entry.name(), ".maestro-deleted-" + UUID.randomUUID());
            return true;
        }
        boolean moved = false;
        makeAccessible(parent, entry.name());
        try (SafeDirectory child = parent.directory(entry.name())) {
            for (SafeDirectory.DirectoryEntry inner : child.list()) {
                moved |= delete(root, child, inner, depth + 1);
            }
        }
        parent.delete(entry.name(), true);
        return moved;
    }

    /** Lets the owner into a directory that the owner may not read or change (chmod 000). */
    private static void makeAccessible(SafeDirectory parent, String name) throws IOException {
        if (parent.attributes(name) instanceof PosixFileAttributes posix
                && !posix.permissions().containsAll(OWNER)
                && posix.isDirectory()) {
            try {
                // Java has no way to do it but by its path. Should an agent win the race and put a link there, then
                // what it points to is still opened to nobody but its owner.
                Files.setPosixFilePermissions(parent.path(name), OWNER);
            } catch (AccessDeniedException e) {
                // Opening it says what is wrong.
            }
        }
    }
}
