package io.maestro.git.internal;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.dircache.DirCache;
import org.eclipse.jgit.dircache.DirCacheBuilder;
import org.eclipse.jgit.dircache.DirCacheEntry;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a git tree.
 *
 * @param mode what it is
 * @param id of the blob or tree, or a submodule's commit
 */
public record TreeEntry(FileMode mode, ObjectId id) {
    boolean isTree() {
        return FileMode.TREE.equals(mode);
    }

    /** Whether it is a commit of another repository. */
    public boolean isSubmodule() {
        return FileMode.GITLINK.equals(mode);
    }

    boolean isFile() {
        return (mode.getBits() & FileMode.TYPE_MASK) == FileMode.TYPE_FILE;
    }

    boolean isLink() {
        return FileMode.SYMLINK.equals(mode);
    }

    /** The entries of one tree by their raw names. */
    static Map<String, TreeEntry> children(ObjectReader reader, AnyObjectId tree) throws IOException {
        Map<String, TreeEntry> entries = new HashMap<>();
        CanonicalTreeParser parser = new CanonicalTreeParser(null, reader, tree);
        for (; !parser.eof(); parser.next()) {
            byte[] name = new byte[parser.getNameLength()];
            parser.getName(name, 0);
            entries.put(RawName.of(name), new TreeEntry(parser.getEntryFileMode(), parser.getEntryObjectId()));
        }
        return entries;
    }

    /** The entry at a raw path; null when there is none. */
    static @Nullable TreeEntry find(ObjectReader reader, ObjectId tree, String path) throws IOException {
        TreeEntry at = new TreeEntry(FileMode.TREE, tree);
        for (String name : path.split("/", -1)) {
            at = at != null && at.isTree() ? children(reader, at.id()).get(name) : null;
        }
        return at;
    }

    /** Where an entry stands in a tree: git sorts a directory as if its name had a slash at the end. */
    static String sortedName(String name, TreeEntry entry) {
        return entry.isTree() ? name + "/" : name;
    }

    /** Makes a tree, without those below it, of entries by their {@linkplain #sortedName sorted names}. */
    static ObjectId insertOne(ObjectInserter inserter, SortedMap<String, TreeEntry> entries) throws IOException {
        TreeFormatter formatter = new TreeFormatter();
        for (Map.Entry<String, TreeEntry> entry : entries.entrySet()) {
            TreeEntry value = entry.getValue();
            String name = entry.getKey();
            formatter.append(
                    RawName.bytes(value.isTree() ? name.substring(0, name.length() - 1) : name),
                    value.mode(),
                    value.id());
        }
        return inserter.insert(formatter);
    }

    /** All files, links and submodules of a tree by their raw paths, in git's order. */
    public static TreeMap<String, TreeEntry> flatten(ObjectReader reader, AnyObjectId tree) throws IOException {
        TreeMap<String, TreeEntry> entries = new TreeMap<>();
        try (TreeWalk walk = new TreeWalk(reader)) {
            walk.addTree(tree);
            walk.setRecursive(true);
            while (walk.next()) {
                entries.put(RawName.of(walk.getRawPath()), new TreeEntry(walk.getFileMode(0), walk.getObjectId(0)));
            }
        }
        return entries;
    }

    /** Makes a tree of files, links and submodules by their raw paths. */
    public static ObjectId insert(ObjectInserter inserter, Map<String, TreeEntry> entries) throws IOException {
        DirCache index = DirCache.newInCore();
        DirCacheBuilder builder = index.builder();
        for (Map.Entry<String, TreeEntry> entry : entries.entrySet()) {
            DirCacheEntry added = new DirCacheEntry(RawName.bytes(entry.getKey()));
            added.setFileMode(entry.getValue().mode());
            added.setObjectId(entry.getValue().id());
            builder.add(added);
        }
        builder.finish();
        return index.writeTree(inserter);
    }
}
