package io.maestro.docker.internal.egress;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A place for the socket of a proxy that a container can be given and no other user of this machine can enter: a closed directory
 * with an open one in it, which is mounted.
 */
final class EgressSocket implements AutoCloseable {
    /** The name of the socket in {@link #mounted}. */
    static final String NAME = "s";

    /** Of 108 bytes on Linux and 104 on other systems, one ends the path. */
    private static final int LONGEST = 100;

    private final Path closed;
    private final Path mounted;

    /** @param wanted a directory that nothing else is put into; where its path is too long for a socket, it is elsewhere */
    EgressSocket(Path wanted) throws IOException {
        Path socket = wanted.resolve(NAME).resolve(NAME);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            closed = Files.createTempDirectory("maestro-egress-");
        } else {
            closed = PrivateFiles.makeOwn(wanted);
        }
        mounted = Files.createDirectory(closed.resolve(NAME));
        Files.setPosixFilePermissions(mounted, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Path mounted() {
        return mounted;
    }

    Path socket() {
        return mounted.resolve(NAME);
    }

    /** Lets whoever sees the directory connect. */
    void open() throws IOException {
        Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @Override
    public void close() throws IOException {
        SafeDirectory.deleteTree(closed);
    }
}
