package io.maestro.team.internal;

import io.maestro.error.RetriableException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An executor for tools that remembers that nobody has answered, of which a tool tells only its model. Safe for use by several
 * threads.
 */
final class WatchedExecutor implements Executor {
    private final Executor inner;
    private final AtomicReference<@Nullable RetriableException> outage;

    /**
     * Watches an executor.
     *
     * @param outage where what it has thrown is kept
     */
    WatchedExecutor(Executor inner, AtomicReference<@Nullable RetriableException> outage) {
        this.inner = inner;
        this.outage = outage;
    }

    @Override
    public ExecResult run(ExecRequest request) {
        return watched(inner::run, request);
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        return watched(inner::start, request);
    }

    private <T> T watched(Function<ExecRequest, T> call, ExecRequest request) {
        try {
            return call.apply(request);
        } catch (RetriableException e) {
            outage.set(e);
            throw e;
        }
    }

    @Override
    public void endLeftovers() {
        inner.endLeftovers();
    }

    @Override
    public String workingDirectory() {
        return inner.workingDirectory();
    }
}
