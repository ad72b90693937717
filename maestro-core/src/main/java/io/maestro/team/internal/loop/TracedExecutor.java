package io.maestro.team.internal.loop;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.telemetry.Telemetry;
import java.util.Map;

/** Lets commands go on with the trace of the call that runs them. Safe for use by several threads. */
public record TracedExecutor(Executor inner, Telemetry telemetry) implements Executor {
    @Override
    public ExecResult run(ExecRequest request) {
        return inner.run(traced(request));
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        return inner.start(traced(request));
    }

    private ExecRequest traced(ExecRequest request) {
        Map<String, String> variables = telemetry.variables();
        if (variables.isEmpty()) {
            return request;
        }
        ExecRequest.Builder builder = request.toBuilder();
        variables.forEach(builder::environment);
        return builder.build();
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
