package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.Workspace.Place;
import io.maestro.git.internal.Workspace.Snapshot;
import io.maestro.internal.DurableFile;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;

/** Makes snapshots of a workspace. Guarded by the workspace's lock. */
final class SnapshotReader {
    private static final String MERGED = "merged";
    private static final long MAX_FILE_SIZE = 100L << 20;

    /** Of all that is new or changed: a sparse file takes no disk, but all of its length is read. */
    private static final long MAX_CHANGE = 1L << 30;

    private final Mirror mirror;
    private final Place place;
    private final BlobCache blobs;

    SnapshotReader(Mirror mirror, Place place) {
        this.mirror = mirror;
        this.place = place;
        Path staging = place.staging();
        this.blobs = new BlobCache(staging.resolveSibling(staging.getFileName() + ".time"));
    }

    /** Records what lies in the directory; files that nobody has changed since the last time are not read again. */
    Snapshot read(String base) throws IOException {
        return mirror.used(() -> readFiles(base, false));
    }

    /** Records what lies in the directory; each file is read. */
    Snapshot readAll(String base) throws IOException {
        blobs.forget();
        return read(base);
    }

    /** As {@link #read}; what stands where the repository has something that was not checked out is removed first. */
    Snapshot readCleared(String base) throws IOException {
        return mirror.used(() -> readFiles(base, true));
    }

    private Snapshot readFiles(String base, boolean clears) throws IOException {
        boolean whole = false;
        try (Repository repository = mirror.open(place.objects());
                WorkTreeReader reader =
                        new WorkTreeReader(repository, MAX_FILE_SIZE, MAX_CHANGE, blobs, place.sparse())) {
            blobs.begin();
            ObjectId baseTree = StoryCommits.tree(repository, base);
            // A merge of a sparse workspace is written there in part only.
            ObjectId tracked = place.sparse().isAll() ? lastMerge(base, baseTree) : baseTree;
            ObjectId tree = reader.read(place.directory(), tracked, clears);
            if (!reader.inTheWay().isEmpty()) {
                remove(reader.inTheWay());
            }
            Snapshot snapshot = of(repository, base, baseTree, tree);
            whole = true;
            return snapshot;
        } finally {
            if (!whole) {
                // No tree is there that keeps these blobs.
                blobs.forget();
            }
        }
    }

    /**
     * Notes what a merge has made, for a later process, too. Its files count even when they are ignored, and those that nobody changes
     * are not converted: the index of a checkout would have them.
     *
     * @param base the commit that the workspace is compared with from now on
     */
    void noteMerge(String base, ObjectId tree) throws IOException {
        PrivateFiles.makeMissing(place.objects());
        DurableFile.write(
                place.objects().resolve(MERGED + ".new"), place.objects().resolve(MERGED), base + " " + tree.name());
    }

    /** What the last merge has made, when it brought in this base; else the tree of the base. */
    ObjectId lastMerge(String base, ObjectId baseTree) throws IOException {
        Path file = place.objects().resolve(MERGED);
        String noted = Files.exists(file) ? Files.readString(file) : "";
        return noted.startsWith(base + " ") ? ObjectId.fromString(noted.substring(base.length() + 1)) : baseTree;
    }

    private void remove(List<String> paths) throws IOException {
        SafeDirectory.deleteTree(place.staging());
        PrivateFiles.makeMissing(place.staging());
        try (SafeDirectory root = SafeDirectory.open(place.directory());
                SafeDirectory staged = SafeDirectory.open(place.staging())) {
            for (String path : paths) {
                moveAway(root, path, staged, Integer.toString(paths.indexOf(path)));
            }
        } finally {
            SafeDirectory.deleteTree(place.staging());
        }
    }

    /** Along no link, and out of the agents' reach before it is deleted. */
    private static void moveAway(SafeDirectory directory, String path, SafeDirectory staged, String as)
            throws IOException {
        int slash = path.indexOf('/');
        if (slash < 0) {
            staged.adopt(directory, path, as);
            return;
        }
        try (SafeDirectory child = directory.directory(path.substring(0, slash))) {
            moveAway(child, path.substring(slash + 1), staged, as);
        }
    }

    /** A snapshot that has a tree; its objects are noted as used. */
    static Snapshot of(Repository repository, String base, ObjectId baseTree, ObjectId tree) throws IOException {
        try (ObjectInserter inserter = repository.newObjectInserter()) {
            SnapshotObjects.use(inserter, tree);
        }
        return new Snapshot(tree.name(), base, tree.equals(baseTree));
    }

    /** How many files the last snapshot has read. */
    int filesRead() {
        return blobs.read();
    }
}
