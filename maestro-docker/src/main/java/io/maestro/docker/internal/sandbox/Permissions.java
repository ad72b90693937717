package io.maestro.docker.internal.sandbox;

import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Permissions of files as numbers. A number has nine bits: those for another user or group are no permissions here. */
final class Permissions {
    private static final int OWNER_READ = 0400;

    /** An owner who may read and write, or look into a directory and change it. */
    static final int OF_FILE = 0600;

    static final int OF_DIRECTORY = 0700;

    /** From the highest bit on. */
    private static final List<PosixFilePermission> ORDER = List.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    private Permissions() {}

    /** What a file of this machine has; where there are no permissions, what its owner needs. */
    static int of(BasicFileAttributes attributes) {
        int mode = attributes.isDirectory() ? OF_DIRECTORY : OF_FILE;
        if (attributes instanceof PosixFileAttributes posix) {
            for (PosixFilePermission permission : posix.permissions()) {
                mode |= OWNER_READ >> ORDER.indexOf(permission);
            }
        }
        return mode;
    }

    /** To make a file with; none where files have no permissions. The process's own mask takes some away. */
    static FileAttribute<?>[] attributes(Path where, int mode) {
        if (!where.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & OWNER_READ >> ORDER.indexOf(permission)) != 0) {
                permissions.add(permission);
            }
        }
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
    }
}
