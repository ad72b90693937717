package io.maestro.prompt.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of a workspace, for a prompt: enough to know where to look, bounded so that a big project does not fill it. A
 * directory is shown by its files and directories where these fit, the upper ones before those below, and else by how many files
 * it has.
 */
public final class FileTree {
    private static final int MOST_LINES = 200;
    private static final int MOST_LOOKED_AT = 30_000;

    /** With the files' names in place of {@code null}. */
    private final TreeMap<String, @Nullable FileTree> children = new TreeMap<>();

    private int files;

    /** How many children are shown; none where only their number is. */
    private int shown;

    private FileTree() {}

    public static String describe(Path root) {
        FileTree tree = new FileTree();
        boolean all;
        try {
            all = FileWalk.walk(root, MOST_LOOKED_AT, (name, attributes) -> tree.add(RawName.shown(name)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + root, e);
        }
        if (tree.files == 0) {
            return "(no files)";
        }
        tree.expand();
        List<String> lines = new ArrayList<>();
        tree.print("", lines);
        if (!all) {
            lines.add("(there are more: only " + count(MOST_LOOKED_AT) + " files and directories were counted)");
        }
        return String.join("\n", lines);
    }

    private void add(String file) {
        FileTree directory = this;
        int from = 0;
        for (int slash = file.indexOf('/'); slash >= 0; slash = file.indexOf('/', from)) {
            directory.files++;
            FileTree next = directory.children.computeIfAbsent(file.substring(from, slash), name -> new FileTree());
            directory = next == null ? directory : next;
            from = slash + 1;
        }
        directory.files++;
        directory.children.put(file.substring(from), null);
    }

    /** Level by level, those with few children first: they say the most for a line. */
    private void expand() {
        int left = MOST_LINES + 1;
        List<FileTree> tooLarge = new ArrayList<>();
        List<FileTree> level = List.of(this);
        while (!level.isEmpty()) {
            List<FileTree> next = new ArrayList<>();
            for (FileTree directory : level) {
                if (directory.children.size() - 1 <= left) {
                    directory.shown = directory.children.size();
                    left -= directory.shown - 1;
                    directory.directories().forEach(next::add);
                } else {
                    tooLarge.add(directory);
                }
            }
            next.sort(Comparator.comparingInt(one -> one.children.size()));
            level = next;
        }
        for (FileTree directory : tooLarge) {
            directory.shown = Math.max(0, Math.min(left - 1, directory.children.size()));
            left -= directory.shown;
        }
    }

    private Collection<FileTree> directories() {
        List<FileTree> found = new ArrayList<>();
        for (FileTree child : children.values()) {
            if (child != null) {
                found.add(child);
            }
        }
        return found;
    }

    private void print(String path, List<String> lines) {
        if (shown == 0) {
            lines.add(path + " (" + count(files) + (files == 1 ? " file)" : " files)"));
            return;
        }
        int printed = 0;
        int rest = 0;
        for (var child : children.entrySet()) {
            FileTree below = child.getValue();
            if (printed++ >= shown) {
                rest += below == null ? 1 : below.files;
            } else if (below == null) {
                lines.add(path + child.getKey());
            } else {
                below.print(path + child.getKey() + "/", lines);
            }
        }
        if (rest > 0) {
            lines.add((path + " (and " + count(rest) + (rest == 1 ? " other file)" : " other files)")).strip());
        }
    }

    private static String count(int number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
