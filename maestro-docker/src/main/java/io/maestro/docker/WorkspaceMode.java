package io.maestro.docker;

/** How an agent's workspace gets into its containers. */
public enum WorkspaceMode {
    /** By {@link #BIND} where the engine sees the files of this machine, else by {@link #VOLUME}. */
    AUTO,
    /** The directory itself is mounted; the engine must run on this machine. */
    BIND,
    /** The files travel through a volume of the engine's, and what commands change comes back. */
    VOLUME
}
