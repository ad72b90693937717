package io.maestro.git.internal.sync;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.internal.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a workspace and its remote copy the same: knows what both had when they were last in sync, finds what was changed here
 * since then, and writes here what was changed there. Files are sent as they are; what git would not commit stays where it was
 * made. Line ends and filters are left alone: what is compared are bytes. Nothing is ever read or written through a link,
 * nothing of the workspace is run, and its {@code .git} is only sent, never read.
 *
 * <p>For one thread at a time. After a failure both sides still have what they had; the next try finds the difference again.
 */
public final class WorkspaceSync implements AutoCloseable {
    private final Path directory;
    private final Path scratch;
    private final SyncObjects objects;

    private NavigableMap<String, TreeEntry> known = new TreeMap<>();
    private Map<String, FileState> states = new HashMap<>();
    private boolean copied;
    private String tree = "";
    private String commit = "";

    /**
     * Begins with a remote copy that is empty.
     *
     * @param directory the workspace, whose parent no agent can write
     * @param scratch a directory for this sync alone, on the same file system and out of the agents' reach; made, and deleted
     *     by {@link #close}
     * @throws GitException when it cannot be made
     */
    public WorkspaceSync(Path directory, Path scratch) {
        this.directory = directory;
        this.scratch = scratch;
        try {
            Files.createDirectories(scratch);
            this.objects = new SyncObjects(scratch.resolve("objects.git"));
        } catch (IOException e) {
            throw new GitException("cannot prepare " + scratch + " for the files of " + directory + ": " + e, e);
        }
    }

    /**
     * What both sides were known to have.
     *
     * @return the id of a tree; empty before anything was copied
     */
    public String tree() {
        return tree;
    }

    /**
     * The last commit of the remote copy that is known here.
     *
     * @return its id; empty when none is
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
     * @param remoteCommit the remote copy's commit
     */
    public void noteCommit(String remoteCommit) {
        commit = remoteCommit;
    }

    /** The remote copy has lost its commits, but not its files. */
    public void forgetCommit() {
        commit = "";
    }

    /**
     * Looks for what was changed here.
     *
     * @return the changes; everything, the agent's {@code .git} too, before anything was copied
     * @throws IOException when the workspace cannot be read
     */
    public LocalChanges changes() throws IOException {
        return new LocalScan(states, !copied).scan(directory);
    }

    /**
     * Reads what was changed and sends it.
     *
     * @param changes what {@link #changes} found
     * @param sink takes it to the remote copy
     * @return to be given to {@link #confirm}
     * @throws IOException when it cannot be read, or the sink fails
     */
    public SentFiles send(LocalChanges changes, FileSink sink) throws IOException {
        try (ObjectInserter inserter = objects.inserter()) {
            return new LocalSender(sink, inserter).send(directory, changes, known);
        }
    }

    /**
     * Notes that the remote copy has got what was sent.
     *
     * @param sent what {@link #send} returned
     * @param remoteCommit the remote copy's commit of exactly this; null when it has something else, which is to be {@linkplain
     *     #receive received} then
     */
    public void confirm(SentFiles sent, @Nullable String remoteCommit) {
        known = sent.files;
        states = sent.states;
        tree = sent.tree();
        copied = true;
        if (remoteCommit != null) {
            commit = remoteCommit;
        }
    }

    /**
     * Takes in what was changed there and writes it here.
     *
     * @param bundle has all objects of the commit that {@link #commit()} has not
     * @param remoteCommit the remote copy's commit
     * @param remoteTree its tree
     * @param limit the most bytes that the bundle, or a file in it, may have
     * @throws GitException when the bundle is refused; nothing is changed here then
     * @throws IOException when a file cannot be written
     */
    public void receive(InputStream bundle, String remoteCommit, String remoteTree, long limit) throws IOException {
        NavigableMap<String, TreeEntry> remote = objects.receive(bundle, remoteCommit, remoteTree, commit, limit);
        try (ObjectReader reader = objects.reader()) {
            RemoteChanges changes = new RemoteChanges(directory, reader, known, remote);
            changes.requireWhole();
            changes.apply(scratch.resolve("staging"), states);
        }
        known = remote;
        tree = remoteTree;
        commit = remoteCommit;
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
}
