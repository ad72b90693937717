package io.maestro.files.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Looks at all files of a workspace, in the order of their names. Links and other special files are among them, but none
 * is followed. What git keeps in {@code .git} is left out, and so is what cannot be read.
 */
public final class FileWalk {
    /** Each level holds a directory open. */
    private static final int MAX_DEPTH = 200;

    private final Visitor visitor;
    private final Effort effort = new Effort("looking through files", Long.MAX_VALUE);
    private int left;

    private FileWalk(int most, Visitor visitor) {
        this.left = most;
        this.visitor = visitor;
    }

    /** Is told of each file. */
    @FunctionalInterface
    public interface Visitor {
        /** A file: its raw path relative to the workspace, with slashes, and its own attributes. */
        void file(String path, BasicFileAttributes attributes);
    }

    /**
     * Walks through a directory whose parent no agent can write.
     *
     * @param most how many files and directories are looked at
     * @return false when there are more
     * @throws InterruptedIOException when the thread is interrupted; its status stays
     */
    public static boolean walk(Path directory, int most, Visitor visitor) throws IOException {
        FileWalk walk = new FileWalk(most, visitor);
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            walk.walk(root, "", 0);
        } catch (CancellationException e) {
            throw new InterruptedIOException(e.getMessage());
        }
        return walk.left >= 0;
    }

    private void walk(SafeDirectory directory, String prefix, int depth) throws IOException {
        effort.requireGoingOn();
        List<SafeDirectory.Entry> entries = directory.list(effort, Math.max(0, left));
        entries.sort(Comparator.comparing(SafeDirectory.Entry::name));
        for (SafeDirectory.Entry entry : entries) {
            if (--left < 0) {
                return;
            }
            String path = prefix + entry.name();
            if (!entry.attributes().isDirectory()) {
                visitor.file(path, entry.attributes());
            } else if (!entry.name().equals(".git") && depth < MAX_DEPTH) {
                try (SafeDirectory child = directory.directory(entry.name())) {
                    walk(child, path + "/", depth + 1);
                } catch (FileSystemException e) {
                    // It cannot be read, or is gone.
                }
            }
        }
    }
}
