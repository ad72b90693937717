package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.ClientStream;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.sandbox.TarReader.Entry;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The client's command {@code cp} for one container, with archives on its standard streams. Safe for use by several threads. */
final class CopyClient {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** What docker up to 20.10, docker and podman say; not that the container itself is missing. */
    private static final Pattern MISSING = Pattern.compile("(?i)no such container:path|could not find the file"
            + "|could not be found on container|no such file or directory");

    private final DockerCli cli;
    private final Container container;

    CopyClient(DockerCli cli, Container container) {
        this.cli = cli;
        this.container = container;
    }

    /** What is at a path. */
    enum PathKind {
        DIRECTORY,
        LINK,
        /** A file, or something that is none of these. */
        OTHER,
        MISSING
    }

    /** Reads an archive. */
    @FunctionalInterface
    interface ArchiveReceiver {
        void receive(InputStream archive) throws IOException;
    }

    /** What was asked for; all that comes behind it is not read. */
    private static final class SeenException extends DockerException {
        private static final long serialVersionUID = 1L;
        private final PathKind kind;

        SeenException(PathKind kind) {
            super("the archive is not read to its end", null);
            this.kind = kind;
        }
    }

    /**
     * What is at a path; a link at its end is not followed by docker, and is by podman.
     *
     * @param path absolute
     * @throws DockerException when the client fails in another way than that there is nothing
     */
    PathKind look(String path) {
        try {
            pack("looking at " + path, path, archive -> {
                Entry first = new TarReader(archive).next();
                if (first == null) {
                    throw new EOFException("the archive is empty");
                }
                throw new SeenException(
                        switch (first.type()) {
                            case DIRECTORY -> PathKind.DIRECTORY;
                            case LINK -> PathKind.LINK;
                            default -> PathKind.OTHER;
                        });
            });
        } catch (SeenException e) {
            return e.kind;
        } catch (ClientStream.FailedException e) {
            if (isMissing(e)) {
                return PathKind.MISSING;
            }
            throw e;
        }
        throw new IllegalStateException("an archive was read to its end");
    }

    private static boolean isMissing(ClientStream.FailedException failure) {
        return MISSING.matcher(String.valueOf(failure.getMessage())).find();
    }

    /**
     * Receives a file or directory as an archive.
     *
     * @param what is being done, for messages
     * @param path absolute
     * @throws ClientStream.FailedException when there is no such path, or the engine does not read it
     */
    void pack(String what, String path, ArchiveReceiver receiver) {
        ClientStream.run(
                cli, what + " in " + container.name(), List.of("cp", address(path), "-"), LIMIT, out -> {}, archive -> {
                    receiver.receive(archive);
                    return true;
                });
    }

    /**
     * Unpacks an archive.
     *
     * @param what is being done, for messages
     * @param directory absolute, existing
     */
    void unpack(String what, String directory, ClientStream.Source archive) {
        // Otherwise podman gives all to the container's user.
        List<String> words = cli.host().isPodman()
                ? List.of("cp", "--archive=false", "-", address(directory))
                : List.of("cp", "-", address(directory));
        ClientStream.run(cli, what + " in " + container.name(), words, LIMIT, archive, in -> true);
    }

    private String address(String path) {
        Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        if (!names.newEncoder().canEncode(path)) {
            throw new IllegalArgumentException("this JVM cannot pass the path '" + path
                    + "' to another program; start it with a locale of UTF-8, for example LANG=C.UTF-8");
        }
        return container.id() + ":" + path;
    }
}
