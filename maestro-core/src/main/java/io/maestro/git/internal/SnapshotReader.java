package io.maestro.git.internal;

import io.maestro.git.internal.Workspace.Place;
import io.maestro.git.internal.Workspace.Snapshot;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;

/** Makes snapshots of a workspace. Guarded by the workspace's lock. */
final class SnapshotReader {
    private static final long MAX_FILE_SIZE = 100L << 20;

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
        return mirror.used(() -> readFiles(base));
    }

    /** Records what lies in the directory; each file is read. */
    Snapshot readAll(String base) throws IOException {
        blobs.forget();
        return read(base);
    }

    private Snapshot readFiles(String base) throws IOException {
        boolean whole = false;
        try (Repository repository = mirror.open(place.objects());
                WorkTreeReader reader = new WorkTreeReader(repository, MAX_FILE_SIZE, blobs, place.sparse())) {
            blobs.begin();
            ObjectId baseTree = StoryCommits.tree(repository, base);
            Snapshot snapshot = of(repository, base, baseTree, reader.read(place.directory(), baseTree));
            whole = true;
            return snapshot;
        } finally {
            if (!whole) {
                // No tree is there that keeps these blobs.
                blobs.forget();
            }
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
