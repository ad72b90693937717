package io.maestro.team.internal.coder;

import io.maestro.error.RetriableException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.team.internal.loop.TracedExecutor;
import io.maestro.telemetry.Telemetry;
import java.util.function.Function;

/** Tells a run of the outages that its tools' commands meet, of which a tool tells only its model, and gives them the trace. Safe for use by several threads. */
final class WatchedExecutor implements Executor {
    private final StoryAttempt run;
    private final Executor inner;

    WatchedExecutor(StoryAttempt run, Telemetry telemetry) {
        this.run = run;
        this.inner = new TracedExecutor(run.environment().executor(), telemetry);
    }

    @Override
    public ExecResult run(ExecRequest request) {
        return watched(inner::run, request);
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        ExecProcess process = watched(inner::start, request);
        run.sandbox().started(process);
        return process;
    }

    private <T> T watched(Function<ExecRequest, T> call, ExecRequest request) {
        try {
            T result = call.apply(request);
            run.sandbox().commandAnswered();
            return result;
        } catch (RetriableException e) {
            run.sandbox().commandFailed(e);
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
