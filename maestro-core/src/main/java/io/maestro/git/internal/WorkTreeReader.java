package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.files.internal.WholeFile;
import io.maestro.git.internal.rules.PathRules;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Makes a git tree in the mirror from the files of a workspace, as {@code git add --all} would. It is done here and not by
 * git, because git reads files along paths, which an agent can turn into links at that moment, and because it starts
 * processes in repositories that it finds inside. Of the workspace's own {@code .git} only submodules' are
 * looked at, by {@link SubmoduleCheck}. For one use.
 */
final class WorkTreeReader implements AutoCloseable {
    private static final int MAX_DEPTH = 200;
    /** Bytes of all files with rules that hold in one directory. */
    private static final int MAX_RULES = 1 << 20;

    private static final int MAX_ENTRIES = 1_000_000;

    /** Steps of matching paths with rules, some minute: a large repository takes a hundredth of it. */
    private static final long MOST_STEPS = 5_000_000_000L;

    private static final int MAX_PROBLEMS = 20;
    private static final String GIT = ".git";

    private final ObjectReader reader;
    private final ObjectInserter inserter;
    private final BlobReader blobs;
    private final SparseDirectories sparse;
    private final ObjectChecker names = new ObjectChecker();
    private final List<String> problems = new ArrayList<>();
    private final List<String> inTheWay = new ArrayList<>();
    private @Nullable SafeDirectory workspace;
    private final Effort effort = new Effort("reading the workspace", MOST_STEPS);

    /**
     * Reads nothing yet.
     *
     * @param maxFileSize bytes of a file that is new or changed
     * @param maxChange bytes of all of these together
     */
    WorkTreeReader(Repository mirror, long maxFileSize, long maxChange, BlobCache cache, SparseDirectories sparse) {
        this.reader = mirror.newObjectReader();
        this.inserter = mirror.newObjectInserter();
        this.blobs = new BlobReader(reader, inserter, maxFileSize, maxChange, problems, cache);
        this.sparse = sparse;
    }

    /**
     * Reads the directory.
     *
     * @param baseTree what was checked out or merged there; its files count even when they are ignored
     * @param clears whether what is {@linkplain #inTheWay in the way} is to go, and counts as not there
     * @throws WorkspaceProblem naming all that cannot be committed
     * @throws java.util.concurrent.CancellationException when the thread is interrupted
     */
    ObjectId read(Path directory, ObjectId baseTree, boolean clears) throws IOException {
        ObjectId tree;
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            workspace = root;
            tree = directory(
                    root, "", TreeEntry.children(reader, baseTree), PathRules.none(effort), MAX_RULES, false, 0);
        } catch (Effort.Exhausted e) {
            throw new WorkspaceProblem("the rules in .gitignore and .gitattributes cannot be applied (" + e.getMessage()
                    + "): make them fewer and simpler, with fewer stars");
        }
        inTheWay.stream()
                .filter(path -> !clears)
                .forEach(
                        path -> problems.add(RawName.shown(path) + " is where the repository has something that was not"
                                + " checked out: give what stands there another name"));
        if (!problems.isEmpty()) {
            List<String> shown = problems.subList(0, Math.min(MAX_PROBLEMS, problems.size()));
            int more = problems.size() - shown.size();
            throw new WorkspaceProblem("the files cannot be committed as they are:\n- " + String.join("\n- ", shown)
                    + (more > 0 ? "\n- and " + more + " more" : ""));
        }
        if (tree == null) {
            tree = inserter.insert(new TreeFormatter());
        }
        inserter.flush();
        return tree;
    }

    /** What stands where the repository has something that was not checked out, by its raw path. */
    List<String> inTheWay() {
        return List.copyOf(inTheWay);
    }

    /** Returns null for a directory with nothing to commit in it: git knows no empty directories. */
    private @Nullable ObjectId directory(
            SafeDirectory directory,
            String prefix,
            Map<String, TreeEntry> base,
            PathRules above,
            int rulesLeft,
            boolean ignored,
            int depth)
            throws IOException {
        effort.requireGoingOn();
        List<SafeDirectory.DirectoryEntry> entries = directory.list(effort, MAX_ENTRIES);
        if (entries.size() > MAX_ENTRIES) {
            problems.add("/" + RawName.shown(prefix) + " has more than " + MAX_ENTRIES
                    + " entries: delete them, or add the directory to .gitignore");
            return null;
        }
        byte[] ignore = rulesFile(directory, prefix, entries, ".gitignore", rulesLeft);
        rulesLeft -= ignore == null ? 0 : ignore.length;
        byte[] attributes = rulesFile(directory, prefix, entries, ".gitattributes", rulesLeft);
        rulesLeft -= attributes == null ? 0 : attributes.length;
        PathRules rules = above.below(prefix, ignore, attributes);
        // Git's order: a directory stands where its name with a slash would.
        TreeMap<String, TreeEntry> tree = new TreeMap<>();
        for (SafeDirectory.DirectoryEntry entry : entries) {
            if (entry.name().equals(GIT)) {
                nestedRepository(prefix, ignored);
                continue;
            }
            if (WholeFile.isUnfinished(entry.name()) && !base.containsKey(entry.name())) {
                continue;
            }
            TreeEntry made = null;
            try {
                made = entry(directory, prefix, entry, base.get(entry.name()), rules, rulesLeft, ignored, depth);
            } catch (FileSystemException e) {
                problems.add(RawName.shown(prefix + entry.name()) + " cannot be read (" + reason(e)
                        + "): correct its permissions, or end what is still changing it");
            }
            if (made != null) {
                tree.put(TreeEntry.sortedName(entry.name(), made), made);
            }
        }
        if (!sparse.hasAllOf(prefix)) {
            addAbsent(prefix, base, entries, tree);
        }
        return tree.isEmpty() ? null : TreeEntry.insertOne(inserter, tree);
    }

    /** Adds what the workspace was made without. */
    private void addAbsent(
            String prefix,
            Map<String, TreeEntry> base,
            List<SafeDirectory.DirectoryEntry> present,
            Map<String, TreeEntry> tree)
            throws IOException {
        Map<String, TreeEntry> absent = new HashMap<>(base);
        for (SafeDirectory.DirectoryEntry entry : present) {
            TreeEntry old = absent.get(entry.name());
            boolean directory = entry.attributes().isDirectory();
            if (old != null && (old.isTree() == directory || old.isSubmodule() && directory)) {
                absent.remove(entry.name());
            } else if (old != null && sparse.absent(reader, inserter, prefix + entry.name(), old) != null) {
                inTheWay.add(prefix + entry.name());
                tree.remove(entry.name());
                tree.remove(entry.name() + "/");
            } else {
                absent.remove(entry.name());
            }
        }
        for (Map.Entry<String, TreeEntry> entry : absent.entrySet()) {
            TreeEntry kept = sparse.absent(reader, inserter, prefix + entry.getKey(), entry.getValue());
            if (kept != null) {
                tree.put(TreeEntry.sortedName(entry.getKey(), kept), kept);
            }
        }
    }

    private static String reason(FileSystemException e) {
        return e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
    }

    private void nestedRepository(String prefix, boolean ignored) {
        if (!prefix.isEmpty() && !ignored) {
            problems.add(RawName.shown(prefix) + " is a git repository of its own: delete " + RawName.shown(prefix)
                    + GIT + ", or the whole directory, or add it to .gitignore");
        }
    }

    private @Nullable TreeEntry entry(
            SafeDirectory directory,
            String prefix,
            SafeDirectory.DirectoryEntry entry,
            @Nullable TreeEntry base,
            PathRules rules,
            int rulesLeft,
            boolean inIgnored,
            int depth)
            throws IOException {
        String path = prefix + entry.name();
        BasicFileAttributes attributes = entry.attributes();
        boolean isDirectory = attributes.isDirectory();
        if (base != null && base.isSubmodule() && isDirectory) {
            checkSubmodule(directory, entry.name(), path, base.id());
            return base;
        }
        boolean tracked = base != null && base.isTree() == isDirectory;
        boolean ignored = inIgnored || rules.ignored(path, isDirectory);
        if (ignored && !tracked) {
            return null;
        }
        if (!attributes.isDirectory() && !attributes.isRegularFile() && !attributes.isSymbolicLink()) {
            if (tracked) {
                problems.add(RawName.shown(path) + " is neither a file nor a link any more: restore or delete it");
            }
            return null;
        }
        if (base == null && !nameIsValid(path, entry.name())) {
            return null;
        }
        if (isDirectory) {
            if (depth >= MAX_DEPTH) {
                problems.add(RawName.shown(prefix) + " is nested deeper than " + MAX_DEPTH + " levels: delete it");
                return null;
            }
            Map<String, TreeEntry> children =
                    tracked && base != null ? TreeEntry.children(reader, base.id()) : Map.of();
            ObjectId tree;
            try (SafeDirectory child = directory.directory(entry.name())) {
                tree = directory(child, path + "/", children, rules, rulesLeft, ignored, depth + 1);
            }
            return tree == null ? null : new TreeEntry(FileMode.TREE, tree);
        }
        if (attributes.isSymbolicLink()) {
            byte[] target = RawName.bytes(directory.link(entry.name()));
            return new TreeEntry(FileMode.SYMLINK, inserter.insert(Constants.OBJ_BLOB, target));
        }
        return blobs.read(directory, entry, path, base != null && base.isFile() ? base : null, rules);
    }

    /** A submodule stays the commit that it was. */
    private void checkSubmodule(SafeDirectory directory, String name, String path, ObjectId commit) throws IOException {
        try (SafeDirectory submodule = directory.directory(name)) {
            List<SafeDirectory.DirectoryEntry> content = submodule.list();
            if (!content.isEmpty()
                    && content.stream().noneMatch(entry -> entry.name().equals(GIT))) {
                problems.add(RawName.shown(path) + " is a submodule, files in it cannot be committed: delete them");
            } else if (!content.isEmpty()) {
                String problem = SubmoduleCheck.problem(
                        Objects.requireNonNull(workspace), submodule, content, path, commit, inserter, effort);
                if (problem != null) {
                    problems.add(problem);
                }
            }
        }
    }

    private boolean nameIsValid(String path, String name) {
        byte[] bytes = RawName.bytes(name);
        try {
            names.checkPathSegment(bytes, 0, bytes.length);
            return true;
        } catch (CorruptObjectException e) {
            problems.add(RawName.shown(path) + " has a name that git refuses (" + e.getMessage() + "): rename it");
            return false;
        }
    }

    private byte @Nullable [] rulesFile(
            SafeDirectory directory, String prefix, List<SafeDirectory.DirectoryEntry> entries, String name, int most)
            throws IOException {
        for (SafeDirectory.DirectoryEntry entry : entries) {
            // As git does it, one that is a symbolic link is not followed.
            if (entry.name().equals(name) && entry.attributes().isRegularFile()) {
                try (var in = directory.read(name)) {
                    byte[] rules = in.readNBytes(most + 1);
                    if (rules.length <= most) {
                        return rules;
                    }
                    problems.add(RawName.shown(prefix + name) + " is too long: together with those of the directories"
                            + " above it has more than " + MAX_RULES + " bytes");
                } catch (FileSystemException e) {
                    problems.add(
                            RawName.shown(prefix + name) + " cannot be read (" + reason(e) + "): make it readable");
                }
            }
        }
        return null;
    }

    @Override
    public void close() {
        inserter.close();
        reader.close();
    }
}
