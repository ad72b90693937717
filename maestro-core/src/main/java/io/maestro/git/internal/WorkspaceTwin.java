package io.maestro.git.internal;

import io.maestro.files.internal.RawName;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a workspace and its twin on another machine the same: knows what both had when they last met, finds what was changed
 * here since then, and writes here what was changed there. Files travel there as they are; what git would not commit stays
 * where it was made. Line ends and filters are left alone: what is compared are bytes. Nothing is ever read or written
 * through a link, nothing of the workspace is run, and its {@code .git} is only sent, never read.
 *
 * <p>For one thread at a time. After a failure both sides still have what they had; the next try finds the difference again.
 */
public final class WorkspaceTwin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkspaceTwin.class);
    private static final String GIT = ".git";

    private final Path directory;
    private final Path scratch;
    private final TwinObjects objects;

    private NavigableMap<String, TreeEntry> known = new TreeMap<>();
    private Map<String, TwinChanges.Seen> seen = new HashMap<>();
    private boolean met;
    private String tree = "";
    private String commit = "";

    /** The files that were sent; they count once they are {@linkplain WorkspaceTwin#sent known to have arrived}. */
    public static final class Sent {
        private final String tree;
        private final NavigableMap<String, TreeEntry> files;
        private final Map<String, TwinChanges.Seen> seen;

        private Sent(String tree, NavigableMap<String, TreeEntry> files, Map<String, TwinChanges.Seen> seen) {
            this.tree = tree;
            this.files = files;
            this.seen = seen;
        }

        /**
         * What the twin has when nobody has changed it meanwhile.
         *
         * @return the id of a tree
         */
        public String tree() {
            return tree;
        }
    }

    /**
     * Begins with a twin that is empty.
     *
     * @param directory the workspace, whose parent no agent can write
     * @param scratch a directory for this twin alone, on the same file system and out of the agents' reach; made, and
     *     deleted by {@link #close}
     * @throws GitException when it cannot be made
     */
    public WorkspaceTwin(Path directory, Path scratch) {
        this.directory = directory;
        this.scratch = scratch;
        try {
            Files.createDirectories(scratch);
            this.objects = new TwinObjects(scratch.resolve("objects.git"));
        } catch (IOException e) {
            throw new GitException("cannot prepare " + scratch + " for the files of " + directory + ": " + e, e);
        }
    }

    /**
     * What both sides were known to have.
     *
     * @return the id of a tree; empty before they met
     */
    public String tree() {
        return tree;
    }

    /**
     * The last commit of the twin that is known here.
     *
     * @return its id; empty before they met
     */
    public String commit() {
        return commit;
    }

    /** All files that both sides were known to have, by their raw paths. */
    public List<String> files() {
        return List.copyOf(known.keySet());
    }

    /**
     * Notes another commit of the same tree.
     *
     * @param itsCommit the twin's commit
     */
    public void agree(String itsCommit) {
        commit = itsCommit;
    }

    /** The twin has lost its commits, but not its files. */
    public void forgetCommit() {
        commit = "";
    }

    /**
     * Looks for what was changed here.
     *
     * @return the changes; everything, the agent's {@code .git} too, before they met
     * @throws IOException when the workspace cannot be read
     */
    public TwinChanges changes() throws IOException {
        return new TwinScan(seen, !met).scan(directory);
    }

    /**
     * Reads what was changed and hands it to a carrier.
     *
     * @param changes what {@link #changes} found
     * @param carrier takes it to the twin
     * @return to be given to {@link #sent}
     * @throws IOException when it cannot be read, or the carrier fails
     */
    public Sent send(TwinChanges changes, TwinCarrier carrier) throws IOException {
        NavigableMap<String, TreeEntry> files = new TreeMap<>(known);
        Map<String, TwinChanges.Seen> after = new HashMap<>(changes.seen);
        changes.deleted.forEach(files::remove);
        long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        try (SafeDirectory root = SafeDirectory.open(directory);
                ObjectInserter inserter = objects.inserter()) {
            for (TwinChanges.Change change : changes.written) {
                if (change.attributes().isDirectory()) {
                    carrier.directory(
                            change.path(),
                            TwinChanges.modeOf(change.attributes()),
                            change.attributes().lastModifiedTime());
                    continue;
                }
                ObjectId id;
                try {
                    id = sendFile(root, change.path(), change, carrier, inserter);
                } catch (NoSuchFileException e) {
                    // Deleted meanwhile; it was there, so that the next look finds it gone.
                    continue;
                }
                if (after.containsKey(change.path())) {
                    after.put(change.path(), TwinChanges.Seen.of(change.attributes(), now, id));
                }
                if (change.tracked()) {
                    files.put(change.path(), new TreeEntry(gitMode(change.attributes()), id));
                } else {
                    files.remove(change.path());
                }
            }
            ObjectId made = TwinObjects.tree(inserter, files);
            inserter.flush();
            return new Sent(made.name(), files, after);
        }
    }

    private static FileMode gitMode(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return FileMode.SYMLINK;
        }
        return (TwinChanges.modeOf(attributes) & 0100) != 0 ? FileMode.EXECUTABLE_FILE : FileMode.REGULAR_FILE;
    }

    private static ObjectId sendFile(
            SafeDirectory parent, String rest, TwinChanges.Change change, TwinCarrier carrier, ObjectInserter inserter)
            throws IOException {
        int slash = rest.indexOf('/');
        if (slash >= 0) {
            try (SafeDirectory child = parent.directory(rest.substring(0, slash))) {
                return sendFile(child, rest.substring(slash + 1), change, carrier, inserter);
            }
        }
        BasicFileAttributes attributes = change.attributes();
        if (attributes.isSymbolicLink()) {
            String target = parent.link(rest);
            carrier.link(change.path(), target, attributes.lastModifiedTime());
            return inserter.insert(Constants.OBJ_BLOB, RawName.bytes(target));
        }
        try (InputStream in = parent.read(rest);
                OutputStream out = carrier.file(
                        change.path(),
                        TwinChanges.modeOf(attributes),
                        attributes.lastModifiedTime(),
                        attributes.size())) {
            return inserter.insert(Constants.OBJ_BLOB, attributes.size(), new Copied(in, out));
        } catch (EOFException e) {
            throw new IOException(
                    RawName.shown(change.path()) + " was being changed while it was sent to the container", e);
        }
    }

    /**
     * Notes that the twin has got what was sent.
     *
     * @param sent what {@link #send} returned
     * @param itsCommit the twin's commit of exactly this; null when it has something else, which is to be {@linkplain
     *     #receive received} then
     */
    public void sent(Sent sent, @Nullable String itsCommit) {
        known = sent.files;
        seen = sent.seen;
        tree = sent.tree;
        met = true;
        if (itsCommit != null) {
            commit = itsCommit;
        }
    }

    /**
     * Takes in what was changed there and writes it here.
     *
     * @param bundle has all objects of the commit that {@link #commit()} has not
     * @param itsCommit the twin's commit
     * @param itsTree its tree
     * @param limit the most bytes that the bundle, or a file in it, may have
     * @throws GitException when the bundle is refused; nothing is changed here then
     * @throws IOException when a file cannot be written
     */
    public void receive(InputStream bundle, String itsCommit, String itsTree, long limit) throws IOException {
        NavigableMap<String, TreeEntry> theirs =
                new TreeMap<>(objects.receive(bundle, itsCommit, itsTree, commit, limit));
        NavigableMap<String, TreeEntry> writes = new TreeMap<>();
        NavigableSet<String> deletes = new TreeSet<>(known.keySet());
        deletes.removeAll(theirs.keySet());
        theirs.forEach((path, entry) -> {
            if (!entry.equals(known.get(path))) {
                writes.put(path, entry);
            }
        });
        try (ObjectReader reader = objects.reader()) {
            for (Map.Entry<String, TreeEntry> write : writes.entrySet()) {
                if (!write.getValue().isSubmodule()
                        && !reader.has(write.getValue().id())) {
                    throw new GitException(
                            "what came back from the container is refused: " + RawName.shown(write.getKey())
                                    + " is missing",
                            null);
                }
            }
            apply(reader, writes, deletes);
        }
        known = theirs;
        tree = itsTree;
        commit = itsCommit;
    }

    private void apply(ObjectReader reader, NavigableMap<String, TreeEntry> writes, NavigableSet<String> deletes)
            throws IOException {
        warnOfOverwritten(writes.keySet());
        Path staging = scratch.resolve("staging");
        SafeDirectory.deleteTree(staging);
        Files.createDirectories(staging);
        for (String path : deletes) {
            TreeEntry old = known.get(path);
            if (old != null && old.isSubmodule()) {
                mark(path, false);
            }
        }
        new WorkTreeWriter(directory, staging, reader).apply(writes, List.copyOf(deletes));
        SafeDirectory.deleteTree(staging);
        seen.keySet().removeAll(deletes);
        for (Map.Entry<String, TreeEntry> write : writes.entrySet()) {
            if (write.getValue().isSubmodule()) {
                mark(write.getKey(), true);
                continue;
            }
            BasicFileAttributes attributes = attributes(write.getKey());
            if (attributes != null) {
                // Counts as recent: should somebody else have written it in this moment, then its content tells.
                seen.put(
                        write.getKey(),
                        TwinChanges.Seen.of(attributes, 0, write.getValue().id()));
            }
        }
    }

    private void warnOfOverwritten(Iterable<String> paths) throws IOException {
        List<String> both = new ArrayList<>();
        for (String path : paths) {
            TwinChanges.Seen old = seen.get(path);
            BasicFileAttributes attributes = old == null ? null : attributes(path);
            if (old != null && attributes != null && !old.looksLike(TwinChanges.Seen.of(attributes, 0, null))) {
                both.add(RawName.shown(path));
            }
        }
        if (!both.isEmpty()) {
            LOG.warn("{} in {} was changed here and in the container; the container's is kept", both, directory);
        }
    }

    private @Nullable BasicFileAttributes attributes(String path) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            return attributes(root, path);
        }
    }

    private static @Nullable BasicFileAttributes attributes(SafeDirectory parent, String rest) throws IOException {
        int slash = rest.indexOf('/');
        if (slash < 0) {
            return parent.attributes(rest);
        }
        BasicFileAttributes attributes = parent.attributes(rest.substring(0, slash));
        if (attributes == null || !attributes.isDirectory()) {
            return null;
        }
        try (SafeDirectory child = parent.directory(rest.substring(0, slash))) {
            return attributes(child, rest.substring(slash + 1));
        }
    }

    /**
     * A repository inside the workspace does not travel. Here an empty {@code .git} stands for it, so that whoever commits the
     * workspace says what is wrong, as if it were here.
     */
    private void mark(String path, boolean repository) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            mark(root, path, repository);
        }
    }

    private static void mark(SafeDirectory parent, String rest, boolean repository) throws IOException {
        int slash = rest.indexOf('/');
        String name = slash < 0 ? rest : rest.substring(0, slash);
        BasicFileAttributes attributes = parent.attributes(name);
        if (attributes == null || !attributes.isDirectory()) {
            return;
        }
        try (SafeDirectory child = parent.directory(name)) {
            if (slash >= 0) {
                mark(child, rest.substring(slash + 1), repository);
                return;
            }
            BasicFileAttributes git = child.attributes(GIT);
            if (repository && git == null) {
                child.write(GIT).close();
            } else if (!repository && git != null && git.isRegularFile() && git.size() == 0) {
                child.delete(GIT, false);
            }
        }
    }

    /** Deletes what was kept for this; the workspace stays as it is. */
    @Override
    public void close() {
        objects.close();
        try {
            SafeDirectory.deleteTree(scratch);
        } catch (IOException e) {
            throw new GitException("cannot delete " + scratch + ": " + e, e);
        }
    }

    /** Hands on everything that is read. */
    private static final class Copied extends FilterInputStream {
        private final OutputStream copy;

        Copied(InputStream in, OutputStream copy) {
            super(in);
            this.copy = copy;
        }

        @Override
        public int read() throws IOException {
            int c = in.read();
            if (c >= 0) {
                copy.write(c);
            }
            return c;
        }

        @Override
        public int read(byte[] buffer, int from, int length) throws IOException {
            int read = in.read(buffer, from, length);
            if (read > 0) {
                copy.write(buffer, from, read);
            }
            return read;
        }
    }
}
