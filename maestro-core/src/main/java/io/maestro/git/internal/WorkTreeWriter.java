package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * Writes files that are git objects into a workspace. Each is made whole in a directory that agents cannot reach and then moved
 * to its place, so that nothing is ever written through a link that an agent has made. Line ends are those of the
 * repository.
 */
public final class WorkTreeWriter {
    private static final String NEW = "new";

    private final Path workspace;
    private final Path staging;
    private final ObjectReader reader;
    private final String source;

    /**
     * Writes nothing yet.
     *
     * @param workspace where to write
     * @param staging an empty directory that agents cannot reach, on the file system of the workspace
     * @param reader has the content of the files
     * @param source where they come from, for messages
     */
    public WorkTreeWriter(Path workspace, Path staging, ObjectReader reader, String source) {
        this.workspace = workspace;
        this.staging = staging;
        this.reader = reader;
        this.source = source;
    }

    /**
     * Deletes files, then writes others: one may take the place of a directory.
     *
     * @param writes by their raw paths
     * @param deletes raw paths; those that are not there any more are fine
     * @throws WorkspaceProblem when something that git ignores is where a file must go
     */
    public void apply(Map<String, TreeEntry> writes, List<String> deletes) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(workspace);
                SafeDirectory staged = SafeDirectory.open(staging)) {
            for (String path : deletes) {
                delete(root, path);
            }
            for (var entry : writes.entrySet()) {
                write(root, staged, entry.getKey(), entry.getKey(), entry.getValue());
            }
        }
    }

    /** Deletes a file and the directories that become empty; what is not there any more is fine. */
    private void delete(SafeDirectory directory, String path) throws IOException {
        int slash = path.indexOf('/');
        String name = slash < 0 ? path : path.substring(0, slash);
        BasicFileAttributes attributes = directory.attributes(name);
        if (attributes == null) {
            return;
        }
        if (slash < 0) {
            if (attributes.isDirectory()) {
                // A submodule, or what the agent has put in the file's place.
                directory.deleteIfEmpty(name);
            } else {
                directory.delete(name, false);
            }
        } else if (attributes.isDirectory()) {
            try (SafeDirectory child = directory.directory(name)) {
                delete(child, path.substring(slash + 1));
            }
            directory.deleteIfEmpty(name);
        }
    }

    private void write(SafeDirectory directory, SafeDirectory staged, String path, String rest, TreeEntry entry)
            throws IOException {
        int slash = rest.indexOf('/');
        String name = slash < 0 ? rest : rest.substring(0, slash);
        BasicFileAttributes attributes = directory.attributes(name);
        if (slash < 0 && entry.isSubmodule() && attributes != null && !attributes.isDirectory()) {
            directory.delete(name, false);
            attributes = null;
        }
        if (slash >= 0 || entry.isSubmodule()) {
            makeDirectory(directory, staged, name, path, attributes);
            if (slash >= 0) {
                try (SafeDirectory child = directory.directory(name)) {
                    write(child, staged, path, rest.substring(slash + 1), entry);
                }
            }
            return;
        }
        if (attributes != null && attributes.isDirectory() && !directory.deleteIfEmpty(name)) {
            throw inTheWay(path, name);
        }
        stage(entry);
        directory.adopt(staged, NEW, name);
    }

    private void makeDirectory(
            SafeDirectory directory,
            SafeDirectory staged,
            String name,
            String path,
            @Nullable BasicFileAttributes attributes)
            throws IOException {
        if (attributes == null) {
            Files.createDirectory(staging.resolve(NEW));
            directory.adopt(staged, NEW, name);
        } else if (!attributes.isDirectory()) {
            throw inTheWay(path, name);
        }
    }

    private WorkspaceProblem inTheWay(String path, String name) {
        return new WorkspaceProblem(source + " has " + RawName.shown(path) + ", but '" + RawName.shown(name)
                + "' is in the way (it is ignored by git): move or delete it");
    }

    private void stage(TreeEntry entry) throws IOException {
        Path file = staging.resolve(NEW);
        if (entry.isLink()) {
            byte[] target = reader.open(entry.id(), Constants.OBJ_BLOB).getBytes();
            Files.createSymbolicLink(file, RawName.path(RawName.of(target)));
            return;
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            reader.open(entry.id(), Constants.OBJ_BLOB).copyTo(out);
        }
        if (FileMode.EXECUTABLE_FILE.equals(entry.mode())
                && Files.getFileStore(file).supportsFileAttributeView("posix")) {
            Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(file));
            permissions.add(PosixFilePermission.OWNER_EXECUTE);
            if (permissions.contains(PosixFilePermission.GROUP_READ)) {
                permissions.add(PosixFilePermission.GROUP_EXECUTE);
            }
            if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
                permissions.add(PosixFilePermission.OTHERS_EXECUTE);
            }
            Files.setPosixFilePermissions(file, permissions);
        }
    }
}
