package io.maestro.files.internal;

import io.maestro.internal.Effort;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all files of a workspace, in the order of their names, on a thread of its own. Links and other special files are among
 * them, but none is followed. What git keeps in {@code .git} is left out, and so is what cannot be read.
 */
public final class FileWalk {
    /** Each level holds a directory open. */
    private static final int MAX_DEPTH = 200;

    private static final String WHAT = "looking through files";

    private final WalkReader reader;
    private final boolean ignoring;
    private final Effort effort = new Effort(WHAT, Long.MAX_VALUE);
    private int left;

    private FileWalk(int most, boolean ignoring, WalkReader reader) {
        this.left = most;
        this.ignoring = ignoring;
        this.reader = reader;
    }

    /** Is told of each file. */
    @FunctionalInterface
    public interface Visitor {
        /** A file: its raw path relative to the workspace, with slashes, and its own attributes. */
        void file(String path, BasicFileAttributes attributes);
    }

    /** Reads files. */
    public interface WalkReader {
        /** Whether the files in a directory are wanted; its raw path has a slash at its end. */
        boolean enters(String directory);

        /**
         * A file.
         *
         * @param path raw, relative to the workspace, with slashes
         * @param attributes its own
         * @param directory where it is, to open it
         * @param name by which it is opened
         */
        void file(String path, BasicFileAttributes attributes, SafeDirectory directory, String name) throws IOException;
    }

    /**
     * Walks through a directory whose parent no agent can write.
     *
     * @param most how many files and directories are looked at
     * @return false when there are more
     * @throws InterruptedIOException when the thread is interrupted; its status stays
     */
    public static boolean walk(Path directory, int most, Visitor visitor) throws IOException {
        return walk(directory, most, false, new WalkReader() {
            @Override
            public boolean enters(String path) {
                return true;
            }

            @Override
            public void file(String path, BasicFileAttributes attributes, SafeDirectory in, String name) {
                visitor.file(path, attributes);
            }
        });
    }

    /**
     * Walks through a directory whose parent no agent can write, and reads.
     *
     * @param most how many files and directories are looked at
     * @param ignoring whether what a {@code .gitignore} in it names is left out
     * @return false when there are more
     * @throws InterruptedIOException when the thread is interrupted; its status stays
     */
    public static boolean walk(Path directory, int most, boolean ignoring, WalkReader reader) throws IOException {
        try {
            // A short walk may be over before its thread hears of an interrupt.
            Effort.requireGoingOn(WHAT);
            return WatchedOpener.run(opener -> {
                FileWalk walk = new FileWalk(most, ignoring, reader);
                try (SafeDirectory root = SafeDirectory.open(directory, opener)) {
                    walk.walk(root, "", IgnoreRules.none(walk.effort), 0);
                }
                return walk.left >= 0;
            });
        } catch (CancellationException e) {
            throw new InterruptedIOException(e.getMessage());
        }
    }

    private void walk(SafeDirectory directory, String prefix, IgnoreRules above, int depth) throws IOException {
        effort.requireGoingOn();
        List<SafeDirectory.DirectoryEntry> entries = directory.list(effort, Math.max(0, left));
        entries.sort(Comparator.comparing(SafeDirectory.DirectoryEntry::name));
        IgnoreRules rules = ignoring ? above.below(prefix, rules(directory, entries)) : above;
        for (SafeDirectory.DirectoryEntry entry : entries) {
            if (--left < 0) {
                return;
            }
            String path = prefix + entry.name();
            boolean isDirectory = entry.attributes().isDirectory();
            if (rules.ignored(path, isDirectory) || WholeFile.isUnfinished(entry.name())) {
                continue;
            }
            try {
                if (!isDirectory) {
                    reader.file(path, entry.attributes(), directory, entry.name());
                } else if (!entry.name().equals(".git") && depth < MAX_DEPTH && reader.enters(path + "/")) {
                    try (SafeDirectory child = directory.directory(entry.name())) {
                        walk(child, path + "/", rules, depth + 1);
                    }
                }
            } catch (FileSystemException e) {
                // It cannot be read, or is gone.
            }
        }
    }

    private static byte @Nullable [] rules(SafeDirectory directory, List<SafeDirectory.DirectoryEntry> entries)
            throws IOException {
        for (SafeDirectory.DirectoryEntry entry : entries) {
            if (entry.name().equals(IgnoreRules.FILE)) {
                return IgnoreRules.read(directory, entry.attributes());
            }
        }
        return null;
    }
}
