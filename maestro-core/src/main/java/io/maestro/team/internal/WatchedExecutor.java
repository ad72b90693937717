package io.maestro.team.internal;

import io.maestro.error.RetriableException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.concurrent.atomic.AtomicLong;
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
    private final AtomicLong answeredAt;

    /**
     * Watches an executor.
     *
     * @param outage where what it has thrown is kept
     * @param answeredAt where it is kept when it has not, in milliseconds since 1970
     */
    WatchedExecutor(Executor inner, AtomicReference<@Nullable RetriableException> outage, AtomicLong answeredAt) {
        this.inner = inner;
        this.outage = outage;
        this.answeredAt = answeredAt;
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
            T result = call.apply(request);
            answeredAt.set(System.currentTimeMillis());
            return result;
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
