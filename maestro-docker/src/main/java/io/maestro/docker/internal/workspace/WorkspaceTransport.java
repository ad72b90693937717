package io.maestro.docker.internal.workspace;

import io.maestro.docker.Mount;
import io.maestro.exec.Executor;

/**
 * How the files of a workspace get into the containers of an attempt, and what is done to them there back. Belongs to one
 * attempt on one engine; safe for use by several threads.
 */
public interface WorkspaceTransport extends AutoCloseable {
    /** The workspace as a container mounts it. */
    Mount mount(boolean readOnly);

    /**
     * An executor that takes care that its commands see the files as they are on this machine, and that this machine sees
     * afterwards what they have changed.
     *
     * @param inner runs commands in the container
     * @param readOnly whether they cannot change anything
     */
    Executor around(Executor inner, boolean readOnly);

    /** Removes what it has made on the engine. A second call does nothing. */
    @Override
    void close();
}
