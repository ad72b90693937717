package io.maestro.environment;

/** What an environment is for at the moment; a sandbox gives as much as that needs. */
public enum Phase {
    /** A coder explores: it may read the workspace, and has neither network nor secrets. */
    PLANNING,
    /** A coder changes the workspace and runs tests. */
    CODING,
    /** The architect reads. */
    ARCHITECT
}
