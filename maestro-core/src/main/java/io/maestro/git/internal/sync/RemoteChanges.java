package io.maestro.git.internal.sync;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.internal.TreeEntry;
import io.maestro.git.internal.WorkTreeWriter;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was changed in the remote copy since both sides were last the same; writes it to the workspace. For one use. */
final class RemoteChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteChanges.class);
    private static final String GIT = ".git";

    private final Path directory;
    private final ObjectReader reader;
    private final Map<String, TreeEntry> known;
    private final NavigableMap<String, TreeEntry> writes = new TreeMap<>();
    private final NavigableSet<String> deletes;

    /**
     * Compares the remote copy with what both sides had.
     *
     * @param directory the workspace
     * @param reader has the objects of the remote copy's files
     * @param known the files that both sides had
     * @param remote the files that the remote copy has
     */
    RemoteChanges(Path directory, ObjectReader reader, Map<String, TreeEntry> known, Map<String, TreeEntry> remote) {
        this.directory = directory;
        this.reader = reader;
        this.known = known;
        this.deletes = new TreeSet<>(known.keySet());
        deletes.removeAll(remote.keySet());
        remote.forEach((path, entry) -> {
            if (!entry.equals(known.get(path))) {
                writes.put(path, entry);
            }
        });
    }

    /**
     * Fails before anything is written.
     *
     * @throws GitException when the content of a file is missing
     */
    void requireWhole() throws IOException {
        for (Map.Entry<String, TreeEntry> write : writes.entrySet()) {
            if (!write.getValue().isSubmodule() && !reader.has(write.getValue().id())) {
                throw new GitException(
                        "what came back from the container is refused: " + RawName.shown(write.getKey())
                                + " is missing",
                        null);
            }
        }
    }

    /**
     * Writes the changes.
     *
     * @param staging a directory that agents cannot reach, on the file system of the workspace; made anew, and deleted
     * @param states how the workspace's files looked when they were last known; brought up to date
     */
    void apply(Path staging, Map<String, FileState> states) throws IOException {
        warnOfOverwritten(states);
        SafeDirectory.deleteTree(staging);
        Files.createDirectories(staging);
        for (String path : deletes) {
            TreeEntry old = known.get(path);
            if (old != null && old.isSubmodule()) {
                mark(path, false);
            }
        }
        new WorkTreeWriter(directory, staging, reader, "the container").apply(writes, List.copyOf(deletes));
        SafeDirectory.deleteTree(staging);
        states.keySet().removeAll(deletes);
        for (Map.Entry<String, TreeEntry> write : writes.entrySet()) {
            if (write.getValue().isSubmodule()) {
                mark(write.getKey(), true);
                continue;
            }
            BasicFileAttributes attributes = attributes(write.getKey());
            if (attributes != null) {
                // Counts as recent: should somebody else have written it in this moment, then its content tells.
                states.put(
                        write.getKey(),
                        FileState.of(attributes, 0, write.getValue().id()));
            }
        }
    }

    private void warnOfOverwritten(Map<String, FileState> states) throws IOException {
        List<String> both = new ArrayList<>();
        for (String path : writes.keySet()) {
            FileState old = states.get(path);
            BasicFileAttributes attributes = old == null ? null : attributes(path);
            if (old != null && attributes != null && !old.looksLike(FileState.of(attributes, 0, null))) {
                both.add(RawName.shown(path));
            }
        }
        if (!both.isEmpty()) {
            LOG.warn("{} in {} was changed here and in the container; the container's is kept", both, directory);
        }
    }

    private @Nullable BasicFileAttributes attributes(String path) throws IOException {
        int slash = path.lastIndexOf('/');
        return look(path.substring(0, Math.max(0, slash)), parent -> parent.attributes(path.substring(slash + 1)));
    }

    /**
     * A repository inside the workspace is not sent. On this machine an empty {@code .git} stands for it, so that whoever
     * commits the workspace says what is wrong, as if it were here.
     */
    private void mark(String path, boolean repository) throws IOException {
        look(path, inside -> {
            BasicFileAttributes git = inside.attributes(GIT);
            if (repository && git == null) {
                inside.write(GIT).close();
            } else if (!repository && git != null && git.isRegularFile() && git.size() == 0) {
                inside.delete(GIT, false);
            }
            return git;
        });
    }

    private interface Look {
        @Nullable
        BasicFileAttributes at(SafeDirectory directory) throws IOException;
    }

    /** Looks into a directory of the workspace; null when there is none, or something else is there. */
    private @Nullable BasicFileAttributes look(String path, Look look) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            return look(root, path, look);
        }
    }

    private static @Nullable BasicFileAttributes look(SafeDirectory parent, String path, Look look) throws IOException {
        if (path.isEmpty()) {
            return look.at(parent);
        }
        int slash = path.indexOf('/');
        String name = slash < 0 ? path : path.substring(0, slash);
        BasicFileAttributes attributes = parent.attributes(name);
        if (attributes == null || !attributes.isDirectory()) {
            return null;
        }
        try (SafeDirectory child = parent.directory(name)) {
            return look(child, slash < 0 ? "" : path.substring(slash + 1), look);
        }
    }
}
