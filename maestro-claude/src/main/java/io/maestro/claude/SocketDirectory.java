package io.maestro.claude;

import io.maestro.claude.internal.gateway.Gateway;
import io.maestro.error.MaestroException;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A place for a socket that a container can be given and no other user of this machine can enter. The directory itself is closed
 * to others; one inside it, which is mounted, is open to whoever has come that far. Since the path of a socket has to be short, a
 * directory with a long path gets its socket in the system's directory for temporary files, and a note of where that is, by which
 * the next {@link #open} or {@link #remove} finds it after a crash. For one process at a time; safe for use by several threads.
 */
public final class SocketDirectory implements AutoCloseable {
    /** The name of the socket in the directory that is mounted. */
    public static final String SOCKET = "api.sock";

    /** Of 108 bytes on Linux and 104 on other systems, one ends the path. */
    private static final int LONGEST = 100;

    private static final String INNER = "s";
    private static final String NOTE = "elsewhere";
    private static final String PREFIX = "maestro-run-";
    private static final Set<PosixFilePermission> CLOSED = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OPEN = PosixFilePermissions.fromString("rwxr-xr-x");

    private final Path directory;
    private final Path inner;

    private SocketDirectory(Path directory, Path inner) {
        this.directory = directory;
        this.inner = inner;
    }

    /**
     * Makes the directory, or takes over what an ended process has left: the mounted directory stays the same then, so that a
     * container which has it mounted sees the new socket.
     *
     * @param directory one that nothing else is put into, for example {@code .maestro/run/<agent>}; its parents are made too
     * @return close it to remove it
     * @throws MaestroException when it cannot be made, one is there that was not made for this, or a process still listens there
     */
    public static SocketDirectory open(Path directory) {
        Path own = directory.toAbsolutePath().normalize();
        try {
            PrivateFiles.makeOwn(own);
            if (!Files.getPosixFilePermissions(own).equals(CLOSED)) {
                throw new MaestroException(
                        "the directory " + own + " is not closed to other users, so that nobody has made it for a"
                                + " socket: give one that is not there yet");
            }
            Path holder = own;
            if (bytes(own.resolve(INNER).resolve(SOCKET)) > LONGEST) {
                holder = elsewhere(own);
            }
            Path inner = holder.resolve(INNER);
            if (!Files.isDirectory(inner, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(inner);
            }
            Files.setPosixFilePermissions(inner, OPEN);
            removeSocket(inner);
            return new SocketDirectory(own, inner);
        } catch (IOException e) {
            throw new MaestroException("no directory for a socket at " + own + ": " + e, e);
        }
    }

    /**
     * Removes what an ended process has left of a directory; does nothing when there is none.
     *
     * @param directory as it was given to {@link #open}
     * @throws MaestroException when a process still listens there, or it cannot be removed
     */
    public static void remove(Path directory) {
        Path own = directory.toAbsolutePath().normalize();
        try {
            if (!Files.isDirectory(own, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            Optional<Path> other = noted(own);
            if (other.isPresent()) {
                removeHolder(other.get());
            }
            Files.deleteIfExists(own.resolve(NOTE));
            removeHolder(own);
        } catch (IOException e) {
            throw new MaestroException("the directory for a socket at " + own + " cannot be removed: " + e, e);
        }
    }

    /**
     * What is to be mounted, read-only, where the CLI runs.
     *
     * @return an absolute path
     */
    public Path mounted() {
        return inner;
    }

    /**
     * Where a gateway is to listen: {@link #SOCKET} in {@link #mounted}.
     *
     * @return an absolute path
     */
    public Path socket() {
        return inner.resolve(SOCKET);
    }

    /** Removes it with the socket. The gateway must be closed before. */
    @Override
    public void close() {
        remove(directory);
    }

    /** The path. */
    @Override
    public String toString() {
        return "SocketDirectory " + inner;
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    /** A directory with a short path; noted before it is made, so that none is ever forgotten. */
    private static Path elsewhere(Path own) throws IOException {
        Optional<Path> former = noted(own);
        if (former.isPresent() && Files.isDirectory(former.get(), LinkOption.NOFOLLOW_LINKS)) {
            return former.get();
        }
        byte[] random = new byte[8];
        new SecureRandom().nextBytes(random);
        Path chosen = temporary().resolve(PREFIX + HexFormat.of().formatHex(random));
        if (bytes(chosen.resolve(INNER).resolve(SOCKET)) > LONGEST) {
            throw new MaestroException(
                    "the path of a socket may have about " + LONGEST + " bytes, and both " + own
                            + " and the directory for temporary files are too long for it: set java.io.tmpdir to a shorter one");
        }
        Files.writeString(own.resolve(NOTE), chosen.toString());
        Files.createDirectory(chosen, PosixFilePermissions.asFileAttribute(CLOSED));
        return chosen;
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath().normalize();
    }

    /** Where the note points to, if it is a place that this class may have made. */
    private static Optional<Path> noted(Path own) throws IOException {
        Path note = own.resolve(NOTE);
        if (!Files.isRegularFile(note, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Path place = Path.of(Files.readString(note).strip());
        Path name = place.getFileName();
        boolean ours = name != null && name.toString().matches(PREFIX + "[0-9a-f]{16}") && place.isAbsolute();
        return ours && place.equals(place.normalize()) && owned(place, own) ? Optional.of(place) : Optional.empty();
    }

    /** In a directory that all may write to, another user may have put something of that name. */
    private static boolean owned(Path place, Path own) throws IOException {
        return Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)
                && Files.getPosixFilePermissions(place, LinkOption.NOFOLLOW_LINKS)
                        .equals(CLOSED)
                && Files.getOwner(place, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
    }

    /** Takes away what this class has made, and fails on anything else. */
    private static void removeHolder(Path holder) throws IOException {
        Path inner = holder.resolve(INNER);
        if (Files.isDirectory(inner, LinkOption.NOFOLLOW_LINKS)) {
            removeSocket(inner);
            Files.delete(inner);
        }
        Files.delete(holder);
    }

    private static void removeSocket(Path inner) throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.list(inner)) {
            found = all.toList();
        }
        for (Path path : found) {
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(path + " is a directory that does not belong there");
            }
            if (Gateway.answers(path)) {
                throw new MaestroException("a process still listens on " + path + ": end it first");
            }
            Files.delete(path);
        }
    }
}
