package io.maestro.docker.internal.compose;

import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The files of a workspace, as a compose file names them. Agents can change the workspace at any time: what is found is
 * read directory by directory without following links, so that it lies in the workspace even when they do. Everything that the
 * engine's client or the engine gets to see of it is a copy.
 */
final class WorkspaceFiles {
    private static final int LONGEST = 1024;
    private static final String LEADS_OUT =
            "is or follows a symbolic link that leads out of the workspace or to nothing; use the real path";

    private final Path root;

    /** Of a directory whose parent no agent can write. */
    WorkspaceFiles(Path root) throws IOException {
        this.root = root.toRealPath();
    }

    /** A path that is not used; the message is for a model and names nothing of this machine. */
    static final class RefusedFileException extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean missing;

        RefusedFileException(String message, boolean missing) {
            super(message);
            this.missing = missing;
        }

        boolean missing() {
            return missing;
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /** What a compose file names: where it says so, and where that is, both relative to the workspace. */
    record ResolvedFile(Path named, Path real) {
        boolean isWorkspace() {
            return real.toString().isEmpty();
        }
    }

    /** Where a path is that starts from a directory of the workspace or, in the containers' notation, from /workspace. */
    ResolvedFile find(Path base, String text) throws RefusedFileException {
        Path named = inside(base, text);
        try {
            Path real = root.resolve(named).toRealPath();
            if (!real.startsWith(root)) {
                throw refused(text, LEADS_OUT);
            }
            return new ResolvedFile(named, real.equals(root) ? Path.of("") : root.relativize(real));
        } catch (IOException e) {
            // One answer for all that a link can lead to, or it would tell what there is on this machine.
            if (followsLink(named)) {
                throw refused(text, LEADS_OUT);
            }
            if (e instanceof NoSuchFileException) {
                throw new RefusedFileException("'" + text + "' does not exist in the workspace", true);
            }
            throw refused(text, "cannot be used: " + reason(e));
        }
    }

    private boolean followsLink(Path named) {
        Path walked = root;
        for (Path name : named) {
            walked = walked.resolve(name);
            if (Files.isSymbolicLink(walked)) {
                return true;
            }
        }
        return false;
    }

    private static Path inside(Path base, String text) throws RefusedFileException {
        if (text.isBlank() || text.length() > LONGEST || text.chars().anyMatch(c -> c < 0x20 || c == 0x7f)) {
            throw new RefusedFileException(
                    "a path must have 1 to " + LONGEST + " characters and no control characters", false);
        }
        Path named;
        try {
            if (text.equals(BoundWorkspace.TARGET) || text.startsWith(BoundWorkspace.TARGET + "/")) {
                named = Path.of(text.substring(BoundWorkspace.TARGET.length()).replaceFirst("^/+", ""));
            } else if (text.startsWith("/") || text.startsWith("~")) {
                throw refused(text, "is outside the workspace; use a path relative to it");
            } else {
                named = base.resolve(text);
            }
        } catch (InvalidPathException e) {
            throw refused(text, "is no path");
        }
        named = named.normalize();
        if (named.startsWith("..") || named.isAbsolute()) {
            throw refused(text, "is outside the workspace; use a path relative to it");
        }
        return named;
    }

    private static RefusedFileException refused(String text, String why) {
        return new RefusedFileException("'" + text + "' " + why, false);
    }

    /** Not its message: that names directories of this machine. */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        return e.getClass().getSimpleName();
    }

    /** The content of a regular file. */
    byte[] read(ResolvedFile place, int atMost) throws RefusedFileException {
        String shown = place.named().toString();
        return in(place, (directory, name) -> {
            BasicFileAttributes attributes = directory.attributes(name);
            if (attributes == null) {
                throw new NoSuchFileException(shown);
            }
            // Looked at first: opening a pipe would wait for somebody at its other end.
            if (!attributes.isRegularFile()) {
                throw new FileSystemException(shown, null, "it is no regular file");
            }
            try (InputStream in = directory.read(name)) {
                byte[] content = in.readNBytes(atMost + 1);
                if (content.length > atMost) {
                    throw new FileSystemException(
                            shown, null, "it has more than the " + atMost + " bytes that are allowed");
                }
                return content;
            }
        });
    }

    /** Something that is done with an entry of an open directory. */
    interface FileAction<T> {
        T in(SafeDirectory directory, String name) throws IOException;
    }

    /** Works on a place through its directory; the workspace itself is an entry of the directory above it. */
    <T> T in(ResolvedFile place, FileAction<T> work) throws RefusedFileException {
        try (SafeDirectory top = SafeDirectory.open(root)) {
            return in(top, place.real(), 0, work);
        } catch (IOException e) {
            throw refused(place.named().toString(), "cannot be used: " + reason(e));
        }
    }

    private static <T> T in(SafeDirectory directory, Path path, int depth, FileAction<T> work) throws IOException {
        String name = RawName.of(path.getName(depth));
        if (depth == path.getNameCount() - 1) {
            return work.in(directory, name);
        }
        try (SafeDirectory next = directory.directory(name)) {
            return in(next, path, depth + 1, work);
        }
    }

    /** Opens the workspace itself. */
    SafeDirectory open() throws IOException {
        return SafeDirectory.open(root);
    }
}
