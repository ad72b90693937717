package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.workspace.TarWriter;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Copies files between this machine and a running container, which is not trusted. Only a container of the engine's instance is
 * touched, and only while it runs. Paths in it are absolute, without {@code ..} and control characters, and not in {@code /proc},
 * {@code /sys} or {@code /dev}. Contents travel over standard streams and are never among the arguments of a program.
 *
 * <p>Safe for use by several threads; two copies to the same place at once have no order.
 */
public final class ContainerFiles {
    private static final int PARENT = 0755;

    private final Engine engine;
    private final Container container;
    private final CopyLimits limits;
    private final CopyClient client;

    /**
     * Copies of at most 1 GiB and 100,000 entries each.
     *
     * @param engine of the container
     * @param container is looked up anew for each copy
     */
    public ContainerFiles(Engine engine, Container container) {
        this(engine, container, CopyLimits.DEFAULT);
    }

    /**
     * Copies within other limits.
     *
     * @param engine of the container
     * @param container is looked up anew for each copy
     * @param maxBytes of all files of a copy together, at least 1
     * @param maxEntries files, links and directories of a copy, at least 1
     * @throws IllegalArgumentException when a limit is less than 1
     */
    public ContainerFiles(Engine engine, Container container, long maxBytes, int maxEntries) {
        this(engine, container, new CopyLimits(maxBytes, maxEntries));
    }

    private ContainerFiles(Engine engine, Container container, CopyLimits limits) {
        this.engine = engine;
        this.container = container;
        this.limits = limits;
        this.client = new CopyClient(engine.cli(), container);
    }

    /**
     * Copies a file or a directory with all that is in it to the container, as {@code docker cp} does: into the target when that is a
     * directory or ends with a slash, else under the target's name. What is there is replaced, files by files only; directories are
     * merged. Symbolic links stay links. Permissions are kept, and the owner can always read and write. When it fails, a part may be
     * there.
     *
     * @param source a file or directory, no link; nobody who is not trusted may be able to replace its parent
     * @param target in the container. Directories on the way are made when they are missing, and belong to the owner; neither they nor
     *     the target may be a link (podman follows one all the same). Not on a file system in memory, which docker does not reach
     * @param owner {@code uid:gid}, each at most 2,097,151; null for root
     * @throws IllegalArgumentException when a path or the owner is none, or the source is a link or holds a pipe, a socket or a device
     * @throws DockerException when the source cannot be read or is more than the limits, which is found out first; when the target is
     *     a link, or below a link or a file; when the container is another instance's or does not run
     * @throws io.maestro.docker.DockerUnavailableException when the engine does not answer
     */
    public void copyIn(Path source, String target, @Nullable String owner) {
        ContainerPath to = ContainerPath.of(target);
        Owner user = owner == null ? Owner.ROOT : Owner.of(owner);
        String what = "copying " + source + " to " + to;
        reading(what, () -> {
            SourceTree tree = new SourceTree(source, limits);
            tree.check();
            requireReached(to);
            ResolvedPath place = ResolvedPath.of(client, to);
            if (place.kind() == CopyClient.PathKind.OTHER && tree.isDirectory()) {
                throw new DockerException(what + " is refused: a file is there", null);
            }
            boolean into = place.kind() == CopyClient.PathKind.DIRECTORY || to.directory();
            List<String> missing = new ArrayList<>(place.missing());
            String name = into ? tree.name() : RawName.ofText(missing.remove(missing.size() - 1));
            client.unpack(what, place.directory(), out -> {
                try (TarWriter tar = new TarWriter(out, "", user.uid(), user.gid())) {
                    tree.write(tar, parents(tar, missing) + name);
                }
            });
            return true;
        });
    }

    /**
     * Writes files in the container, each whole or not at all; one that is there is replaced. They are written by the container's
     * shell as their owner, so that file systems in memory are reached; links on the way are followed with the owner's rights. Where
     * the owner may not write, the engine does it as in {@link #copyIn}. When it fails, the files before are written.
     *
     * @param files by path in the container, in the order in which they are written; missing directories are made and belong to the
     *     owner
     * @param owner {@code uid:gid}, each at most 2,097,151
     * @param mode permissions, 0 to 0777
     * @throws IllegalArgumentException when a path, the owner or the mode is none
     * @throws DockerException when there are more than the limits; when a file cannot be written; when the container is another
     *     instance's or does not run
     * @throws io.maestro.exec.ExecException when the container has no shell, or ends meanwhile
     * @throws io.maestro.docker.DockerUnavailableException when the engine does not answer
     */
    public void write(Map<String, byte[]> files, String owner, int mode) {
        Map<ContainerPath, byte[]> all = new LinkedHashMap<>();
        long bytes = 0;
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            ContainerPath path = ContainerPath.of(file.getKey());
            if (path.directory()) {
                throw new IllegalArgumentException("the path of a file must not end with a slash, is '" + path + "/'");
            }
            all.put(path, file.getValue());
            bytes += file.getValue().length;
        }
        if (mode < 0 || mode > 0777) {
            throw new IllegalArgumentException("a mode must be 0 to 0777, is 0" + Integer.toOctalString(mode));
        }
        Owner user = Owner.of(owner);
        if (bytes > limits.bytes() || all.size() > limits.entries()) {
            throw new DockerException(
                    all.size() + " files with " + bytes + " bytes are to be written, and at most " + limits.entries()
                            + " with " + limits.bytes() + " are; write fewer at a time",
                    null);
        }
        Container.RunState state = running();
        DockerExecutor.Builder executor = DockerExecutor.builder(engine.cli().host(), container.id());
        try (TextWriter writer = new TextWriter(executor, container.name(), user)) {
            all.forEach((path, content) -> {
                String refusal = writer.write(path, content, mode);
                if (!refusal.isEmpty()) {
                    put(state, path, content, user, mode, refusal);
                }
            });
        }
    }

    private void put(
            Container.RunState state, ContainerPath path, byte[] content, Owner user, int mode, String refusal) {
        String what = "writing " + path;
        if (isInMemory(state, path)) {
            throw new DockerException(what + " in " + container.name() + " failed: " + refusal, null);
        }
        ResolvedPath place = ResolvedPath.of(client, path);
        if (place.kind() == CopyClient.PathKind.DIRECTORY) {
            throw new DockerException(what + " in " + container.name() + " failed: it is a directory", null);
        }
        List<String> missing = new ArrayList<>(place.missing());
        String name = RawName.ofText(missing.remove(missing.size() - 1));
        client.unpack(what, place.directory(), out -> {
            try (TarWriter tar = new TarWriter(out, "", user.uid(), user.gid())) {
                try (OutputStream file = tar.file(parents(tar, missing) + name, mode, now(), content.length)) {
                    file.write(content);
                }
            }
        });
    }

    /**
     * Copies a file or a directory with all that is in it from the container, as {@code docker cp} does: into the target when that is a
     * directory, else under the target's name. The rules for what the container sends are those of {@code ReceivedTree}: nothing
     * outside of the target is read or written, links that lead out are left out, and so are devices and pipes. Permissions are
     * kept as far as this process's mask lets them, without those to run as another user or group; times are not kept. When it fails,
     * nothing is left.
     *
     * @param source in the container, not a link and not on a file system in memory, which docker does not reach; one below it is an
     *     empty directory for docker
     * @param target a directory, or a name in one; nobody who is not trusted may be able to replace the directory itself
     * @param overwrite whether a file may take the place of a file; nothing else is replaced
     * @return what was left out, at most 100 paths that begin with the source's name
     * @throws IllegalArgumentException when the source's path is none
     * @throws DockerException when there is no such source or it is a link; when something is at the target; when it is more than
     *     the limits; when files are being changed too fast; when it cannot be written; when the container is another instance's or
     *     does not run
     * @throws io.maestro.docker.DockerUnavailableException when the engine does not answer
     */
    public List<String> copyOut(String source, Path target, boolean overwrite) {
        ContainerPath from = ContainerPath.of(source);
        String what = "copying " + from + " to " + target;
        return reading(what, () -> {
            Path absolute = target.toAbsolutePath().normalize();
            boolean into = Files.isDirectory(absolute);
            Path parent = into ? absolute : absolute.getParent();
            if (parent == null || !Files.isDirectory(parent)) {
                throw new DockerException(what + " is refused: there is no directory '" + parent + "'", null);
            }
            String name = into ? RawName.ofText(from.name()) : RawName.of(absolute.getFileName());
            return received(what, from, parent.toRealPath(), name, overwrite);
        });
    }

    /**
     * The same to a name in a directory, whatever is there: a link is not followed, and a directory is not gone into.
     *
     * @param directory on the host; nobody who is not trusted may be able to replace it
     * @param name without directories
     */
    List<String> copyOutAs(String source, Path directory, String name, boolean overwrite) {
        ContainerPath from = ContainerPath.of(source);
        String what = "copying " + from + " to " + directory.resolve(name);
        return reading(what, () -> received(what, from, directory.toRealPath(), RawName.of(Path.of(name)), overwrite));
    }

    private List<String> received(String what, ContainerPath from, Path directory, String name, boolean overwrite)
            throws IOException {
        requireReached(from);
        try (SafeDirectory opened = SafeDirectory.open(directory)) {
            requireFree(what, opened, name, overwrite);
            return receive(what, from, directory, opened, name, overwrite);
        }
    }

    /**
     * In a directory of its own, so that nobody sees a part of it: among Maestro's files, out of reach of whoever works at the target
     * and deleted by the next start at the latest, unless these are on another disk.
     */
    private List<String> receive(
            String what, ContainerPath from, Path directory, SafeDirectory opened, String name, boolean overwrite)
            throws IOException {
        String made = ".maestro-copy-" + UUID.randomUUID();
        Path own = engine.cli().directory();
        Path stage = Files.getFileStore(own).equals(Files.getFileStore(directory)) ? own.toRealPath() : directory;
        Path path = stage.resolve(made);
        Files.createDirectory(path, Permissions.attributes(directory, Permissions.OF_DIRECTORY));
        try (SafeDirectory above = SafeDirectory.open(stage);
                SafeDirectory root = above.directory(made)) {
            ReceivedTree tree = new ReceivedTree(path, root, limits);
            client.pack(what, from.toString(), tree::receive);
            requireFree(what, opened, name, overwrite && !tree.isDirectory());
            opened.adopt(root, ReceivedTree.CONTENT, name);
            return tree.leftOut();
        } finally {
            SafeDirectory.deleteTree(path);
        }
    }

    private static void requireFree(String what, SafeDirectory in, String name, boolean overwrite) throws IOException {
        BasicFileAttributes there = in.attributes(name);
        if (there != null && !(overwrite && there.isRegularFile())) {
            throw new DockerException(
                    what + " is refused: '" + RawName.shown(name) + "' exists, and "
                            + (overwrite ? "only a file takes the place of a file" : "nothing is overwritten"),
                    null);
        }
    }

    /** Writes directories in each other, and returns their raw path with a slash. */
    private static String parents(TarWriter tar, List<String> names) throws IOException {
        StringBuilder path = new StringBuilder();
        for (String name : names) {
            path.append(RawName.ofText(name));
            tar.directory(path.toString(), PARENT, now());
            path.append('/');
        }
        return path.toString();
    }

    private static FileTime now() {
        return FileTime.fromMillis(System.currentTimeMillis());
    }

    private void requireReached(ContainerPath path) {
        if (isInMemory(running(), path)) {
            throw new DockerException(
                    "'" + path + "' in " + container.name()
                            + " is on a file system in memory, which docker does not reach; use a volume there",
                    null);
        }
    }

    private boolean isInMemory(Container.RunState state, ContainerPath path) {
        return !engine.facts().podman() && state.inMemory().stream().anyMatch(path::isIn);
    }

    private Container.RunState running() {
        Container.RunState state = container.state(engine);
        if (!state.running()) {
            throw new DockerException(
                    "the container " + container.name() + " does not run; files are copied while it does", null);
        }
        return state;
    }

    @FunctionalInterface
    private interface CopyAction<T> {
        T run() throws IOException;
    }

    private <T> T reading(String what, CopyAction<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new DockerException(what + " in " + container.name() + " failed: " + e, e);
        } catch (CancellationException e) {
            throw new DockerException(what + " in " + container.name() + " was cancelled", e);
        }
    }
}
