package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Gives each command variables that change while its container runs; those of a request win. Safe for use by several threads. */
public final class VariablesExecutor implements Executor {
    private final Executor inner;
    private final Supplier<Map<String, String>> variables;

    /**
     * Runs nothing yet.
     *
     * @param inner runs the commands
     * @param variables asked before each command
     */
    public VariablesExecutor(Executor inner, Supplier<Map<String, String>> variables) {
        this.inner = inner;
        this.variables = variables;
    }

    private ExecRequest told(ExecRequest request) {
        Map<String, String> all = new LinkedHashMap<>(variables.get());
        if (all.isEmpty()) {
            return request;
        }
        all.putAll(request.environment());
        ExecRequest.Builder told = ExecRequest.command(request.command())
                .stdin(request.stdin())
                .timeLimit(request.timeLimit())
                .outputLimit(request.outputLimit());
        request.workingDirectory().ifPresent(told::workingDirectory);
        request.user().ifPresent(told::user);
        all.forEach(told::environment);
        return told.build();
    }

    @Override
    public ExecResult run(ExecRequest request) {
        return inner.run(told(request));
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        return inner.start(told(request));
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
