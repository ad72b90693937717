package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.internal.DurableFile;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * The directories that a workspace has of its repository: a cone, as git's sparse checkout calls it. In it are these directories
 * with all that is below, and the files that lie directly in a directory above one of them, the root included. What lies outside
 * is not in the workspace and counts as it is in the workspace's base; a file that an agent writes there counts as written.
 * Immutable.
 */
public final class SparseDirectories {
    /** The whole repository. */
    static final SparseDirectories ALL = new SparseDirectories(List.of());

    private static final int MOST = 1000;
    private static final String FILE = "sparse";

    /** Raw, without slashes at the ends. */
    private final List<String> directories;

    private SparseDirectories(List<String> directories) {
        this.directories = directories;
    }

    /**
     * Reads what a host has set.
     *
     * @param paths from the repository's root on, separated by slashes; none for the whole repository
     * @return the directories
     * @throws IllegalArgumentException when one is no directory's path inside a repository, or there are more than 1,000
     */
    public static SparseDirectories of(Collection<String> paths) {
        if (paths.size() > MOST) {
            throw new IllegalArgumentException(
                    "at most " + MOST + " directories can be chosen, there are " + paths.size());
        }
        TreeSet<String> normal = new TreeSet<>();
        for (String path : paths) {
            String found = CommitTree.normalize(path);
            // What git would take for a pattern, or cut off.
            if (found.isEmpty()
                    || !found.equals(found.strip())
                    || found.startsWith("!")
                    || found.startsWith("#")
                    || found.chars().anyMatch(c -> c < ' ' || c == 0x7f || "*?[]\\\"".indexOf(c) >= 0)) {
                throw new IllegalArgumentException("'" + path + "' cannot be chosen as a directory: give its path from"
                        + " the repository's root on, without control characters, any of * ? [ ] \\ \", white space at"
                        + " its ends, and ! or # at its beginning");
            }
            normal.add(found);
        }
        return new SparseDirectories(normal.stream().map(RawName::ofText).toList());
    }

    /** What {@link #keep} has written; the whole repository when there is no such file. */
    static SparseDirectories kept(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            return ALL;
        }
        SparseDirectories kept = of(Files.readAllLines(file));
        if (kept.isAll()) {
            throw new IOException(file + " is empty");
        }
        return kept;
    }

    /** Notes for a later process what a workspace is made with; without it all that is not in there would count as deleted. */
    void keep(Path directory) throws IOException {
        if (!isAll()) {
            PrivateFiles.makeMissing(directory);
            DurableFile.write(directory.resolve(FILE + ".new"), directory.resolve(FILE), String.join("\n", texts()));
        }
    }

    boolean isAll() {
        return directories.isEmpty();
    }

    /** As a person writes them. */
    List<String> texts() {
        return directories.stream().map(RawName::text).toList();
    }

    /**
     * Makes a clone whose next checkout has these directories only.
     *
     * @param staging a directory that no agent can reach
     */
    void set(Mirror mirror, Path staging, Path clone) throws IOException {
        if (!isAll()) {
            // Not as arguments, which the JVM writes in the encoding of its locale.
            Path list = staging.resolve(FILE);
            Files.write(list, RawName.bytes(String.join("\n", directories)));
            mirror.git()
                    .local(clone, list, "sparse-checkout", "set", "--cone", "--stdin")
                    .orThrow("cannot choose directories for a workspace from " + mirror.remote());
        }
    }

    /**
     * Requires that a tree has them.
     *
     * @param branch what the tree is of, for the message
     * @throws GitException when it lacks one: a mistyped one would give agents a workspace without the files that they need
     */
    void requireIn(ObjectReader reader, ObjectId tree, String branch) throws IOException {
        List<String> missing = new ArrayList<>();
        for (String directory : directories) {
            TreeEntry at = TreeEntry.find(reader, tree, directory);
            if (at == null || !at.isTree()) {
                missing.add("'" + RawName.shown(directory) + "'");
            }
        }
        if (!missing.isEmpty()) {
            throw new GitException(
                    "the branch '" + branch + "' has no directory " + String.join(", ", missing)
                            + " that workspaces are to have: correct the sparse directories",
                    null);
        }
    }

    /** Whether a workspace has a file that is in the repository. */
    boolean hasFile(String path) {
        int slash = path.lastIndexOf('/');
        String parent = path.substring(0, Math.max(0, slash));
        return isAll() || slash < 0 || hasAllOf(parent) || hasSomeOf(parent);
    }

    /** Whether a workspace has all that is in a directory. */
    boolean hasAllOf(String directory) {
        return isAll() || directories.stream().anyMatch(chosen -> (directory + "/").startsWith(chosen + "/"));
    }

    /** Whether a chosen directory is below another. */
    private boolean hasSomeOf(String directory) {
        return directories.stream().anyMatch(chosen -> chosen.startsWith(directory + "/"));
    }

    /**
     * What has to be written, without what counts as there although it is not: that goes away, should it be there.
     *
     * @param comparedWith what the workspace is compared with from now on
     */
    TreeMerge.MergedTree present(ObjectReader reader, ObjectId comparedWith, TreeMerge.MergedTree merge)
            throws IOException {
        if (isAll()) {
            return merge;
        }
        Map<String, TreeEntry> writes = new TreeMap<>(merge.writes());
        List<String> deletes = new ArrayList<>(merge.deletes());
        Map<String, TreeEntry> base = TreeEntry.flatten(reader, comparedWith);
        writes.entrySet().removeIf(write -> {
            boolean absent = !hasFile(write.getKey()) && write.getValue().equals(base.get(write.getKey()));
            if (absent) {
                deletes.add(write.getKey());
            }
            return absent;
        });
        return new TreeMerge.MergedTree(merge.tree(), writes, deletes, merge.conflicts(), merge.said());
    }

    /**
     * What counts as there of an entry that a workspace does not have.
     *
     * @return null when it was deleted
     */
    @Nullable
    TreeEntry absent(ObjectReader reader, ObjectInserter inserter, String path, TreeEntry base) throws IOException {
        if (!base.isTree()) {
            return hasFile(path) ? null : base;
        }
        if (hasAllOf(path)) {
            return null;
        }
        if (!hasSomeOf(path)) {
            return base;
        }
        TreeMap<String, TreeEntry> left = new TreeMap<>();
        for (Map.Entry<String, TreeEntry> child :
                TreeEntry.children(reader, base.id()).entrySet()) {
            TreeEntry entry = absent(reader, inserter, path + "/" + child.getKey(), child.getValue());
            if (entry != null) {
                left.put(TreeEntry.sortedName(child.getKey(), entry), entry);
            }
        }
        return left.isEmpty() ? null : new TreeEntry(FileMode.TREE, TreeEntry.insertOne(inserter, left));
    }
}
