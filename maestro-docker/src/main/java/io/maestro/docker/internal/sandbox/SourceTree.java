package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.workspace.TarWriter;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory of this machine that is copied to a container. Links in it are copied and never followed, also when somebody
 * puts one in the place of a directory meanwhile; its own parent is trusted. For one thread at a time.
 */
final class SourceTree {
    private final Path parent;
    private final String name;
    private final CopyLimits limits;
    private final Effort effort = new Effort("copying files to a container", Long.MAX_VALUE);
    private boolean directory;
    private long bytes;
    private int entries;

    /**
     * Nothing is read yet.
     *
     * @throws IllegalArgumentException when the path is the root
     * @throws IOException when there is no such parent
     */
    SourceTree(Path source, CopyLimits limits) throws IOException {
        Path absolute = source.toAbsolutePath().normalize();
        Path above = absolute.getParent();
        if (above == null) {
            throw new IllegalArgumentException("the root of a file system is not copied; name a directory in it");
        }
        this.parent = above.toRealPath();
        this.name = RawName.of(absolute.getFileName());
        this.limits = limits;
    }

    /** Its raw name. */
    String name() {
        return name;
    }

    /** Whether it is a directory, once it was {@linkplain #check checked}. */
    boolean isDirectory() {
        return directory;
    }

    /**
     * Looks at all of it.
     *
     * @throws IllegalArgumentException when it is a link, or a pipe, a socket or a device is in it
     * @throws DockerException when it is more than the limits
     */
    void check() throws IOException {
        pass(null, "");
        if (bytes > limits.bytes()) {
            throw tooMuch(bytes + " bytes", limits.bytes() + " bytes");
        }
    }

    /**
     * Writes it to an archive.
     *
     * @param path its raw path there
     * @throws IOException when a file is not any more what it was, or it is more than the limits by now
     */
    void write(TarWriter tar, String path) throws IOException {
        pass(tar, path);
    }

    private void pass(@Nullable TarWriter tar, String path) throws IOException {
        bytes = 0;
        entries = 0;
        try (SafeDirectory above = SafeDirectory.open(parent)) {
            BasicFileAttributes attributes = above.attributes(name);
            if (attributes == null) {
                throw new NoSuchFileException(RawName.shown(RawName.of(parent) + "/" + name));
            }
            if (attributes.isSymbolicLink()) {
                throw new IllegalArgumentException("'" + RawName.shown(name)
                        + "' is a symbolic link, which is not followed; name what it leads to");
            }
            directory = attributes.isDirectory();
            entry(above, new SafeDirectory.DirectoryEntry(name, attributes), tar, path, 0);
        }
    }

    private void entry(
            SafeDirectory in, SafeDirectory.DirectoryEntry entry, @Nullable TarWriter tar, String path, int depth)
            throws IOException {
        effort.requireGoingOn();
        if (++entries > limits.entries()) {
            throw tooMuch("more than " + limits.entries() + " entries", limits.entries() + " entries");
        }
        BasicFileAttributes attributes = entry.attributes();
        if (attributes.isSymbolicLink()) {
            if (tar != null) {
                tar.link(path, in.link(entry.name()), attributes.lastModifiedTime());
            }
        } else if (attributes.isDirectory()) {
            if (tar != null) {
                tar.directory(path, Permissions.of(attributes), attributes.lastModifiedTime());
            }
            children(in, entry.name(), tar, path, depth + 1);
        } else if (attributes.isRegularFile()) {
            bytes += attributes.size();
            if (tar != null) {
                content(in, entry, tar, path);
            }
        } else {
            throw new IllegalArgumentException("'" + RawName.shown(path.isEmpty() ? name : path)
                    + "' is a pipe, a socket or a device, which is not copied; remove it, or name what is beside it");
        }
    }

    private void children(SafeDirectory in, String child, @Nullable TarWriter tar, String path, int depth)
            throws IOException {
        if (depth > CopyLimits.DEPTH) {
            throw tooMuch("more than " + CopyLimits.DEPTH + " directories in each other", CopyLimits.DEPTH + " levels");
        }
        try (SafeDirectory inner = in.directory(child)) {
            List<SafeDirectory.DirectoryEntry> all = inner.list(effort, limits.entries());
            for (SafeDirectory.DirectoryEntry next : all) {
                entry(inner, next, tar, path.isEmpty() ? next.name() : path + "/" + next.name(), depth);
            }
        }
    }

    private void content(SafeDirectory in, SafeDirectory.DirectoryEntry entry, TarWriter tar, String path)
            throws IOException {
        if (bytes > limits.bytes()) {
            throw tooMuch("more than " + limits.bytes() + " bytes by now", limits.bytes() + " bytes");
        }
        BasicFileAttributes attributes = entry.attributes();
        long left = attributes.size();
        byte[] buffer = new byte[1 << 16];
        try (InputStream content = in.read(entry.name());
                OutputStream out =
                        tar.file(path, Permissions.of(attributes), attributes.lastModifiedTime(), attributes.size())) {
            while (left > 0) {
                int read = content.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (read < 0) {
                    throw new EOFException("'" + RawName.shown(path) + "' became shorter while it was copied");
                }
                out.write(buffer, 0, read);
                left -= read;
            }
        }
    }

    private DockerException tooMuch(String found, String limit) {
        return new DockerException(
                "'" + RawName.shown(name) + "' has " + found + ", and at most " + limit
                        + " are copied to a container; name a smaller part of it",
                null);
    }
}
