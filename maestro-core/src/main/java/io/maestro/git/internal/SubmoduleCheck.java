package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.rules.PathRules;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jspecify.annotations.Nullable;

/**
 * Finds what an agent has changed in a submodule, of which nothing can be committed: its commit, its files, new files that it does not
 * ignore. Its HEAD and its index are read as plain files inside the workspace, along no link; git is not run, for it would run in there.
 * For one use.
 */
final class SubmoduleCheck {
    private static final int MOST_INDEX = 64 << 20;
    private static final int MOST_RULES = 1 << 20;
    private static final int MOST_ENTRIES = 1_000_000;
    private static final int MOST_NAMED = 5;
    private static final int IN_MEMORY = 8 << 20;
    private static final String GIT = Constants.DOT_GIT;

    private final SafeDirectory root;
    private final String path;
    private final ObjectInserter ids;
    private final Effort effort;
    private final TreeMap<String, Indexed> index = new TreeMap<>();
    private final List<String> changed = new ArrayList<>();

    /** What the submodule's index says of a file. */
    private record Indexed(FileMode mode, ObjectId id, long size, Instant modified, boolean absent) {}

    private SubmoduleCheck(SafeDirectory root, String path, ObjectInserter ids, Effort effort) {
        this.root = root;
        this.path = path;
        this.ids = ids;
        this.effort = effort;
    }

    /**
     * Looks into a submodule that is checked out.
     *
     * @param root the workspace
     * @param directory the submodule's
     * @param entries what is in it, a {@code .git} among them
     * @param path its raw path
     * @param commit what the repository has of it
     * @return what an agent has to be told; null when nothing is changed
     */
    static @Nullable String problem(
            SafeDirectory root,
            SafeDirectory directory,
            List<SafeDirectory.DirectoryEntry> entries,
            String path,
            ObjectId commit,
            ObjectInserter ids,
            Effort effort)
            throws IOException {
        SubmoduleCheck check = new SubmoduleCheck(root, path, ids, effort);
        String what = check.changes(directory, entries, commit);
        return what == null
                ? null
                : RawName.shown(path) + " is a submodule, and what is changed in it cannot be committed here: " + what
                        + ". Undo that (git -C <submodule> clean -fd; git submodule update --force <submodule>), and say in"
                        + " the summary what has to be changed in the submodule's own repository";
    }

    private @Nullable String changes(
            SafeDirectory directory, List<SafeDirectory.DirectoryEntry> entries, ObjectId commit) throws IOException {
        List<String> git = gitDirectory(directory);
        ObjectId head = git == null ? null : head(git);
        byte[] all = git == null ? null : read(git, "index", MOST_INDEX);
        if (head == null || all == null) {
            return "its .git cannot be read";
        }
        if (!head.equals(commit)) {
            return "it is at " + head.name() + ", the repository has " + commit.name();
        }
        try {
            if (!parse(all)) {
                return "its index cannot be read";
            }
        } catch (EOFException e) {
            return "its index is cut off";
        }
        walk(directory, entries, "", PathRules.none(effort));
        index.forEach((name, file) -> {
            if (!file.absent() && !FileMode.GITLINK.equals(file.mode())) {
                changed.add(name);
            }
        });
        if (changed.isEmpty()) {
            return null;
        }
        int more = changed.size() - MOST_NAMED;
        return String.join(
                        ", ",
                        changed.stream().limit(MOST_NAMED).map(RawName::shown).toList())
                + (more > 0 ? " and " + more + " more" : "");
    }

    /** The names from the workspace on; null when it lies elsewhere. */
    private @Nullable List<String> gitDirectory(SafeDirectory directory) throws IOException {
        Deque<String> names = new ArrayDeque<>(List.of((path + "/" + GIT).split("/", -1)));
        BasicFileAttributes attributes = directory.attributes(GIT);
        if (attributes == null || attributes.isDirectory()) {
            return List.copyOf(names);
        }
        names.removeLast();
        String text;
        try (InputStream in = directory.read(GIT)) {
            text = RawName.of(in.readNBytes(IN_MEMORY)).strip();
        }
        if (!text.startsWith("gitdir: ") || text.startsWith("gitdir: /")) {
            return null;
        }
        for (String name : text.substring("gitdir: ".length()).split("/", -1)) {
            if (name.equals("..")) {
                if (names.pollLast() == null) {
                    return null;
                }
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        return GIT.equals(names.peekFirst()) ? List.copyOf(names) : null;
    }

    private @Nullable ObjectId head(List<String> git) throws IOException {
        String head = text(git, "HEAD");
        if (!head.startsWith("ref: ")) {
            return id(head);
        }
        String ref = head.substring("ref: ".length());
        ObjectId loose = id(text(git, ref));
        return loose != null
                ? loose
                : text(git, Constants.PACKED_REFS)
                        .lines()
                        .filter(line -> line.endsWith(" " + ref))
                        .findFirst()
                        .map(line -> id(line.substring(0, line.length() - ref.length() - 1)))
                        .orElse(null);
    }

    private static @Nullable ObjectId id(String text) {
        return ObjectId.isId(text) ? ObjectId.fromString(text) : null;
    }

    private String text(List<String> git, String file) throws IOException {
        byte[] bytes = read(git, file, IN_MEMORY);
        return bytes == null ? "" : RawName.of(bytes).strip();
    }

    /** A file below a directory of the workspace; null when it is not there, no file, or longer. */
    private byte @Nullable [] read(List<String> directory, String file, int most) throws IOException {
        List<String> names = new ArrayList<>(directory);
        names.addAll(List.of(file.split("/", -1)));
        return read(root, names, most);
    }

    private static byte @Nullable [] read(SafeDirectory directory, List<String> names, int most) throws IOException {
        String name = names.get(0);
        BasicFileAttributes attributes = name.isEmpty() || name.equals("..") ? null : directory.attributes(name);
        if (attributes == null) {
            return null;
        }
        if (names.size() > 1) {
            if (!attributes.isDirectory()) {
                return null;
            }
            try (SafeDirectory child = directory.directory(name)) {
                return read(child, names.subList(1, names.size()), most);
            }
        }
        if (!attributes.isRegularFile()) {
            return null;
        }
        try (InputStream in = directory.read(name)) {
            byte[] bytes = in.readNBytes(most + 1);
            return bytes.length > most ? null : bytes;
        }
    }

    /** Reads the entries of an index of version 2, 3 or 4; false when it is none. */
    private boolean parse(byte[] all) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(all));
        if (all.length < 12 || in.readInt() != 0x44495243) {
            return false;
        }
        int version = in.readInt();
        int count = in.readInt();
        String name = "";
        for (int i = 0; i < count; i++) {
            // The shortest entry has 62 bytes.
            if (in.available() < 62) {
                return false;
            }
            in.skipNBytes(8);
            Instant modified = Instant.ofEpochSecond(in.readInt() & 0xffffffffL, in.readInt());
            in.skipNBytes(8);
            FileMode mode = FileMode.fromBits(in.readInt());
            in.skipNBytes(8);
            long size = in.readInt() & 0xffffffffL;
            ObjectId id = ObjectId.fromRaw(in.readNBytes(Constants.OBJECT_ID_LENGTH));
            int flags = in.readUnsignedShort();
            boolean extended = (flags & 0x4000) != 0;
            boolean absent = extended && (in.readUnsignedShort() & 0x4000) != 0;
            int kept = version < 4 ? 0 : name.length() - number(in);
            if (kept < 0 || kept > name.length()) {
                return false;
            }
            StringBuilder rest = new StringBuilder(name.substring(0, kept));
            for (int next = in.read(); next > 0; next = in.read()) {
                rest.append((char) next);
            }
            name = rest.toString();
            if (version < 4) {
                int length = 62 + (extended ? 2 : 0) + name.length() + 1;
                in.skipNBytes((8 - length % 8) % 8);
            }
            index.put(name, new Indexed(mode, id, size, modified, absent));
        }
        // Of the extensions, one knows the index's tree while nothing is staged: a checkout writes it, "git add" makes
        // it -1.
        while (in.available() > Constants.OBJECT_ID_LENGTH) {
            int extension = in.readInt();
            byte[] content = in.readNBytes(in.readInt() & Integer.MAX_VALUE);
            if (extension == 0x54524545 && content.length > 1 && content[1] == '-') {
                changed.add("staged changes");
            }
        }
        return true;
    }

    /** As git writes offsets: seven bits a byte, each of more than one byte stands for one more. */
    private static int number(DataInputStream in) throws IOException {
        int next = in.readUnsignedByte();
        int number = next & 0x7f;
        while ((next & 0x80) != 0) {
            next = in.readUnsignedByte();
            number = (number + 1 << 7) + (next & 0x7f);
        }
        return number;
    }

    private void walk(
            SafeDirectory directory, List<SafeDirectory.DirectoryEntry> entries, String prefix, PathRules above)
            throws IOException {
        effort.requireGoingOn();
        PathRules rules = above.below(
                prefix,
                read(directory, List.of(Constants.DOT_GIT_IGNORE), MOST_RULES),
                read(directory, List.of(Constants.DOT_GIT_ATTRIBUTES), MOST_RULES));
        for (SafeDirectory.DirectoryEntry entry : entries) {
            String name = prefix + entry.name();
            boolean isDirectory = entry.attributes().isDirectory();
            Indexed indexed = index.get(name);
            if (entry.name().equals(GIT) || isDirectory && indexed != null) {
                // Git's own, or a submodule of the submodule.
                continue;
            }
            if (isDirectory) {
                boolean tracked = String.valueOf(index.ceilingKey(name + "/")).startsWith(name + "/");
                if (tracked || !rules.ignored(name, true)) {
                    try (SafeDirectory child = directory.directory(entry.name())) {
                        walk(child, child.list(effort, MOST_ENTRIES), name + "/", rules);
                    }
                }
            } else if (indexed == null) {
                if (!rules.ignored(name, false)) {
                    changed.add(name);
                }
            } else {
                index.remove(name);
                if (!isUnchanged(directory, entry, indexed)) {
                    changed.add(name);
                }
            }
        }
    }

    private boolean isUnchanged(SafeDirectory directory, SafeDirectory.DirectoryEntry entry, Indexed indexed)
            throws IOException {
        BasicFileAttributes attributes = entry.attributes();
        if (attributes.isSymbolicLink()) {
            byte[] target = RawName.bytes(directory.link(entry.name()));
            return FileMode.SYMLINK.equals(indexed.mode())
                    && ids.idFor(Constants.OBJ_BLOB, target).equals(indexed.id());
        }
        if (!attributes.isRegularFile() || FileMode.SYMLINK.equals(indexed.mode())) {
            return false;
        }
        if (attributes.size() == indexed.size()
                && attributes.lastModifiedTime().toInstant().equals(indexed.modified())) {
            return true;
        }
        try (InputStream in = directory.read(entry.name())) {
            if (attributes.size() > IN_MEMORY) {
                return ids.idFor(Constants.OBJ_BLOB, attributes.size(), in).equals(indexed.id());
            }
            byte[] content = in.readNBytes(IN_MEMORY);
            byte[] unix = RawName.bytes(RawName.of(content).replace("\r\n", "\n"));
            return ids.idFor(Constants.OBJ_BLOB, content).equals(indexed.id())
                    || ids.idFor(Constants.OBJ_BLOB, unix).equals(indexed.id());
        }
    }
}
