package io.maestro.claude.internal.install;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Runs commands on this machine as if it were another one, notes what it ran, and may change it. */
final class OtherPlace implements Executor {
    final List<ExecRequest> started = new CopyOnWriteArrayList<>();
    final List<ExecRequest> run = new CopyOnWriteArrayList<>();
    private final Executor executor;
    private UnaryOperator<String> change = UnaryOperator.identity();

    OtherPlace(Executor executor) {
        this.executor = executor;
    }

    /** Puts another script in the place of one. */
    OtherPlace changing(UnaryOperator<String> scripts) {
        this.change = scripts;
        return this;
    }

    @Override
    public ExecResult run(ExecRequest request) {
        run.add(request);
        return executor.run(changed(request));
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        started.add(request);
        return executor.start(changed(request));
    }

    @Override
    public String workingDirectory() {
        return executor.workingDirectory();
    }

    private ExecRequest changed(ExecRequest request) {
        List<String> words = new ArrayList<>();
        request.command().forEach(word -> words.add(change.apply(word)));
        ExecRequest.Builder builder = ExecRequest.command(words)
                .stdin(request.stdin())
                .timeLimit(request.timeLimit())
                .outputLimit(request.outputLimit());
        request.environment().forEach(builder::environment);
        return builder.build();
    }
}
