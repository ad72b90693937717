package io.maestro.git.internal.sync;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.internal.RawName;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jspecify.annotations.Nullable;

/**
 * Looks through a workspace for what was changed since its files were last in a {@linkplain FileState known state}, mostly
 * without reading them. The repository of the workspace, {@code .git}, is the agent's and is sent the first time only. For one
 * use.
 */
final class LocalScan {
    private static final int MAX_DEPTH = 1000;

    private final Map<String, FileState> before;
    private final boolean first;
    private final Map<String, FileState> now = new HashMap<>();
    private final List<LocalChanges.LocalChange> written = new ArrayList<>();
    private final long time = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());

    LocalScan(Map<String, FileState> before, boolean first) {
        this.before = before;
        this.first = first;
    }

    LocalChanges scan(Path directory) throws IOException {
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            scan(root, "", true, false, 0);
        }
        List<String> deleted = new ArrayList<>();
        before.forEach((path, state) -> {
            if (!now.containsKey(path)) {
                deleted.add(path);
            }
        });
        return new LocalChanges(written, deleted, now);
    }

    /** Returns whether something in it has to be sent. */
    private boolean scan(SafeDirectory directory, String prefix, boolean tracked, boolean git, int depth)
            throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new GitException("cancelled while looking for changes in the workspace", null);
        }
        List<SafeDirectory.DirectoryEntry> entries = directory.list();
        // A repository of its own is nothing that git could have in a tree.
        boolean below = tracked
                && (depth == 0 || entries.stream().noneMatch(e -> e.name().equals(".git")));
        entries.sort(Comparator.comparing(SafeDirectory.DirectoryEntry::name));
        boolean found = false;
        for (SafeDirectory.DirectoryEntry entry : entries) {
            String path = prefix + entry.name();
            BasicFileAttributes attributes = entry.attributes();
            boolean isGit = git || entry.name().equals(".git");
            if (isGit && !first) {
                continue;
            }
            if (attributes.isDirectory()) {
                found |= directory(directory, entry, path, below && !isGit, isGit, depth);
            } else if (attributes.isRegularFile() || attributes.isSymbolicLink()) {
                found |= file(directory, entry, path, below && !isGit, isGit);
            }
        }
        return found;
    }

    private boolean directory(
            SafeDirectory parent,
            SafeDirectory.DirectoryEntry entry,
            String path,
            boolean tracked,
            boolean git,
            int depth)
            throws IOException {
        if (depth >= MAX_DEPTH) {
            throw new WorkspaceProblem("the workspace is nested deeper than " + MAX_DEPTH + " levels: delete "
                    + path.substring(0, path.indexOf('/')));
        }
        // Above what is in it; taken away again when there is nothing.
        int at = written.size();
        written.add(new LocalChanges.LocalChange(path, entry.attributes(), false));
        boolean found;
        try (SafeDirectory child = parent.directory(entry.name())) {
            found = scan(child, path + "/", tracked, git, depth + 1);
        } catch (FileSystemException e) {
            if (first) {
                throw e;
            }
            // It went away, or nobody may look at it: what was in it counts as gone, or is as it was.
            found = written.size() > at + 1;
            if (parent.attributes(entry.name()) != null) {
                before.forEach((known, state) -> {
                    if (known.startsWith(path + "/")) {
                        now.putIfAbsent(known, state);
                    }
                });
            }
        }
        if (!found && !first) {
            written.remove(at);
        }
        return found;
    }

    private boolean file(
            SafeDirectory directory, SafeDirectory.DirectoryEntry entry, String path, boolean tracked, boolean git)
            throws IOException {
        if (git) {
            written.add(new LocalChanges.LocalChange(path, entry.attributes(), false));
            return true;
        }
        FileState old = before.get(path);
        FileState state = FileState.of(entry.attributes(), time, old == null ? null : old.content());
        now.put(path, state);
        if (old != null && old.looksLike(state)) {
            ObjectId content = old.content();
            if (content != null && (!old.recent() || content.equals(hash(directory, entry)))) {
                return false;
            }
        }
        written.add(new LocalChanges.LocalChange(path, entry.attributes(), tracked));
        return true;
    }

    private static @Nullable ObjectId hash(SafeDirectory directory, SafeDirectory.DirectoryEntry entry)
            throws IOException {
        try (ObjectInserter.Formatter formatter = new ObjectInserter.Formatter()) {
            if (entry.attributes().isSymbolicLink()) {
                return formatter.idFor(Constants.OBJ_BLOB, RawName.bytes(directory.link(entry.name())));
            }
            try (var in = directory.read(entry.name())) {
                return formatter.idFor(Constants.OBJ_BLOB, entry.attributes().size(), in);
            }
        } catch (FileSystemException | EOFException e) {
            // Changed in this very moment.
            return null;
        }
    }
}
