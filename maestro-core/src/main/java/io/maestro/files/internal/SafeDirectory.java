package io.maestro.files.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open directory of a workspace. Everything is reached from here by its name and never through a symbolic link, even
 * when an agent replaces a directory by a link in the same moment: where the system has it (Linux), each name is looked up
 * relative to the directory that is open, not along a path. Elsewhere (macOS) links are refused too, but a race could be won.
 * Nothing but files and directories is opened, and an {@link Opener} sees to it that one which an agent replaces
 * by a pipe in that moment is not waited for. Names are {@linkplain RawName raw}; one that is no single name, such as
 * {@code ..}, is refused with a {@link FileSystemException}. For use by one thread.
 */
public final class SafeDirectory implements AutoCloseable {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> WRITE = Set.of(
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private final DirectoryStream<Path> stream;
    private final Opener opener;
    /** Whether nobody else uses the opener after this. */
    private final boolean root;

    private boolean stuck;

    private SafeDirectory(Path path, DirectoryStream<Path> stream, Opener opener, boolean root) {
        this.path = path;
        this.stream = stream;
        this.opener = opener;
        this.root = root;
    }

    /**
     * An entry of a directory.
     *
     * @param name its raw name
     * @param attributes of the entry itself, not of what a link points to
     */
    public record DirectoryEntry(String name, BasicFileAttributes attributes) {}

    /** The file that an entry is, for the system; {@code changed} is a time that nobody can set. */
    public record Inode(Object device, FileTime changed) {
        /** Of the attributes {@code dev} and {@code ctime}. */
        public static Inode of(Map<String, Object> unix) {
            return new Inode(
                    Objects.requireNonNull(unix.get("dev")), (FileTime) Objects.requireNonNull(unix.get("ctime")));
        }
    }

    /** Opens a directory whose parent no agent can write. */
    public static SafeDirectory open(Path directory) throws IOException {
        return open(directory, new Opener());
    }

    @SuppressWarnings("StreamResourceLeak") // closed with the SafeDirectory, whose constructor cannot fail
    static SafeDirectory open(Path directory, Opener opener) throws IOException {
        Path absolute = directory.toAbsolutePath();
        Path above = absolute.getParent();
        if (above == null) {
            throw new FileSystemException(
                    directory.toString(), null, "The root of a file system; use a directory in it");
        }
        try (SafeDirectory parent = new SafeDirectory(above, Files.newDirectoryStream(above), opener, false)) {
            return parent.directory(RawName.of(absolute.getFileName()), true);
        }
    }

    /** What a name stands for in this directory: never what lies above, below or beside it. */
    static Path entry(String name) throws FileSystemException {
        @Nullable Path entry = null;
        try {
            entry = RawName.path(name);
        } catch (InvalidPathException e) {
            // As every other name that is none.
        }
        if (entry == null
                || entry.getRoot() != null
                || entry.getNameCount() != 1
                || name.isEmpty()
                || name.indexOf('/') >= 0
                || name.equals(".")
                || name.equals("..")) {
            throw new FileSystemException(RawName.shown(name), null, "Not the name of a file");
        }
        return entry;
    }

    /** Opens a directory in this one. */
    public SafeDirectory directory(String name) throws IOException {
        return directory(name, false);
    }

    @SuppressWarnings("StreamResourceLeak") // as above
    private SafeDirectory directory(String name, boolean asRoot) throws IOException {
        Path entry = entry(name);
        Path full = path.resolve(entry);
        BasicFileAttributes attributes = attributes(name);
        if (attributes == null) {
            throw new NoSuchFileException(full.toString());
        }
        if (!attributes.isDirectory()) {
            throw new NotDirectoryException(full.toString());
        }
        DirectoryStream<Path> opened = opened(
                name,
                entry,
                () -> stream instanceof SecureDirectoryStream<Path> secure
                        ? secure.newDirectoryStream(entry, LinkOption.NOFOLLOW_LINKS)
                        : Files.newDirectoryStream(full));
        return new SafeDirectory(full, opened, opener, asRoot);
    }

    private <C extends Closeable> C opened(String name, Path entry, Opener.Opening<C> opening) throws IOException {
        if (stuck) {
            throw Opener.isPipe(name);
        }
        // While it is not open, the system's lock on this directory is held, and to close it would wait for that.
        return opener.open(name, opening, () -> Opener.release(stream, path, entry), () -> stuck = true, stream);
    }

    /**
     * Makes a directory in this one and opens it; opens the one that somebody else has made meanwhile.
     *
     * @param root the workspace's root. Java makes directories along paths only, and the root's is the one path that no
     *     agent can bend; from there the new directory is moved to its place
     */
    public SafeDirectory makeDirectory(SafeDirectory root, String name) throws IOException {
        entry(name);
        String made = WholeFile.unfinished();
        Files.createDirectory(root.path.resolve(made));
        try {
            adopt(root, made, name);
        } catch (FileSystemException e) {
            root.delete(made, true);
            if (attributes(name) == null) {
                throw e;
            }
        }
        return directory(name);
    }

    /** What is in this directory; this or the next may be called once. */
    public List<DirectoryEntry> list() throws IOException {
        return list(new Effort("listing", Long.MAX_VALUE), Integer.MAX_VALUE, false);
    }

    /**
     * What is in this directory, as far as it is not too much.
     *
     * @param most when there are more entries, one more than this is returned
     */
    public List<DirectoryEntry> list(Effort effort, int most) throws IOException {
        return list(effort, most, true);
    }

    private List<DirectoryEntry> list(Effort effort, int most, boolean cancellable) throws IOException {
        List<DirectoryEntry> entries = new ArrayList<>();
        try {
            for (Path child : stream) {
                if (cancellable) {
                    effort.requireGoingOn();
                    if (entries.size() > most) {
                        break;
                    }
                }
                Path name = child.getFileName();
                BasicFileAttributes attributes = attributes(name);
                if (attributes != null) {
                    entries.add(new DirectoryEntry(RawName.of(name), attributes));
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return entries;
    }

    /** The attributes of an entry, with permissions where there are such; null when there is no such entry. */
    public @Nullable BasicFileAttributes attributes(String name) throws IOException {
        return attributes(entry(name));
    }

    private @Nullable BasicFileAttributes attributes(Path entry) throws IOException {
        try {
            PosixFileAttributeView posix = view(entry, PosixFileAttributeView.class);
            if (posix != null) {
                return posix.readAttributes();
            }
            BasicFileAttributeView basic = view(entry, BasicFileAttributeView.class);
            return basic == null ? null : basic.readAttributes();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * The file that an entry was when it was listed. Java tells of it only by its path: that may lead elsewhere by now, but not
     * to another file of the same key.
     *
     * @return null when it is another one now, or the system does not say when it was changed
     */
    public @Nullable Inode inode(DirectoryEntry entry) throws IOException {
        Object key = entry.attributes().fileKey();
        try {
            Map<String, Object> unix = Files.readAttributes(
                    path.resolve(entry(entry.name())), "unix:fileKey,dev,ctime", LinkOption.NOFOLLOW_LINKS);
            return key != null && key.equals(unix.get("fileKey")) ? Inode.of(unix) : null;
        } catch (UnsupportedOperationException | IllegalArgumentException | FileSystemException e) {
            return null;
        }
    }

    <V extends BasicFileAttributeView> @Nullable V view(Path entry, Class<V> type) {
        return stream instanceof SecureDirectoryStream<Path> secure
                ? secure.getFileAttributeView(entry, type, LinkOption.NOFOLLOW_LINKS)
                : Files.getFileAttributeView(path.resolve(entry), type, LinkOption.NOFOLLOW_LINKS);
    }

    /** Opens a file for reading; fails when it is a link, or no file. */
    public InputStream read(String name) throws IOException {
        return Channels.newInputStream(channel(name, READ));
    }

    /**
     * Reads the beginning of a file that was just listed as a regular one, as much as there is room for. What has taken its
     * place is refused: a pipe has no beginning.
     *
     * @return how many bytes were read
     */
    public int readListed(String name, ByteBuffer into) throws IOException {
        Path entry = entry(name);
        try (FileChannel file = (FileChannel) opened(name, entry, () -> newByteChannel(entry, READ))) {
            int length = 0;
            for (int read = 0; read >= 0 && into.hasRemaining(); length += Math.max(0, read)) {
                read = file.read(into, length);
            }
            return length;
        } catch (IOException e) {
            throw ofOneFile(name, e);
        }
    }

    /** Opens a file for writing, new or emptied; fails when it is a link. One that is there keeps its permissions. */
    public OutputStream write(String name) throws IOException {
        return Channels.newOutputStream(channel(name, WRITE));
    }

    private SeekableByteChannel channel(String name, Set<OpenOption> options) throws IOException {
        Path entry = entry(name);
        BasicFileAttributes attributes = attributes(name);
        if (attributes != null && !attributes.isRegularFile()) {
            throw new FileSystemException(RawName.shown(name), null, "No regular file");
        }
        try {
            return opened(name, entry, () -> Opener.requireFile(name, newByteChannel(entry, options)));
        } catch (IOException e) {
            throw ofOneFile(name, e);
        }
    }

    /** Also where the JDK does not say so, of a link for example. */
    private static FileSystemException ofOneFile(String name, IOException e) {
        return e instanceof FileSystemException known
                ? known
                : new FileSystemException(RawName.shown(name), null, String.valueOf(e.getMessage()));
    }

    private SeekableByteChannel newByteChannel(Path entry, Set<OpenOption> options) throws IOException {
        return stream instanceof SecureDirectoryStream<Path> secure
                ? secure.newByteChannel(entry, options)
                : Files.newByteChannel(path.resolve(entry), options);
    }

    /** The raw target of a symbolic link. Java has no way to read it but by its path; nothing is opened through it. */
    public String link(String name) throws IOException {
        return RawName.of(Files.readSymbolicLink(path(name)));
    }

    /** Moves an entry here, in place of a file of that name. Both directories must be on one file system. */
    public void adopt(SafeDirectory source, String sourceName, String name) throws IOException {
        Path from = entry(sourceName);
        Path to = entry(name);
        if (stream instanceof SecureDirectoryStream<Path> secure
                && source.stream instanceof SecureDirectoryStream<Path> secureSource) {
            secureSource.move(from, secure, to);
        } else {
            Files.move(source.path.resolve(from), path.resolve(to), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Deletes a file or link, or a directory that is empty. */
    public void delete(String name, boolean directory) throws IOException {
        Path entry = entry(name);
        if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
            Files.delete(path.resolve(entry));
        } else if (directory) {
            secure.deleteDirectory(entry);
        } else {
            secure.deleteFile(entry);
        }
    }

    /** Deletes an empty directory; leaves one that is not. */
    public boolean deleteIfEmpty(String name) throws IOException {
        try {
            delete(name, true);
            return true;
        } catch (DirectoryNotEmptyException e) {
            return false;
        }
    }

    /** Empties a directory and keeps the directory itself. Its parent must be out of the agents' reach. */
    public static void empty(Path directory) throws IOException {
        boolean again = true;
        while (again) {
            try (SafeDirectory root = open(directory)) {
                again = false;
                for (DirectoryEntry entry : root.list()) {
                    again |= TreeDeletion.delete(root, root, entry, 0);
                }
            }
        }
    }

    /** Deletes a directory with all that is in it, if it exists. */
    public static void deleteTree(Path directory) throws IOException {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            empty(directory);
        }
        Files.deleteIfExists(directory);
    }

    /** Along which an entry is reached where Java has no other way. */
    Path path(String name) throws FileSystemException {
        return path.resolve(entry(name));
    }

    @Override
    public void close() throws IOException {
        if (root) {
            opener.close();
        }
        if (!stuck) {
            stream.close();
        }
    }
}
