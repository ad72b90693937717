package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;

/** The directory of a project in which the clients of its engines run, so that those of a killed JVM are found. */
public final class ClientDirectory {
    private ClientDirectory() {}

    /**
     * The client, run in a project's directory, which is made if need be.
     *
     * @param project the project directory; its lock is held by the caller
     */
    public static DockerCli of(DockerCli cli, Path project) {
        Path directory = path(project);
        try {
            PrivateFiles.makeMissing(directory);
        } catch (IOException e) {
            throw new DockerException("the directory " + directory + " cannot be made: " + e, e);
        }
        return cli.in(directory);
    }

    /**
     * Ends the clients of an earlier JVM that was killed, which go on by themselves and would make anew what is removed, and
     * deletes their files. Only before this JVM has begun any.
     */
    public static void endLeftovers(DockerCli cli, Path project) {
        of(cli, project).endLeftovers();
        try {
            SafeDirectory.deleteTree(path(project));
        } catch (IOException e) {
            throw new DockerException(
                    "what an earlier run has left in " + path(project) + " cannot be deleted: " + e, e);
        }
        of(cli, project);
    }

    private static Path path(Path project) {
        return project.resolve(".maestro").resolve("clients");
    }
}
