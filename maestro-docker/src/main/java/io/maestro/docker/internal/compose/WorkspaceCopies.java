package io.maestro.docker.internal.compose;

import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import io.maestro.docker.internal.compose.WorkspaceFiles.ResolvedFile;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies of parts of a workspace, out of the agents' reach. A path of the workspace that is given to the engine could be made a link
 * to anywhere before the engine looks, so it gets these. A copy's name comes from its content: what has not changed
 * keeps its place, and compose keeps the containers that use it. For use by one thread.
 */
final class WorkspaceCopies {
    private static final int MOST_ENTRIES = 100_000;
    private static final int DEEPEST = 60;
    private static final List<String> REPOSITORY = List.of("head", "objects", "refs");

    /** The second says where git finds the others. */
    private static final List<String> LINKED = List.of("head", "commondir");

    private final WorkspaceFiles files;
    private final Path directory;
    private final long mostBytes;
    private final KnownSecrets.Search secrets;
    private final Set<Path> used = new HashSet<>();
    private long bytes;
    private int entries;

    /** @param secrets what an image must not be built from */
    WorkspaceCopies(WorkspaceFiles files, Path directory, long mostBytes, KnownSecrets secrets) {
        this.secrets = secrets.search();
        this.files = files;
        this.directory = directory;
        this.mostBytes = mostBytes;
    }

    /** Copies a file or directory, links in it as they are: for containers, which resolve them within themselves. */
    Path forContainers(ResolvedFile place) throws RefusedFileException, IOException {
        return copy(place, false, false);
    }

    /** Copies a regular file. */
    Path file(ResolvedFile place) throws RefusedFileException, IOException {
        return copy(place, false, true);
    }

    /** Where they are. */
    Path directory() {
        return directory;
    }

    /** A file with a text. */
    Path text(String text) throws IOException {
        MessageDigest digest = sha256();
        note(digest, text);
        PrivateFiles.makeMissing(directory);
        Path file = directory.resolve("text-" + HexFormat.of().formatHex(digest.digest(), 0, 16));
        used.add(Files.writeString(file, text));
        return file;
    }

    /** Copies what an image is built from: without {@code .git}, and without links that lead elsewhere, for the client reads it here. */
    Path forBuild(ResolvedFile place) throws RefusedFileException, IOException {
        Path copy = copy(place, true, false);
        if (!Files.isDirectory(copy)) {
            throw new RefusedFileException("'" + place.named() + "' is no directory", false);
        }
        return copy;
    }

    private Path copy(ResolvedFile place, boolean build, boolean fileOnly) throws RefusedFileException, IOException {
        PrivateFiles.makeMissing(directory);
        Path fresh = Files.createTempDirectory(directory, "new-").resolve("copy");
        MessageDigest digest = sha256();
        digest.update((byte) (build ? 1 : 0));
        try {
            if (place.isWorkspace()) {
                Files.createDirectory(fresh);
                try (SafeDirectory workspace = files.open()) {
                    children(workspace, fresh, digest, build, 0);
                } catch (FileSystemException e) {
                    throw new RefusedFileException(
                            "the workspace cannot be copied: " + WorkspaceFiles.reason(e), false);
                }
            } else {
                files.in(place, (parent, name) -> {
                    BasicFileAttributes attributes = parent.attributes(name);
                    if (attributes == null
                            || !(attributes.isRegularFile() || (attributes.isDirectory() && !fileOnly))) {
                        throw new FileSystemException(
                                null, null, fileOnly ? "it is no regular file" : "it is no regular file or directory");
                    }
                    entry(parent, new SafeDirectory.DirectoryEntry(name, attributes), fresh, digest, build, 0);
                    return true;
                });
            }
            if (build) {
                dropLinksOut(fresh);
            }
            Path copy = directory.resolve(HexFormat.of().formatHex(digest.digest(), 0, 16));
            if (!Files.exists(copy)) {
                requireFewOlder();
                Files.move(fresh, copy, StandardCopyOption.ATOMIC_MOVE);
            }
            used.add(copy);
            return copy;
        } finally {
            SafeDirectory.deleteTree(parentOf(fresh));
        }
    }

    /** What earlier calls have copied is deleted when services were started, and may still be in use until then. */
    private void requireFewOlder() throws IOException {
        long older = 0;
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    older += Files.size(path);
                }
            }
        }
        if (older / 2 > mostBytes) {
            throw new FileSystemException(
                    null,
                    null,
                    "copies of earlier calls have " + (older >> 20) + " MB already; call compose_down first");
        }
    }

    private static Path parentOf(Path path) {
        Path parent = path.getParent();
        return parent == null ? path : parent;
    }

    /** Deletes copies that the last file does not use. */
    void deleteOthers() throws IOException {
        if (Files.isDirectory(directory)) {
            try (Stream<Path> all = Files.list(directory)) {
                for (Path copy : all.toList()) {
                    if (!used.contains(copy)) {
                        if (Files.isDirectory(copy)) {
                            SafeDirectory.deleteTree(copy);
                        } else {
                            Files.deleteIfExists(copy);
                        }
                    }
                }
            }
        }
    }

    private void children(SafeDirectory from, Path to, MessageDigest digest, boolean build, int depth)
            throws IOException {
        if (depth > DEEPEST) {
            throw new FileSystemException(null, null, "its directories are nested too deeply");
        }
        // In an order of its own, so that equal directories have equal names.
        List<SafeDirectory.DirectoryEntry> all = from.list().stream()
                .sorted(Comparator.comparing(SafeDirectory.DirectoryEntry::name))
                .toList();
        if (build) {
            requireNoRepository(all);
        }
        for (SafeDirectory.DirectoryEntry child : all) {
            // On some systems a name in capitals is the same.
            if (!(build && child.name().equalsIgnoreCase(".git"))) {
                entry(from, child, to.resolve(RawName.path(child.name())), digest, build, depth);
            }
        }
    }

    /** Git takes such a directory for a repository, and does on this machine what its settings say. */
    private static void requireNoRepository(List<SafeDirectory.DirectoryEntry> entries) throws IOException {
        Set<String> names = entries.stream()
                .map(entry -> entry.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        List<String> found = names.containsAll(LINKED) ? LINKED : REPOSITORY;
        if (names.containsAll(found)) {
            throw new FileSystemException(
                    null,
                    null,
                    "a directory in it has " + found + " as a bare git repository has, and nothing is built beside"
                            + " one; name a directory without it, or keep it in an archive");
        }
    }

    private void entry(
            SafeDirectory parent,
            SafeDirectory.DirectoryEntry entry,
            Path to,
            MessageDigest digest,
            boolean build,
            int depth)
            throws IOException {
        if (++entries > MOST_ENTRIES || Thread.currentThread().isInterrupted()) {
            throw new FileSystemException(
                    null,
                    null,
                    entries > MOST_ENTRIES ? "it has too many files; name a smaller directory" : "cancelled");
        }
        BasicFileAttributes attributes = entry.attributes();
        String mode = attributes instanceof PosixFileAttributes posix
                ? PosixFilePermissions.toString(posix.permissions())
                : "";
        String kind = attributes.isDirectory() ? "d" : attributes.isSymbolicLink() ? "l" : "f";
        // Without the name at the top: the same content under another name is the same copy.
        note(digest, kind + mode + (depth == 0 ? "" : entry.name()));
        if (attributes.isDirectory()) {
            Files.createDirectory(to);
            try (SafeDirectory child = parent.directory(entry.name())) {
                children(child, to, digest, build, depth + 1);
            }
            note(digest, "end");
            permit(to, attributes, true);
        } else if (attributes.isSymbolicLink()) {
            String target = parent.link(entry.name());
            note(digest, target);
            Files.createSymbolicLink(to, RawName.path(target));
        } else if (attributes.isRegularFile()) {
            requireRoom(attributes.size());
            content(parent, entry.name(), to, digest, build);
            permit(to, attributes, false);
        }
        // Pipes, sockets and devices are no content.
    }

    private void content(SafeDirectory parent, String name, Path to, MessageDigest digest, boolean build)
            throws IOException {
        secrets.next();
        byte[] buffer = new byte[64 * 1024];
        long size = 0;
        try (InputStream in = parent.read(name);
                OutputStream out = Files.newOutputStream(to)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                // It may have grown since it was looked at.
                requireRoom(read);
                bytes += read;
                size += read;
                if (build && secrets.finds(buffer, read)) {
                    throw new FileSystemException(
                            null,
                            null,
                            "its file '" + RawName.shown(name)
                                    + "' holds a secret of the environment, which would stay in"
                                    + " the image and the engine's cache for everybody to read; move it elsewhere");
                }
                out.write(buffer, 0, read);
                digest.update(buffer, 0, read);
            }
        }
        note(digest, "size " + size);
    }

    private void requireRoom(long more) throws FileSystemException {
        if (more > mostBytes - bytes) {
            throw new FileSystemException(
                    null, null, "more than " + mostBytes + " bytes would be copied; name a smaller directory");
        }
    }

    private static void permit(Path to, BasicFileAttributes attributes, boolean directory) throws IOException {
        if (attributes instanceof PosixFileAttributes posix) {
            Set<PosixFilePermission> permissions =
                    EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
            permissions.addAll(posix.permissions());
            if (directory) {
                permissions.add(PosixFilePermission.OWNER_EXECUTE);
            }
            Files.setPosixFilePermissions(to, permissions);
        }
    }

    /** By what the system makes of them, not by their text: a link can go through another one. */
    private static void dropLinksOut(Path copy) throws IOException {
        Path top = copy.toRealPath();
        try (Stream<Path> all = Files.walk(copy)) {
            for (Path path : all.filter(Files::isSymbolicLink).toList()) {
                boolean inside;
                try {
                    inside = path.toRealPath().startsWith(top);
                } catch (IOException e) {
                    inside = false;
                }
                if (!inside) {
                    Files.delete(path);
                }
            }
        }
    }

    private static void note(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
