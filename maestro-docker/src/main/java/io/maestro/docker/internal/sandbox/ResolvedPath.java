package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import java.util.List;

/**
 * Where a path in a container leads to, at a moment: somebody in there may change it in the next.
 *
 * @param directory the last directory on the way that is there
 * @param missing the names behind it; that of a file which is there is among them, that of a directory is not
 * @param kind what is at the path, never a link
 */
record ResolvedPath(String directory, List<String> missing, CopyClient.PathKind kind) {
    ResolvedPath {
        missing = List.copyOf(missing);
    }

    /**
     * Looks at each name of a path.
     *
     * @throws DockerException when one of them is a link, or one on the way is no directory
     */
    static ResolvedPath of(CopyClient client, ContainerPath path) {
        List<String> names = path.names();
        for (int count = 1; count <= names.size(); count++) {
            CopyClient.PathKind kind = client.look(path.first(count));
            if (kind == CopyClient.PathKind.LINK) {
                throw new DockerException(
                        "'" + path.first(count) + "' in the container is a symbolic link, which is not followed;"
                                + " name what it leads to, or remove it",
                        null);
            }
            if (kind == CopyClient.PathKind.OTHER && (count < names.size() || path.directory())) {
                throw new DockerException("'" + path.first(count) + "' in the container is no directory", null);
            }
            if (kind != CopyClient.PathKind.DIRECTORY) {
                return new ResolvedPath(path.first(count - 1), names.subList(count - 1, names.size()), kind);
            }
        }
        return new ResolvedPath(path.toString(), List.of(), CopyClient.PathKind.DIRECTORY);
    }
}
