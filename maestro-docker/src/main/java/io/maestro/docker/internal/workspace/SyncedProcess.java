package io.maestro.docker.internal.workspace;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecResult;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A command whose files come back when it has ended: before {@link #await} says so, or {@link #kill} returns. */
final class SyncedProcess implements ExecProcess {
    private final ExecProcess inner;
    private final VolumeWorkspace workspace;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean pulled;

    SyncedProcess(ExecProcess inner, VolumeWorkspace workspace) {
        this.inner = inner;
        this.workspace = workspace;
    }

    @Override
    public OutputStream stdin() {
        return inner.stdin();
    }

    @Override
    public InputStream stdout() {
        return inner.stdout();
    }

    @Override
    public InputStream stderr() {
        return inner.stderr();
    }

    @Override
    public boolean isAlive() {
        return inner.isAlive();
    }

    @Override
    public Optional<End> await(Duration atMost) {
        Optional<End> end = inner.await(atMost);
        end.ifPresent(ended -> pull(ended.ending(), SyncedExecutor.exit(ended.exitCode())));
        return end;
    }

    @Override
    public void kill() {
        inner.kill();
        pull(ExecResult.Ending.CANCELLED, "");
    }

    @Override
    public void close() {
        inner.close();
        pull(ExecResult.Ending.CANCELLED, "");
    }

    private void pull(ExecResult.Ending ending, String exit) {
        lock.lock();
        try {
            if (!pulled) {
                workspace.pullAfter(ending, exit);
                pulled = true;
            }
        } finally {
            lock.unlock();
        }
    }
}
