package io.maestro.docker.internal.environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Paths that a model gives, below a workspace and nowhere else. Symbolic links are not followed. */
public final class WorkspacePaths {
    private static final int LONGEST = 4096;

    private WorkspacePaths() {}

    /** A path that cannot be used; the message is for the model. */
    public static final class RefusedPathException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        RefusedPathException(String message) {
            super(message);
        }
    }

    /**
     * Looks a path up.
     *
     * @param path relative to the workspace
     * @return relative to the workspace, normalized; empty for the workspace itself
     * @throws RefusedPathException when it leads out, goes through a symbolic link, or cannot be a path
     */
    public static Path relative(Path workspace, String path) {
        if (path.length() > LONGEST || path.chars().anyMatch(Character::isISOControl)) {
            throw new RefusedPathException("a path has at most " + LONGEST + " characters and no control characters");
        }
        Path wanted;
        try {
            wanted = Path.of(path);
        } catch (InvalidPathException e) {
            throw new RefusedPathException("'" + path + "' is no path: " + e.getReason());
        }
        if (wanted.isAbsolute()) {
            // Not /workspace/Dockerfile either: a policy knows the file as Dockerfile.
            throw new RefusedPathException("'" + path + "' is absolute; give a path relative to the workspace");
        }
        for (Path name : wanted) {
            if (name.toString().equals("..")) {
                throw new RefusedPathException("'" + path + "' leads out of the workspace with '..'");
            }
        }
        Path inside = wanted.normalize();
        Path walked = workspace;
        for (Path name : inside) {
            walked = walked.resolve(name);
            if (Files.isSymbolicLink(walked)) {
                throw new RefusedPathException("'" + path + "' goes through the symbolic link '"
                        + workspace.relativize(walked) + "', which is not followed; use the real path");
            }
        }
        return inside;
    }

    /** The same for a regular file that must be there. */
    public static Path file(Path workspace, String path) {
        Path inside = relative(workspace, path);
        Path file = workspace.resolve(inside);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || !isBelow(workspace, file)) {
            throw new RefusedPathException("there is no file '" + path + "' in the workspace");
        }
        return inside;
    }

    /** The same for a directory that must be there. */
    public static Path directory(Path workspace, String path) {
        Path inside = relative(workspace, path);
        Path directory = workspace.resolve(inside);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) || !isBelow(workspace, directory)) {
            throw new RefusedPathException("there is no directory '" + path + "' in the workspace");
        }
        return inside;
    }

    private static boolean isBelow(Path workspace, Path path) {
        try {
            return path.toRealPath().startsWith(workspace.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }
}
