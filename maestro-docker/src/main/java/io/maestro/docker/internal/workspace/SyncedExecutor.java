package io.maestro.docker.internal.workspace;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.OptionalInt;

/** Runs commands beside a volume: files go there before one, and come back after it. */
final class SyncedExecutor implements Executor {
    private final Executor inner;
    private final VolumeWorkspace workspace;
    private final boolean readOnly;

    SyncedExecutor(Executor inner, VolumeWorkspace workspace, boolean readOnly) {
        this.inner = inner;
        this.workspace = workspace;
        this.readOnly = readOnly;
    }

    @Override
    public ExecResult run(ExecRequest request) {
        workspace.push();
        ExecResult result = inner.run(request);
        if (!readOnly) {
            workspace.pullAfter(result.ending(), exit(result.exitCode()));
        }
        return result;
    }

    static String exit(OptionalInt code) {
        return code.isPresent() ? " with exit code " + code.getAsInt() : "";
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        workspace.push();
        ExecProcess process = inner.start(request);
        return readOnly ? process : new SyncedProcess(process, workspace);
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
