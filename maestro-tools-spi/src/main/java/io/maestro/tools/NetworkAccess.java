package io.maestro.tools;

/** What an agent's commands reach over the network. */
public enum NetworkAccess {
    /** Nothing. */
    NONE,
    /** Listed names only. */
    LISTED,
    /** Whatever their machine or container reaches. */
    OPEN,
    /** Whoever runs the commands does not say. */
    UNKNOWN
}
