package io.maestro.files.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads and writes files below a workspace on behalf of a model, and nowhere else. The agent can put a symbolic link in any
 * place of its workspace at any time, so a path is not checked and then opened: it is opened directory by directory, each
 * relative to the one before and without following links ({@link SafeDirectory}). A file is opened by its {@linkplain CanonicalPath
 * canonical path} alone: a policy has decided on that text.
 */
public final class SafeFiles {
    /** What Linux takes for a path. */
    private static final int LONGEST_PATH = 4096;

    /** For the patterns of all rules on a way, which an agent can write. */
    private static final long MOST_EFFORT = 20_000_000;

    private final Path root;

    public SafeFiles(Path root) {
        this.root = root;
    }

    /** A path that cannot be used; the message is for the model. */
    public static class RefusedPathException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedPathException(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /** There is no directory that a path leads through. */
    private static final class NoSuchDirectoryException extends RefusedPathException {
        private static final long serialVersionUID = 1L;

        NoSuchDirectoryException(String message) {
            super(message);
        }
    }

    /** Reads from a file. */
    @FunctionalInterface
    public interface FileReading<T> {
        T from(InputStream in) throws IOException;
    }

    /** Opens a file, for as long as it is read. */
    public <T> T read(String path, FileReading<T> reading) throws IOException {
        return at(path, false, (directory, name) -> {
            if (!isFile(directory, name, path)) {
                throw new RefusedPathException("there is no file " + shown(path));
            }
            try (InputStream in = directory.read(name)) {
                return reading.from(in);
            }
        });
    }

    /** Throws an exception with a message for a model when a directory below the root cannot be used. */
    public void requireDirectory(String path) throws IOException {
        // The way to a file in it is gone; of the file nothing is asked.
        at(path + "/file", false, (directory, name) -> name);
    }

    /** Whether there is a regular file; a directory on the way that cannot be used is an error. */
    public boolean hasFile(String path) throws IOException {
        return at(path, false, (directory, name) -> {
            BasicFileAttributes attributes = directory.attributes(name);
            return attributes != null && attributes.isRegularFile();
        });
    }

    /** How many bytes a file has; empty when there is none. */
    public OptionalLong size(String path) throws IOException {
        try {
            return at(path, false, (directory, name) -> {
                BasicFileAttributes attributes = directory.attributes(name);
                return attributes != null && attributes.isRegularFile()
                        ? OptionalLong.of(attributes.size())
                        : OptionalLong.empty();
            });
        } catch (NoSuchDirectoryException e) {
            return OptionalLong.empty();
        }
    }

    /** Reads at most so many bytes; one more than that tells the caller that there are more. */
    public byte[] read(String path, int atMost) throws IOException {
        return read(path, in -> in.readNBytes(atMost + 1));
    }

    /**
     * Writes a file, making the directories that it needs; says whether it was there before. An interrupt does not leave half of
     * it: a call that is cancelled has written all or nothing, and nobody sees half of it.
     */
    public boolean write(String path, byte[] content) throws IOException {
        try {
            return Uninterrupted.get(() -> {
                try {
                    return at(path, true, (directory, name) -> {
                        boolean existed = isFile(directory, name, path);
                        WholeFile.write(directory, name, content);
                        return existed;
                    });
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Whether a {@code .gitignore} on the way to a file names it, or a directory that it is in. */
    public boolean isIgnored(String path) throws IOException {
        Ignoring ignoring = new Ignoring();
        return at(path, false, ignoring, (directory, name) -> ignoring.ignored);
    }

    /** Reads the rules on a way. */
    private static final class Ignoring implements Step {
        private IgnoreRules rules = IgnoreRules.none(new Effort("reading .gitignore", MOST_EFFORT));
        private String prefix = "";
        private boolean ignored;

        @Override
        public void to(SafeDirectory directory, String name, boolean isDirectory) throws IOException {
            rules = rules.below(prefix, IgnoreRules.read(directory, directory.attributes(IgnoreRules.FILE)));
            ignored |= rules.ignored(prefix + name, isDirectory);
            prefix += name + "/";
        }
    }

    private interface SafeFileWork<T> {
        T in(SafeDirectory directory, String name) throws IOException;
    }

    /** Is told of each name on a way before it is opened, and of the directory that it is in. */
    private interface Step {
        void to(SafeDirectory directory, String name, boolean isDirectory) throws IOException;
    }

    private <T> T at(String path, boolean make, SafeFileWork<T> work) throws IOException {
        return at(path, make, (directory, name, isDirectory) -> {}, work);
    }

    /** Works in the directory of a file. */
    private <T> T at(String path, boolean make, Step step, SafeFileWork<T> work) throws IOException {
        List<String> names = names(path);
        String last = names.remove(names.size() - 1);
        try (SafeDirectory top = SafeDirectory.open(root)) {
            SafeDirectory current = top;
            try {
                for (String name : names) {
                    SafeDirectory parent = current;
                    requireStoredName(parent, name, path);
                    step.to(parent, name, true);
                    current = make && parent.attributes(name) == null
                            ? parent.makeDirectory(top, name)
                            : parent.directory(name);
                    if (parent != top) {
                        parent.close();
                    }
                }
                requireStoredName(current, last, path);
                step.to(current, last, false);
                return work.in(current, last);
            } finally {
                if (current != top) {
                    current.close();
                }
            }
        } catch (NoSuchFileException e) {
            throw new NoSuchDirectoryException(shown(path) + " cannot be used: there is no such directory");
        } catch (FileSystemException e) {
            throw new RefusedPathException(shown(path) + " cannot be used: " + reason(e));
        }
    }

    /** Not its message: that names directories of the host. */
    private static String reason(FileSystemException e) {
        if (e instanceof NotDirectoryException) {
            return "a directory in it is a symbolic link or no directory";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
    }

    /** False when there is nothing of that name. */
    private static boolean isFile(SafeDirectory directory, String name, String path) throws IOException {
        BasicFileAttributes attributes = directory.attributes(name);
        if (attributes == null) {
            return false;
        }
        // A pipe would block whoever opens it.
        if (!attributes.isRegularFile()) {
            throw new RefusedPathException(shown(path)
                    + (attributes.isDirectory() ? " is a directory" : " is a symbolic link or no regular file"));
        }
        return true;
    }

    /** A directory as a tool was given it, by its raw path; empty for the workspace itself. */
    public static String directory(String path) throws RefusedPathException {
        return path.isBlank() || path.equals(".") ? "" : String.join("/", names(path));
    }

    /** The raw names along a canonical path; at least one. */
    private static List<String> names(String path) throws RefusedPathException {
        if (path.length() > LONGEST_PATH) {
            throw new RefusedPathException("a path of " + path.length() + " characters is too long");
        }
        if (path.startsWith("/")) {
            throw new RefusedPathException(shown(path) + " is absolute; give a path relative to the workspace");
        }
        String canonical = CanonicalPath.of(path);
        if (canonical.isEmpty() || canonical.equals(".")) {
            throw new RefusedPathException(shown(path) + " names no file in the workspace");
        }
        List<String> names = new ArrayList<>();
        for (String name : canonical.split("/", -1)) {
            if (name.equals("..")) {
                throw new RefusedPathException(shown(path) + " leads out of the workspace");
            }
            if (name.equalsIgnoreCase(".git")) {
                throw new RefusedPathException(shown(path) + " is inside .git; use the tools for what git knows");
            }
            names.add(RawName.ofText(name));
        }
        if (!canonical.equals(path)) {
            throw otherSpelling(path, canonical);
        }
        return names;
    }

    /** A policy may have allowed this spelling, and denied the file's own. */
    private static RefusedPathException otherSpelling(String path, String canonical) {
        return new RefusedPathException(shown(path) + " is another spelling of " + shown(canonical) + "; use that one");
    }

    /** A disk that ignores case opens a file by names that no rule has seen. */
    private static void requireStoredName(SafeDirectory directory, String name, String path) throws IOException {
        Optional<String> stored = CanonicalPath.storedName(
                new CanonicalPath.Directory() {
                    @Override
                    public Optional<Object> file(String other) throws IOException {
                        return Optional.ofNullable(directory.attributes(other)).map(BasicFileAttributes::fileKey);
                    }

                    @Override
                    public List<String> names() throws IOException {
                        return directory.list().stream()
                                .map(SafeDirectory.DirectoryEntry::name)
                                .toList();
                    }
                },
                name);
        if (stored.isPresent()) {
            throw new RefusedPathException(shown(path) + " cannot be used: '" + RawName.shown(name) + "' is '"
                    + RawName.shown(stored.get()) + "' on this disk; write it so");
        }
    }

    private static String shown(String path) {
        return "'" + RawName.shown(RawName.ofText(path)) + "'";
    }
}
