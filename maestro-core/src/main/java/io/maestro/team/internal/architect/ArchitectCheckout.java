package io.maestro.team.internal.architect;

import io.maestro.git.internal.GitRepository;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.team.internal.machine.CancelledException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory in which the architect reads the repository: the files of the target branch as it is now, and nothing that
 * anybody works on. One conversation at a time uses it. Safe for use by several threads.
 */
public final class ArchitectCheckout implements WorkspaceView {
    private static final Logger LOG = LoggerFactory.getLogger(ArchitectCheckout.class);

    private final GitRepository git;
    private final String readerId;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile String commit = "";

    public ArchitectCheckout(GitRepository git, String readerId) {
        this.git = git;
        this.readerId = readerId;
    }

    /** Does something while the files are there. It is given the target branch. */
    public <T> T read(Function<String, T> work) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException();
        }
        try {
            String target = git.refresh();
            commit = git.checkoutForReading(readerId, target);
            return work.apply(target);
        } finally {
            try {
                git.emptyWorkspace(readerId);
            } catch (RuntimeException e) {
                // The next to come in empties it again.
                LOG.warn("the directory of {} could not be emptied: {}", readerId, e.getMessage());
            }
            lock.unlock();
        }
    }

    /** The commit that the files are of. */
    public String commit() {
        return commit;
    }

    public Path directory() {
        return git.workspaceDirectory(readerId);
    }

    @Override
    public Set<String> coders() {
        return Set.of(readerId);
    }

    @Override
    public Optional<Path> directory(String coderId) {
        return coderId.equals(readerId) ? Optional.of(directory()) : Optional.empty();
    }

    @Override
    public Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters) {
        return coderId.equals(readerId) ? Optional.of("") : Optional.empty();
    }
}
