package io.maestro.docker.internal.workspace;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.EngineFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** As whom to run in a container so that files in a mounted directory belong to the directory's owner on the machine. */
public final class MappedUser {
    private MappedUser() {}

    /**
     * The user of a container that is a directory's owner on the machine.
     *
     * @return {@code uid:gid}; {@code 0:0} on a rootless engine, whose root is the user that runs it
     * @throws DockerException when the file system knows no owner
     */
    public static String of(Path directory, EngineFacts facts) {
        if (facts.rootless()) {
            return "0:0";
        }
        try {
            Object user = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            Object group = Files.getAttribute(directory, "unix:gid", LinkOption.NOFOLLOW_LINKS);
            return user + ":" + group;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            throw new DockerException(
                    "the owner of " + directory + " is not known, so no user of a container can be chosen: " + e
                            + "; set one",
                    e);
        }
    }
}
