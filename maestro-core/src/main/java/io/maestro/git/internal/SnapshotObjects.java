package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Lock;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectDatabase;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;

/**
 * The objects of what lay in workspaces and is not committed: for each workspace a directory beside the mirror, which the
 * mirror's own objects complete, and which goes when the workspace does. Only what is committed comes into the mirror.
 */
final class SnapshotObjects {
    /** A tree of all that the snapshots use of the mirror's objects, although perhaps no ref reaches it. */
    static final String KEPT = "refs/maestro/kept";

    private final Path directory;

    SnapshotObjects(Path projectDirectory) {
        this.directory = projectDirectory.resolve(".maestro").resolve("snapshots");
    }

    /** Where the objects of an agent's workspace are. */
    Path of(String agentId) {
        return directory.resolve(agentId);
    }

    /** Deletes those of a workspace, but not while {@link #keepUsed} reads them. An interrupt does not stop it. */
    void delete(Mirror mirror, String agentId) throws IOException {
        Lock using = mirror.using();
        using.lock();
        try {
            SafeDirectory.deleteTree(of(agentId));
        } finally {
            using.unlock();
        }
    }

    /** After a power failure, files can be there without what was written to them; such an object is written again. */
    static void removeEmpty(Path objects) throws IOException {
        for (Path file : files(objects)) {
            if (Files.size(file) == 0) {
                Files.delete(file);
            }
        }
    }

    /**
     * Notes that a tree is in use: it is found by {@link #keepUsed} even if the mirror has it already.
     *
     * @param inserter of the workspace's objects
     */
    static void use(ObjectInserter inserter, ObjectId tree) throws IOException {
        TreeFormatter formatter = new TreeFormatter();
        formatter.append("snapshot", FileMode.TREE, tree);
        inserter.insert(formatter);
        inserter.flush();
    }

    /** Copies a tree, and all that the mirror lacks of what is in it, into the mirror. Lock of the mirror held. */
    static void copy(ObjectReader from, ObjectDatabase mirror, ObjectInserter to, ObjectId tree) throws IOException {
        if (mirror.has(tree)) {
            return;
        }
        for (TreeEntry entry : TreeEntry.children(from, tree).values()) {
            if (entry.isTree()) {
                copy(from, mirror, to, entry.id());
            } else if (!entry.isSubmodule() && !mirror.has(entry.id())) {
                ObjectLoader blob = from.open(entry.id(), Constants.OBJ_BLOB);
                try (InputStream in = blob.openStream()) {
                    to.insert(Constants.OBJ_BLOB, blob.getSize(), in);
                }
            }
        }
        // Last, so that what a tree has is there when the tree is.
        to.insert(Constants.OBJ_TREE, from.open(tree, Constants.OBJ_TREE).getCachedBytes());
    }

    /** Makes the mirror keep what the snapshots use of it. Lock of the mirror held, and no snapshot is taken or deleted. */
    void keepUsed(Mirror mirror) throws IOException {
        Map<String, FileMode> used = new TreeMap<>();
        try (Repository alone = mirror.open()) {
            ObjectDatabase objects = alone.getObjectDatabase();
            if (Files.isDirectory(directory)) {
                try (DirectoryStream<Path> workspaces = Files.newDirectoryStream(directory)) {
                    for (Path workspace : workspaces) {
                        findUsed(mirror, objects, workspace, used);
                    }
                }
            }
            if (used.isEmpty()) {
                if (mirror.resolve(KEPT) != null) {
                    mirror.delete(KEPT);
                }
                return;
            }
            TreeFormatter tree = new TreeFormatter();
            used.forEach((name, mode) -> tree.append(name, mode, ObjectId.fromString(name)));
            try (ObjectInserter inserter = alone.newObjectInserter()) {
                ObjectId kept = inserter.insert(tree);
                inserter.flush();
                mirror.update(KEPT, kept);
            }
        }
    }

    private static void findUsed(Mirror mirror, ObjectDatabase objects, Path workspace, Map<String, FileMode> used)
            throws IOException {
        try (Repository repository = mirror.open(workspace);
                ObjectReader reader = repository.newObjectReader()) {
            for (Path file : files(workspace)) {
                String name = String.valueOf(file.getName(file.getNameCount() - 2)) + file.getFileName();
                if (!ObjectId.isId(name) || Files.size(file) == 0) {
                    continue;
                }
                ObjectId id = ObjectId.fromString(name);
                if (reader.open(id).getType() != Constants.OBJ_TREE) {
                    continue;
                }
                for (TreeEntry entry : TreeEntry.children(reader, id).values()) {
                    if (!entry.isSubmodule() && objects.has(entry.id())) {
                        used.put(entry.id().name(), entry.isTree() ? FileMode.TREE : FileMode.REGULAR_FILE);
                    }
                }
            }
        }
    }

    private static List<Path> files(Path objects) throws IOException {
        List<Path> files = new ArrayList<>();
        if (!Files.isDirectory(objects)) {
            return files;
        }
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(objects, "??")) {
            for (Path directory : directories) {
                try (DirectoryStream<Path> listed = Files.newDirectoryStream(directory)) {
                    listed.forEach(files::add);
                }
            }
        }
        return files;
    }
}
