package io.maestro.git.internal.sync;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.TreeEntry;
import io.maestro.internal.RawName;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;

/** Reads local changes, hands them to a {@link FileSink} and notes their content as git objects. For one use. */
final class LocalSender {
    private final FileSink sink;
    private final ObjectInserter inserter;

    LocalSender(FileSink sink, ObjectInserter inserter) {
        this.sink = sink;
        this.inserter = inserter;
    }

    /**
     * Sends the changes.
     *
     * @param directory the workspace
     * @param known the files that both sides had
     */
    SentFiles send(Path directory, LocalChanges changes, Map<String, TreeEntry> known) throws IOException {
        NavigableMap<String, TreeEntry> files = new TreeMap<>(known);
        Map<String, FileState> states = new HashMap<>(changes.states);
        changes.deleted.forEach(files::remove);
        long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        try (SafeDirectory root = SafeDirectory.open(directory)) {
            for (LocalChanges.LocalChange change : changes.written) {
                if (change.attributes().isDirectory()) {
                    sink.directory(
                            change.path(),
                            FileState.modeOf(change.attributes()),
                            change.attributes().lastModifiedTime());
                    continue;
                }
                ObjectId id;
                try {
                    id = file(root, change.path(), change);
                } catch (NoSuchFileException e) {
                    // Deleted meanwhile; it was there, so that the next scan finds it gone.
                    continue;
                }
                if (states.containsKey(change.path())) {
                    states.put(change.path(), FileState.of(change.attributes(), now, id));
                }
                if (change.tracked()) {
                    files.put(change.path(), new TreeEntry(gitMode(change.attributes()), id));
                } else {
                    files.remove(change.path());
                }
            }
        }
        ObjectId tree = TreeEntry.insert(inserter, files);
        inserter.flush();
        return new SentFiles(tree.name(), files, states);
    }

    private static FileMode gitMode(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return FileMode.SYMLINK;
        }
        return (FileState.modeOf(attributes) & 0100) != 0 ? FileMode.EXECUTABLE_FILE : FileMode.REGULAR_FILE;
    }

    private ObjectId file(SafeDirectory parent, String rest, LocalChanges.LocalChange change) throws IOException {
        int slash = rest.indexOf('/');
        if (slash >= 0) {
            try (SafeDirectory child = parent.directory(rest.substring(0, slash))) {
                return file(child, rest.substring(slash + 1), change);
            }
        }
        BasicFileAttributes attributes = change.attributes();
        if (attributes.isSymbolicLink()) {
            String target = parent.link(rest);
            sink.link(change.path(), target, attributes.lastModifiedTime());
            return inserter.insert(Constants.OBJ_BLOB, RawName.bytes(target));
        }
        try (InputStream in = parent.read(rest);
                OutputStream out = sink.file(
                        change.path(),
                        FileState.modeOf(attributes),
                        attributes.lastModifiedTime(),
                        attributes.size())) {
            return inserter.insert(Constants.OBJ_BLOB, attributes.size(), new CopyingStream(in, out));
        } catch (EOFException e) {
            throw new IOException(
                    RawName.shown(change.path()) + " was being changed while it was sent to the container", e);
        }
    }

    /** Writes everything that is read to another stream, too. */
    private static final class CopyingStream extends FilterInputStream {
        private final OutputStream copy;

        CopyingStream(InputStream in, OutputStream copy) {
            super(in);
            this.copy = copy;
        }

        @Override
        public int read() throws IOException {
            int c = in.read();
            if (c >= 0) {
                copy.write(c);
            }
            return c;
        }

        @Override
        public int read(byte[] buffer, int from, int length) throws IOException {
            int read = in.read(buffer, from, length);
            if (read > 0) {
                copy.write(buffer, from, read);
            }
            return read;
        }
    }
}
