package io.maestro.git.internal;

import io.maestro.internal.RawName;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;

/**
 * The files of one commit, read out of the mirror by their paths: what somebody has merged, and no agent can write. A symbolic
 * link or a submodule is an entry like a file, and nothing is looked for behind it. Used by one thread, while
 * {@link GitRepository#readCommit} runs.
 */
public final class CommitTree {
    private final Repository repository;
    private final ObjectReader reader;
    private final ObjectId commit;
    private final CommitEntry root;

    private CommitTree(Repository repository, ObjectReader reader, ObjectId commit) throws IOException {
        this.repository = repository;
        this.reader = reader;
        this.commit = commit;
        this.root = new CommitEntry(
                "", EntryKind.DIRECTORY, StoryCommits.tree(repository, commit).name());
    }

    /** What an entry is. */
    public enum EntryKind {
        FILE("file"),
        LINK("symbolic link"),
        DIRECTORY("directory"),
        SUBMODULE("submodule");

        private final String shown;

        EntryKind(String shown) {
            this.shown = shown;
        }

        /** For messages. */
        public String shown() {
            return shown;
        }
    }

    /**
     * Something in a commit.
     *
     * @param path from the root on, raw
     * @param kind what it is
     * @param id the full id of its blob, tree or commit
     */
    public record CommitEntry(String path, EntryKind kind, String id) {
        /** The last part of its path, raw. */
        public String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        /** The path of the directory that it is in, with a slash at the end; empty for the root. */
        public String directory() {
            return path.substring(0, path.lastIndexOf('/') + 1);
        }
    }

    /** Reads in a commit. */
    @FunctionalInterface
    public interface CommitWork<T> {
        T on(CommitTree tree) throws IOException;
    }

    /** Reads a file. */
    @FunctionalInterface
    public interface BlobReading<T> {
        T from(InputStream in) throws IOException;
    }

    /** See {@link GitRepository#readCommit}. */
    static <T> Optional<T> read(Mirror mirror, String commit, CommitWork<T> work) throws IOException {
        try (Repository repository = mirror.open();
                ObjectReader reader = repository.newObjectReader()) {
            ObjectId known = StoryCommits.known(repository, commit);
            return known == null ? Optional.empty() : Optional.of(work.on(new CommitTree(repository, reader, known)));
        }
    }

    /**
     * What the commit has changed against its first parent, as a unified diff; no filter or driver of the repository runs.
     *
     * @param mostBytes what is longer is cut
     */
    public String diff(int mostBytes) throws IOException {
        try (ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DiffFormatter diff = new DiffFormatter(new CutStream(bytes, mostBytes));
                RevWalk walk = new RevWalk(reader)) {
            RevCommit known = walk.parseCommit(commit);
            diff.setRepository(repository);
            diff.setQuotePaths(false);
            diff.format(
                    known.getParentCount() == 0
                            ? null
                            : walk.parseCommit(known.getParent(0)).getTree(),
                    known.getTree());
            diff.flush();
            return bytes.toString(StandardCharsets.UTF_8) + (bytes.size() < mostBytes ? "" : "\n… (cut)\n");
        }
    }

    /** Takes so many bytes, and forgets the rest. */
    private static final class CutStream extends FilterOutputStream {
        private int left;

        CutStream(OutputStream out, int most) {
            super(out);
            this.left = most;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            int taken = Math.min(left, length);
            out.write(bytes, from, taken);
            left -= taken;
        }
    }

    /** The directory that all is in. */
    public CommitEntry root() {
        return root;
    }

    /**
     * Finds an entry, name by name: upper and lower case differ on every machine, and a name behind a symbolic link is not there.
     *
     * @param directory where to begin
     * @param path from there on, as somebody typed it
     * @return empty when there is none
     * @throws IllegalArgumentException when the path is absolute or has a {@code ..} in it
     */
    public Optional<CommitEntry> find(CommitEntry directory, String path) throws IOException {
        CommitEntry found = directory;
        for (String name : normalize(path).split("/", -1)) {
            if (found.kind() != EntryKind.DIRECTORY) {
                return Optional.empty();
            }
            TreeEntry child = name.isEmpty()
                    ? null
                    : TreeEntry.children(reader, ObjectId.fromString(found.id()))
                            .get(RawName.ofText(name));
            if (child == null) {
                return name.isEmpty() ? Optional.of(found) : Optional.empty();
            }
            found = entry(found, RawName.ofText(name), child);
        }
        return Optional.of(found);
    }

    /** What is in a directory, by name. */
    public List<CommitEntry> list(CommitEntry directory) throws IOException {
        List<CommitEntry> entries = new ArrayList<>();
        for (Map.Entry<String, TreeEntry> child :
                new TreeMap<>(TreeEntry.children(reader, ObjectId.fromString(directory.id()))).entrySet()) {
            entries.add(entry(directory, child.getKey(), child.getValue()));
        }
        return entries;
    }

    /**
     * Looks at all that is below a directory, directory by directory, the upper ones first.
     *
     * @param most how many entries are looked at
     * @param each is given each entry
     * @return false when there are more
     */
    public boolean walk(CommitEntry directory, int most, Consumer<CommitEntry> each) throws IOException {
        Deque<CommitEntry> directories = new ArrayDeque<>(List.of(directory));
        int left = most;
        while (!directories.isEmpty()) {
            for (CommitEntry entry : list(directories.remove())) {
                if (left-- == 0) {
                    return false;
                }
                each.accept(entry);
                if (entry.kind() == EntryKind.DIRECTORY) {
                    directories.add(entry);
                }
            }
        }
        return true;
    }

    /** The length of a file in bytes. */
    public long size(CommitEntry file) throws IOException {
        return reader.getObjectSize(ObjectId.fromString(file.id()), Constants.OBJ_BLOB);
    }

    /** Reads a file of any length. */
    public <T> T open(CommitEntry file, BlobReading<T> reading) throws IOException {
        try (InputStream in =
                reader.open(ObjectId.fromString(file.id()), Constants.OBJ_BLOB).openStream()) {
            return reading.from(in);
        }
    }

    private static CommitEntry entry(CommitEntry directory, String name, TreeEntry child) {
        String path = directory.path().isEmpty() ? name : directory.path() + "/" + name;
        EntryKind kind = child.isTree()
                ? EntryKind.DIRECTORY
                : child.isFile() ? EntryKind.FILE : child.isSubmodule() ? EntryKind.SUBMODULE : EntryKind.LINK;
        return new CommitEntry(path, kind, child.id().name());
    }

    /** A path inside a repository as somebody typed it, without {@code ./}, doubled slashes and a slash at the end; empty for the root. */
    static String normalize(String path) {
        if (path.startsWith("/") || path.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("not a path inside the repository: '"
                    + RawName.shown(RawName.ofText(path)) + "'; give it relative to the repository's root");
        }
        List<String> parts = new ArrayList<>();
        for (String part : path.split("/", -1)) {
            if (part.equals("..")) {
                throw new IllegalArgumentException("the path '" + path + "' must not contain '..'");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }
}
