package io.maestro.docker.internal.workspace;

import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Engine;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.git.internal.sync.LocalChanges;
import io.maestro.git.internal.sync.SentFiles;
import io.maestro.git.internal.sync.WorkspaceSync;
import io.maestro.internal.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A workspace on an engine that does not see this machine's files: it lives in a volume there. Before a command, what was
 * changed on this machine is taken to the volume as a tar; after it, what the command has changed comes back as a bundle of
 * git, is checked, and is written here.
 *
 * <p>What comes back is what git would commit: files, links, the right to execute, and deletions. Empty directories, other
 * permissions, times and what {@code .gitignore} names stay in the volume, as does the agent's {@code .git}. A file that this
 * machine has sent counts even when it is ignored. When both sides have changed a file in the same moment, the container's
 * stays.
 */
public final class VolumeWorkspace implements WorkspaceTransport {
    /** The most bytes that may come back at once: 2 GiB. */
    public static final long DEFAULT_LIMIT = 2L << 30;

    private static final Logger LOG = LoggerFactory.getLogger(VolumeWorkspace.class);

    private final Engine engine;
    private final String agentId;
    private final Path directory;
    private final Path scratches;
    private final long limit;
    private final VolumeContainer box;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable WorkspaceSync sync;
    private boolean closed;

    /**
     * The workspace of an agent; nothing is made yet.
     *
     * @param image an image on the engine with git, tar and a shell: the safe one
     * @param agentId whose workspace it is
     * @param user {@code uid:gid} of its owner in containers, as numbers
     * @param directory the workspace on this machine
     * @param scratches where directories for such workspaces are made, on the same file system, out of the agents' reach
     * @param limit the most bytes that may come back at once
     */
    public VolumeWorkspace(
            Engine engine, String image, String agentId, String user, Path directory, Path scratches, long limit) {
        this.engine = engine;
        this.agentId = agentId;
        this.directory = directory;
        this.scratches = scratches;
        this.limit = limit;
        this.box = new VolumeContainer(engine, image, agentId, user);
    }

    /** The volume, with all files in it: an empty one would be filled from the image of the first that mounts it. */
    @Override
    public Mount mount(boolean readOnly) {
        push();
        Mount mount = Mount.volume(box.volume(), BoundWorkspace.TARGET);
        return readOnly ? mount.asReadOnly() : mount;
    }

    @Override
    public Executor around(Executor inner, boolean readOnly) {
        return new SyncedExecutor(inner, this, readOnly);
    }

    /**
     * Takes what was changed on this machine to the volume.
     *
     * @throws MaestroException when that cannot be done; both sides keep what they have
     */
    void push() {
        locked("taken to", () -> {
            pushNow();
            return null;
        });
    }

    /**
     * Brings back what was changed in the volume.
     *
     * @throws MaestroException when that cannot be done; both sides keep what they have
     */
    void pull() {
        locked("brought back from", () -> {
            if (!box.isPrepared()) {
                pushNow();
            }
            pullNow();
            return null;
        });
    }

    private interface SyncAction {
        @Nullable
        Void run() throws IOException;
    }

    private void locked(String verb, SyncAction work) {
        // What has to be done after a cancelled command is done all the same.
        boolean interrupted = Thread.interrupted();
        lock.lock();
        try {
            if (closed) {
                throw new DockerException("the workspace of " + agentId + " is closed already", null);
            }
            try {
                work.run();
            } catch (VolumeContainer.LostException e) {
                LOG.warn("the container beside the files of {} is made again: {}", agentId, e.getMessage());
                work.run();
            }
        } catch (IOException e) {
            throw new DockerException(
                    "the files of " + agentId + " cannot be " + verb + " "
                            + engine.cli().host().name() + ": " + e,
                    e);
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void pushNow() throws IOException {
        VolumeContainer.Made made = box.prepare();
        if (made == VolumeContainer.Made.VOLUME && sync != null) {
            sync.close();
            sync = null;
        }
        WorkspaceSync current = sync();
        if (made == VolumeContainer.Made.CONTAINER) {
            current.forgetCommit();
        }
        LocalChanges changes = current.changes();
        if (changes.isEmpty() && made == VolumeContainer.Made.NOTHING) {
            return;
        }
        if (!changes.deleted().isEmpty() && !current.tree().isEmpty()) {
            box.delete(changes.deleted());
        }
        List<String> counted = made == VolumeContainer.Made.CONTAINER ? current.files() : List.of();
        AtomicReference<@Nullable SentFiles> sending = new AtomicReference<>();
        VolumeContainer.Side theirs = box.push(side(current), out -> {
            try (TarWriter tar = new TarWriter(out, VolumeContainer.PREFIX, 0, 0)) {
                sending.set(current.send(changes, tar));
                writeNames(tar, VolumeContainer.REMOVED, changes.deleted(), List.of());
                writeNames(tar, VolumeContainer.ADDED, counted, changes.tracked());
            }
        });
        SentFiles sent = sending.get();
        if (sent == null) {
            throw new IOException("nothing was sent");
        }
        boolean same = theirs.tree().equals(sent.tree());
        current.confirm(sent, same ? theirs.commit() : null);
        // What has changed there meanwhile comes back after the next command: should it be refused here, then that
        // command can still do something about it.
    }

    private static void writeNames(TarWriter tar, String path, List<String> some, List<String> more)
            throws IOException {
        ByteArrayOutputStream names = new ByteArrayOutputStream();
        VolumeContainer.writeNames(names, some);
        VolumeContainer.writeNames(names, more);
        if (names.size() > 0) {
            FileTime now = FileTime.fromMillis(System.currentTimeMillis());
            try (OutputStream out = tar.absolute(path, 0600, now, names.size())) {
                names.writeTo(out);
            }
        }
    }

    private void pullNow() throws IOException {
        WorkspaceSync current = sync();
        VolumeContainer.Side theirs =
                box.pull(side(current), (side, bundle) -> current.receive(bundle, side.commit(), side.tree(), limit));
        current.noteCommit(theirs.commit());
    }

    private static VolumeContainer.Side side(WorkspaceSync sync) {
        return new VolumeContainer.Side(sync.tree(), sync.commit());
    }

    private WorkspaceSync sync() {
        WorkspaceSync known = sync;
        if (known == null) {
            try {
                PrivateFiles.makeMissing(scratches);
            } catch (IOException e) {
                throw new DockerException("the directory " + scratches + " cannot be made: " + e, e);
            }
            known = new WorkspaceSync(directory, scratches.resolve(agentId + "-" + UUID.randomUUID()));
            sync = known;
        }
        return known;
    }

    /** Brings back what a command has changed; when that fails, says how the command itself ended. */
    void pullAfter(ExecResult.Ending ending, String exit) {
        try {
            pull();
        } catch (MaestroException e) {
            throw VolumeContainer.failed(
                    "the command ended (" + ending + exit + "), but what it changed is still in the container only: "
                            + e.getMessage(),
                    e);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            WorkspaceSync ended = sync;
            sync = null;
            try {
                box.close();
            } finally {
                if (ended != null) {
                    ended.close();
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
