package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.DurableFile;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.PathSuffixFilter;
import org.eclipse.jgit.treewalk.filter.TreeFilter;
import org.jspecify.annotations.Nullable;

/**
 * Merges the tip of the target branch into what lies in a workspace, and says what has to be written there. The result is that of
 * {@code git merge} in a checkout of the workspace's version: its attributes, renames and modes count, but no driver, hook or setting of
 * the workspace or of the host's user. Git runs in a new directory, which borrows the objects and has nothing of the workspace but
 * its {@code .gitattributes}.
 */
final class TreeMerge {
    private static final PersonIdent NOBODY =
            new PersonIdent("Maestro", "maestro@localhost", Instant.EPOCH, ZoneOffset.UTC);

    /** Git reads no attributes from a longer file. */
    private static final int MOST_ATTRIBUTES = 100 << 20;

    /** Paths that no checkout may have, for they lead out of the directory, or into git's. */
    private static final Pattern UNSAFE = Pattern.compile("(?i)(.*/)?(|\\.|\\.\\.|\\.git)(/.*)?", Pattern.DOTALL);

    /** Branches whose short name git would take for something else. */
    private static final Pattern NO_SHORT_NAME = Pattern.compile("HEAD|[0-9a-fA-F]{40}|(refs|heads|tags|remotes)/.*");

    private final Side ours;
    private final Side theirs;

    private TreeMerge(Side ours, Side theirs) {
        this.ours = ours;
        this.theirs = theirs;
    }

    /**
     * One side of a merge.
     *
     * @param tree its files
     * @param name how conflict markers call it: the name of a branch
     */
    record Side(ObjectId tree, String name) {
        Side {
            tree = tree.copy();
        }
    }

    /**
     * What has to be done in the workspace; paths are raw.
     *
     * @param tree what is to lie there when all is done, without what is to be left as it is
     * @param writes files, links and submodules that get another content
     * @param deletes what goes away
     * @param conflicts what somebody has to look at
     * @param said git's words about these, for people and models
     */
    record MergedTree(
            ObjectId tree,
            Map<String, TreeEntry> writes,
            List<String> deletes,
            List<Conflict> conflicts,
            List<String> said) {}

    /**
     * A path in conflict.
     *
     * @param path raw
     * @param content which version the merge has left there, for people and models
     * @param markers the lines that git has put around what differs, without those between the versions; empty where it has put none
     */
    record Conflict(String path, String content, List<String> markers) {
        private static final String KEPT = "conflicts";
        private static final int MOST_SHOWN = 20;

        /** Notes the markers that a merge is about to leave in the files, beside the snapshots, for a later process, too. */
        static void keep(Path objects, List<Conflict> conflicts) throws IOException {
            StringBuilder kept = new StringBuilder();
            for (Conflict conflict : conflicts) {
                conflict.markers().forEach(line -> kept.append(conflict.path() + "\0" + line + "\0"));
            }
            PrivateFiles.makeMissing(objects);
            DurableFile.write(objects.resolve(KEPT + ".new"), objects.resolve(KEPT), kept.toString());
        }

        /**
         * Requires that none of the markers that the last merge has left is in a tree: exactly these lines, in the files where they
         * were left and in those that were made or changed since, for a file may have been moved or copied.
         *
         * @param merged the tree that the merge has made
         * @throws WorkspaceProblem saying where they are
         */
        static void requireResolved(Path objects, ObjectReader reader, ObjectId merged, ObjectId tree)
                throws IOException {
            Map<String, Set<String>> kept = kept(objects);
            if (kept.isEmpty()) {
                return;
            }
            Map<String, TreeEntry> files =
                    new TreeMap<>(replace(reader, merged, tree).writes());
            for (String path : kept.keySet()) {
                TreeEntry entry = TreeEntry.find(reader, tree, path);
                if (entry != null) {
                    files.put(path, entry);
                }
            }
            Set<String> all = kept.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
            List<String> left = new ArrayList<>();
            for (Map.Entry<String, TreeEntry> file : files.entrySet()) {
                String path = file.getKey();
                Set<String> markers = new HashSet<>(kept.getOrDefault(path, all));
                if (!kept.containsKey(path)) {
                    // Lines of its own, which only look like markers.
                    lines(reader, TreeEntry.find(reader, merged, path)).forEach(markers::remove);
                }
                List<String> lines = lines(reader, file.getValue());
                for (int line = 0; line < lines.size(); line++) {
                    if (markers.contains(lines.get(line))) {
                        left.add(RawName.shown(path) + ", line " + (line + 1) + ": " + RawName.shown(lines.get(line)));
                    }
                }
            }
            if (!left.isEmpty()) {
                throw new WorkspaceProblem(
                        "conflict markers of the last merge are still there: keep what both sides meant, and"
                                + " delete these lines and the ======= between them\n- "
                                + String.join("\n- ", left.subList(0, Math.min(MOST_SHOWN, left.size()))));
            }
        }

        private static Map<String, Set<String>> kept(Path objects) throws IOException {
            Map<String, Set<String>> kept = new TreeMap<>();
            Path file = objects.resolve(KEPT);
            if (Files.exists(file)) {
                String[] parts = Files.readString(file).split("\0", -1);
                for (int i = 0; i + 1 < parts.length; i += 2) {
                    kept.computeIfAbsent(parts[i], path -> new HashSet<>()).add(parts[i + 1]);
                }
            }
            return kept;
        }

        /** The raw lines of a file, without their ends; none of what is no file. */
        static List<String> lines(ObjectReader reader, @Nullable TreeEntry file) throws IOException {
            return file == null || !file.isFile()
                    ? List.of()
                    : RawName.of(reader.open(file.id(), Constants.OBJ_BLOB).getBytes(Integer.MAX_VALUE))
                            .lines()
                            .toList();
        }
    }

    /** Replaces one tree by another. */
    static MergedTree replace(ObjectReader reader, AnyObjectId ours, AnyObjectId theirs) throws IOException {
        return result(reader, ours, theirs.copy(), List.of(), List.of());
    }

    private static MergedTree result(
            ObjectReader reader, AnyObjectId before, ObjectId tree, List<Conflict> conflicts, List<String> said)
            throws IOException {
        Map<String, TreeEntry> writes = new TreeMap<>();
        List<String> deletes = new ArrayList<>();
        try (TreeWalk walk = new TreeWalk(reader)) {
            walk.addTree(before);
            walk.addTree(tree);
            walk.setFilter(TreeFilter.ANY_DIFF);
            walk.setRecursive(true);
            while (walk.next()) {
                String path = RawName.of(walk.getRawPath());
                if (walk.getRawMode(1) == 0) {
                    deletes.add(path);
                } else {
                    writes.put(path, new TreeEntry(walk.getFileMode(1), walk.getObjectId(1)));
                }
            }
        }
        return new MergedTree(tree, writes, deletes, conflicts, said);
    }

    /**
     * Merges.
     *
     * @param objects the directory with the objects of {@code repository}, besides those of the mirror
     * @param repository has all that the trees need
     * @param inserter is given what the merge has made
     */
    static MergedTree merge(
            Mirror mirror,
            Path objects,
            Repository repository,
            ObjectInserter inserter,
            AnyObjectId base,
            Side ours,
            Side theirs)
            throws IOException {
        Path directory = GitProcess.temporary(mirror.parent());
        try (ObjectReader reader = repository.newObjectReader()) {
            TreeMerge merge = new TreeMerge(ours, theirs);
            Path tree = Files.createDirectory(directory.resolve("tree"));
            merge.writeAttributes(reader, tree);
            Path git = Files.createDirectory(directory.resolve("git"));
            makeRepository(git, List.of(mirror.objects(), objects));
            try (Repository made = mirror.open(git.resolve(Constants.OBJECTS), objects)) {
                merge.makeBranches(git, made, base);
                GitCli.GitResult merged = mirror.git()
                        .bytes(
                                tree,
                                "--git-dir=" + git,
                                "--work-tree=" + tree,
                                "merge-tree",
                                "--write-tree",
                                "-z",
                                revision(ours.name()),
                                revision(theirs.name()));
                if (merged.exitCode() > 1 || merged.out().isEmpty()) {
                    throw merged.failure("the target branch cannot be merged");
                }
                return merge.result(merged, made, repository, inserter);
            }
        } finally {
            SafeDirectory.deleteTree(directory);
        }
    }

    /** Git reads the attributes of a checkout from its files; those of a tree only from version 2.43 on. */
    private void writeAttributes(ObjectReader reader, Path tree) throws IOException {
        try (TreeWalk walk = new TreeWalk(reader)) {
            walk.addTree(ours.tree());
            walk.setFilter(PathSuffixFilter.create(Constants.DOT_GIT_ATTRIBUTES));
            walk.setRecursive(true);
            while (walk.next()) {
                String path = RawName.of(walk.getRawPath());
                if (!("/" + path).endsWith("/" + Constants.DOT_GIT_ATTRIBUTES)
                        || !new TreeEntry(walk.getFileMode(0), walk.getObjectId(0)).isFile()
                        || UNSAFE.matcher(path).matches()) {
                    continue;
                }
                ObjectLoader blob = reader.open(walk.getObjectId(0), Constants.OBJ_BLOB);
                if (blob.getSize() <= MOST_ATTRIBUTES) {
                    Path file = tree.resolve(RawName.path(path));
                    Files.createDirectories(ParentDirectory.of(file));
                    Files.write(file, blob.getBytes(MOST_ATTRIBUTES));
                }
            }
        }
    }

    private static void makeRepository(Path git, List<Path> objects) throws IOException {
        Files.createDirectories(git.resolve("refs"));
        Files.writeString(git.resolve(Constants.HEAD), "ref: refs/heads/none\n");
        Files.writeString(git.resolve("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
        Path info = Files.createDirectories(git.resolve(Constants.OBJECTS).resolve("info"));
        Files.write(
                info.resolve("alternates"),
                RawName.bytes(objects.stream()
                        .map(path -> RawName.of(path.toAbsolutePath()) + "\n")
                        .collect(Collectors.joining())));
    }

    /** Commits the two sides on the base, since git before 2.40 cannot be told a base in another way. */
    private void makeBranches(Path git, Repository made, AnyObjectId base) throws IOException {
        ObjectId common = StoryCommits.create(made, base.copy(), List.of(), NOBODY, "");
        StringBuilder refs = new StringBuilder();
        for (Side side : List.of(ours, theirs)) {
            ObjectId commit = StoryCommits.create(made, side.tree(), List.of(common), NOBODY, "");
            refs.append(commit.name() + " " + Constants.R_HEADS + side.name() + "\n");
        }
        // In one file, where "a" and "a/b" may both be branches.
        Files.writeString(git.resolve(Constants.PACKED_REFS), refs);
    }

    /** What git is told a branch by, and writes into conflict markers. */
    private static String revision(String branch) {
        return NO_SHORT_NAME.matcher(branch).matches() ? Constants.R_HEADS + branch : branch;
    }

    /**
     * Reads what {@code git merge-tree -z} has printed: the tree; for each side of a conflict mode, id, stage and path; nothing; then for
     * each message the number of its paths, these, its kind and its text.
     */
    private MergedTree result(GitCli.GitResult merged, Repository made, Repository repository, ObjectInserter inserter)
            throws IOException {
        String[] parts = merged.out().split("\0", -1);
        Map<String, List<TreeEntry>> versions = new TreeMap<>();
        List<String> said = new ArrayList<>();
        int next = 1;
        for (; next < parts.length && !parts[next].isEmpty(); next++) {
            String[] version = parts[next].split("[ \t]", 4);
            versions.computeIfAbsent(version[3], path -> new ArrayList<>())
                    .add(new TreeEntry(
                            FileMode.fromBits(Integer.parseInt(version[0], 8)), ObjectId.fromString(version[1])));
        }
        next++;
        while (merged.exitCode() == 1 && next < parts.length && !parts[next].isEmpty()) {
            int count = Integer.parseInt(parts[next]);
            if (parts[next + count + 1].startsWith("CONFLICT")) {
                List.of(parts)
                        .subList(next + 1, next + count + 1)
                        .forEach(path -> versions.putIfAbsent(path, List.of()));
                said.add(RawName.shown(parts[next + count + 2].strip()));
            }
            next += count + 3;
        }
        ObjectId tree = ObjectId.fromString(parts[0]);
        try (ObjectReader reader = made.newObjectReader()) {
            List<Conflict> conflicts = new ArrayList<>();
            for (Map.Entry<String, List<TreeEntry>> path : versions.entrySet()) {
                conflicts.add(
                        conflict(reader, path.getKey(), TreeEntry.find(reader, tree, path.getKey()), path.getValue()));
            }
            SnapshotObjects.copy(reader, repository.getObjectDatabase(), inserter, tree);
            inserter.flush();
            return result(reader, ours.tree(), tree, conflicts, said);
        }
    }

    private Conflict conflict(ObjectReader reader, String path, @Nullable TreeEntry left, List<TreeEntry> versions)
            throws IOException {
        List<String> markers = List.of();
        String content;
        if (left == null || left.isTree()) {
            content = left == null ? "nothing" : "a directory";
        } else if (left.equals(TreeEntry.find(reader, ours.tree(), path))) {
            content = "the version of " + ours.name();
        } else if (left.equals(TreeEntry.find(reader, theirs.tree(), path))) {
            content = "the version of " + theirs.name();
        } else {
            markers = markers(reader, left, versions);
            content = markers.isEmpty() ? "a version without markers" : "both versions between conflict markers";
        }
        return new Conflict(path, content, markers);
    }

    /** What looks like a marker, and is a line of none of the versions: a quote in Markdown may be one of these. */
    private List<String> markers(ObjectReader reader, TreeEntry left, List<TreeEntry> versions) throws IOException {
        Pattern marker = Pattern.compile(
                "(?:<+ " + name(ours.name()) + "|>+ " + name(theirs.name()) + ")(?::.*)?", Pattern.DOTALL);
        Set<String> markers = Conflict.lines(reader, left).stream()
                .filter(line -> marker.matcher(line).matches())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        for (TreeEntry version : versions) {
            Conflict.lines(reader, version).forEach(markers::remove);
        }
        return List.copyOf(markers);
    }

    private static String name(String branch) {
        return Pattern.quote(
                new String(revision(branch).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }
}
