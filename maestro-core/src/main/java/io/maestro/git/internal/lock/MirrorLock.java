package io.maestro.git.internal.lock;

import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.internal.FileLocks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right to change a mirror: against the threads of this JVM and against other processes. It belongs to the
 * mirror's path, not to an object. The file lies beside the mirror and is never deleted.
 */
public final class MirrorLock implements AutoCloseable {
    /** Threads wait here, in their order; what comes from elsewhere is waited for by the one that is first. */
    private static final ConcurrentHashMap<Path, LockHolder> HOLDERS = new ConcurrentHashMap<>();

    private static final long POLL_MILLIS = 25;

    private final Path key;
    private final LockHolder holder;
    private FileLocks.@Nullable Held held;

    private MirrorLock(Path key, LockHolder holder) {
        this.key = key;
        this.holder = holder;
    }

    private static final class LockHolder {
        final ReentrantLock lock = new ReentrantLock(true);
        int users;
    }

    /** Waits for the lock. The directory of the mirror must exist, the mirror itself need not. */
    public static MirrorLock acquire(Path mirror, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        Path key;
        try {
            key = mirror.resolveSibling(".").toRealPath().resolve(mirror.getFileName() + ".lock");
        } catch (IOException e) {
            throw new GitException("cannot lock the mirror " + mirror + ": " + e, e);
        }
        LockHolder holder = HOLDERS.compute(key, (path, existing) -> {
            LockHolder result = existing == null ? new LockHolder() : existing;
            result.users++;
            return result;
        });
        MirrorLock lock = new MirrorLock(key, holder);
        boolean locked = false;
        try {
            if (!holder.lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw busy(mirror, limit);
            }
            if (holder.lock.getHoldCount() > 1) {
                throw new IllegalStateException("the mirror is locked by this thread already: " + mirror);
            }
            lock.lockFile(mirror, deadline, limit);
            locked = true;
            return lock;
        } catch (IOException e) {
            throw new GitException("cannot lock the mirror with " + key + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException("cancelled while waiting for the mirror " + mirror, e);
        } finally {
            if (!locked) {
                lock.close();
            }
        }
    }

    private void lockFile(Path mirror, long deadline, Duration limit) throws IOException, InterruptedException {
        while (true) {
            Optional<FileLocks.Held> taken = FileLocks.tryLock(key);
            if (taken.isPresent()) {
                held = taken.get();
                return;
            }
            if (System.nanoTime() > deadline) {
                throw busy(mirror, limit);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static GitUnavailableException busy(Path mirror, Duration limit) {
        return new GitUnavailableException(
                "the mirror " + mirror + " has been in use by others for " + limit.toSeconds() + " s", null);
    }

    /** Gives the lock back. */
    @Override
    public void close() {
        try {
            if (held != null) {
                held.close();
            }
        } catch (IOException e) {
            throw new GitException("cannot release the lock " + key + ": " + e, e);
        } finally {
            if (holder.lock.isHeldByCurrentThread()) {
                holder.lock.unlock();
            }
            HOLDERS.computeIfPresent(key, (path, existing) -> --existing.users == 0 ? null : existing);
        }
    }
}
