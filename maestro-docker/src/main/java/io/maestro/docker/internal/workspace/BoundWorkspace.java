package io.maestro.docker.internal.workspace;

import io.maestro.docker.Mount;
import io.maestro.exec.Executor;
import java.nio.file.Path;

/** A workspace on the engine's own machine: containers mount the directory itself. */
public final class BoundWorkspace implements WorkspaceTransport {
    /** Where containers have the workspace. */
    public static final String TARGET = "/workspace";

    private final Path directory;

    /** The workspace in a directory of this machine. */
    public BoundWorkspace(Path directory) {
        this.directory = directory;
    }

    @Override
    public Mount mount(boolean readOnly) {
        Mount mount = Mount.bind(directory, TARGET);
        return readOnly ? mount.asReadOnly() : mount;
    }

    @Override
    public Executor around(Executor inner, boolean readOnly) {
        return inner;
    }

    @Override
    public void close() {
        // Nothing was made.
    }
}
