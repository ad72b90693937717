package io.maestro.internal;

import io.maestro.error.MaestroException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the directories and files of Maestro's own that lie in a person's directories: they are closed to other users from the moment
 * they are made. The mode and the owner of a directory that is there are never changed; one that another user has made, and a
 * symbolic link, is refused where a directory of Maestro's own is wanted. Safe for use by several threads.
 *
 * <p>Only users who may rename what is in the directory above can get around this: its owner, and where it is writable for others
 * without the sticky bit, they.
 */
public final class PrivateFiles {
    private static final FileAttribute<?> DIRECTORY = mode("rwx------");
    private static final FileAttribute<?> FILE = mode("rw-------");
    private static final Integer ROOT = 0;

    /** On Linux: belongs to the user as whom the process runs. */
    private static final Path PROCESS = Path.of("/proc/self");

    private static volatile @Nullable Object self;

    private PrivateFiles() {}

    private static FileAttribute<?> mode(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }

    /**
     * Makes a directory and those above it, as far as they are missing, or takes one that is there, whosever it is.
     *
     * @return the directory
     */
    public static Path makeMissing(Path directory) throws IOException {
        return hasOwners(directory)
                ? Files.createDirectories(directory, DIRECTORY)
                : Files.createDirectories(directory);
    }

    /**
     * Makes a directory of Maestro's own, and those above it, as far as they are missing.
     *
     * @return the directory
     * @throws MaestroException when it is refused, as by {@link #requireOwn}
     */
    public static Path makeOwn(Path directory) throws IOException {
        requireOwn(directory);
        makeMissing(directory);
        requireOwn(directory);
        return directory;
    }

    /** What a file is to be made with. */
    public static FileAttribute<?>[] fileMode(Path file) {
        return hasOwners(file) ? new FileAttribute<?>[] {FILE} : new FileAttribute<?>[0];
    }

    /**
     * Makes an empty file where there is none.
     *
     * @throws MaestroException when it is a symbolic link
     */
    public static void makeFile(Path file) throws IOException {
        try {
            Files.createFile(file, fileMode(file));
        } catch (FileAlreadyExistsException e) {
            // It keeps its mode.
            if (Files.isSymbolicLink(file)) {
                throw new MaestroException(file + " is a symbolic link, which Maestro does not follow there: replace it"
                        + " by the file that it leads to");
            }
        }
    }

    /**
     * Reads a file that is obeyed, such as one with settings: nobody but this user and root may say what is in it.
     *
     * @param most how many bytes it may have
     * @return its text in UTF-8
     * @throws MaestroException when it is longer or no regular file, it or a link to it was made by another user, or all users may
     *     write to it
     */
    public static String readTrusted(Path file, int most) throws IOException {
        // Before it is opened: a pipe would keep its reader waiting.
        if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
            throw new MaestroException(file + " is no regular file");
        }
        if (hasOwners(file)) {
            for (Path part : List.of(file, file.toRealPath())) {
                requireTrusted(part);
                Object owner = owner(part);
                if (!owner.equals(self()) && !owner.equals(ROOT)) {
                    throw new MaestroException(part + " belongs to the user " + ownerName(part)
                            + ", and Maestro runs as " + System.getProperty("user.name")
                            + ": run it as that user, or make a file of your own");
                }
            }
            if (isWritableForAll(file)) {
                throw new MaestroException(
                        "all users of this machine may write to " + file + ": run 'chmod o-w " + file + "'");
            }
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(most + 1);
        }
        if (bytes.length > most) {
            throw new MaestroException(file + " is larger than " + most + " bytes");
        }
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    /**
     * Refuses a directory that cannot be Maestro's own. One that is not there is none of these; nothing is changed.
     *
     * @throws MaestroException when it is a symbolic link, another user's, or writable for all users
     */
    public static void requireOwn(Path directory) throws IOException {
        if (!hasOwners(directory) || !Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (Files.isSymbolicLink(directory)) {
            throw new MaestroException(
                    directory + " is a symbolic link, which Maestro does not follow there: replace it by a"
                            + " directory, or use another project directory");
        }
        if (!owner(directory).equals(self())) {
            throw new MaestroException(directory + " belongs to the user "
                    + ownerName(directory) + ", and Maestro runs as "
                    + System.getProperty("user.name") + ": run it as that user, or use another project directory");
        }
        if (isWritableForAll(directory)) {
            throw new MaestroException("all users of this machine may write to " + directory + ": run 'chmod o-w "
                    + directory + "', or use a project directory on a file system that keeps modes");
        }
    }

    /**
     * Refuses a path on which another user may have put something: in a directory that is writable for its group or all users counts
     * only what this user, root or that directory's owner has made. One that is not there is not refused; nothing is changed.
     *
     * @throws MaestroException when somebody else has made a part of the path
     */
    public static void requireTrusted(Path path) throws IOException {
        if (!hasOwners(path)) {
            return;
        }
        Path above;
        for (Path part = path.toAbsolutePath(); (above = part.getParent()) != null; part = above) {
            if (!Files.exists(part, LinkOption.NOFOLLOW_LINKS) || !isWritableForOthers(above)) {
                continue;
            }
            Object owner = owner(part);
            if (!owner.equals(self()) && !owner.equals(ROOT) && !owner.equals(Files.getAttribute(above, "unix:uid"))) {
                throw new MaestroException(part + " was made by the user " + ownerName(part) + " in " + above
                        + ", where others may write: use another directory");
            }
        }
    }

    private static boolean hasOwners(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    private static boolean isWritableForAll(Path directory) throws IOException {
        return Files.getPosixFilePermissions(directory).contains(PosixFilePermission.OTHERS_WRITE);
    }

    /** Whether other users may; those of the group count, as nobody knows here whether it has others. */
    private static boolean isWritableForOthers(Path directory) throws IOException {
        return isWritableForAll(directory)
                || Files.getPosixFilePermissions(directory).contains(PosixFilePermission.GROUP_WRITE);
    }

    private static String ownerName(Path path) throws IOException {
        return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName();
    }

    private static Object owner(Path path) throws IOException {
        return Objects.requireNonNull(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS));
    }

    /** The user that files of this process belong to. Java says it in no other way. */
    private static Object self() throws IOException {
        Object known = self;
        if (known == null) {
            known = Files.exists(PROCESS) ? Files.getAttribute(PROCESS, "unix:uid") : ownerOfNewFile();
            self = known;
        }
        return Objects.requireNonNull(known);
    }

    private static Object ownerOfNewFile() throws IOException {
        Path file = Files.createTempFile("maestro-", ".user");
        try {
            return owner(file);
        } finally {
            Files.delete(file);
        }
    }
}
