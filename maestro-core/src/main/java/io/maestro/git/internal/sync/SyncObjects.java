package io.maestro.git.internal.sync;

import io.maestro.git.GitException;
import io.maestro.git.internal.JGitGlobals;
import io.maestro.git.internal.TreeEntry;
import io.maestro.internal.RawName;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Objects;
import org.eclipse.jgit.errors.TooLargeObjectInPackException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.PackParser;

/**
 * The git objects of a workspace and its remote copy, in a bare repository that nobody but this process writes. Checks what
 * the remote copy sends before anything is done with it.
 */
final class SyncObjects implements AutoCloseable {
    private static final String SIGNATURE = "# v2 git bundle";
    private static final int MAX_HEADER_LINE = 8192;

    private final Repository repository;

    SyncObjects(Path directory) throws IOException {
        JGitGlobals.prepare(Objects.requireNonNull(directory.toAbsolutePath().getParent()));
        this.repository = new FileRepositoryBuilder()
                .setGitDir(directory.toFile())
                .setBare()
                .build();
        repository.create(true);
        StoredConfig config = repository.getConfig();
        // They live no longer than an attempt.
        config.setInt("core", null, "compression", 1);
        config.save();
    }

    ObjectInserter inserter() {
        return repository.newObjectInserter();
    }

    ObjectReader reader() {
        return repository.newObjectReader();
    }

    /**
     * Takes in a bundle: its objects are checked as {@code transfer.fsckObjects} does, and nothing is done with them yet.
     *
     * @param commit what it must bring
     * @param tree that commit's tree
     * @param known the only commit that it may build on; empty for none
     * @param limit how many bytes it may have, and each object in it
     * @return the files of the tree, all of them readable here
     * @throws GitException when it is anything else, or larger
     */
    NavigableMap<String, TreeEntry> receive(InputStream bundle, String commit, String tree, String known, long limit)
            throws IOException {
        InputStream in = new Limited(bundle, limit);
        header(in, commit, known);
        try (ObjectInserter inserter = repository.newObjectInserter()) {
            PackParser parser = inserter.newPackParser(in);
            parser.setAllowThin(true);
            parser.setObjectChecker(new ObjectChecker());
            parser.setMaxObjectSizeLimit(limit);
            parser.parse(NullProgressMonitor.INSTANCE);
            inserter.flush();
        } catch (IOException e) {
            boolean large = e instanceof TooLargeObjectInPackException || e instanceof ObjectTooLargeException;
            throw new GitException(
                    "what came back from the container is refused: " + e.getMessage()
                            + (large ? "; delete large files in the workspace, or add them to .gitignore" : ""),
                    e);
        }
        try (RevWalk walk = new RevWalk(repository);
                ObjectReader reader = walk.getObjectReader()) {
            ObjectId brought = walk.parseCommit(ObjectId.fromString(commit)).getTree();
            if (!brought.name().equals(tree)) {
                throw new GitException(
                        "what came back from the container is refused: commit " + commit + " has the tree "
                                + brought.name() + " and not " + tree,
                        null);
            }
            return TreeEntry.flatten(reader, brought);
        }
    }

    private static void header(InputStream in, String commit, String known) throws IOException {
        String line = line(in);
        if (!line.equals(SIGNATURE)) {
            throw new GitException(
                    "what came back from the container is no bundle; it begins with '"
                            + RawName.shown(line.substring(0, Math.min(60, line.length()))) + "'",
                    null);
        }
        boolean brings = false;
        for (line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.startsWith("-")) {
                if (known.isEmpty() || !line.startsWith(known, 1)) {
                    throw new GitException(
                            "the bundle from the container builds on a commit that is not here: " + RawName.shown(line),
                            null);
                }
            } else {
                brings |= line.startsWith(commit + " ");
            }
        }
        if (!brings) {
            throw new GitException("the bundle from the container does not bring the commit " + commit, null);
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.size() >= MAX_HEADER_LINE) {
                throw new EOFException("the bundle from the container ends, or has no end, in its header");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        repository.close();
    }

    /** Fails when there is more than allowed. */
    private static final class Limited extends FilterInputStream {
        private final long limit;
        private long left;

        Limited(InputStream in, long limit) {
            super(in);
            this.limit = limit;
            this.left = limit;
        }

        @Override
        public int read() throws IOException {
            int c = in.read();
            count(c < 0 ? 0 : 1);
            return c;
        }

        @Override
        public int read(byte[] buffer, int from, int length) throws IOException {
            int read = in.read(buffer, from, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int read) throws IOException {
            left -= read;
            if (left < 0) {
                throw new ObjectTooLargeException("it has more than " + limit + " bytes");
            }
        }
    }

    private static final class ObjectTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        ObjectTooLargeException(String message) {
            super(message);
        }
    }
}
