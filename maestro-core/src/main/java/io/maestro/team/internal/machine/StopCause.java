package io.maestro.team.internal.machine;

/** Why work is stopped before its end. */
public enum StopCause {
    /** The host does not want it any more: it ends, and the record says so. */
    CANCELLED,

    /** Another process has taken it over: this one writes nothing more about it. */
    LEASE_LOST,

    /** The host lets it wait: it stays where it stands, as after a kill, and goes on when the host says so. */
    PAUSED,

    /** Maestro is closed: the work stays where it stands, as after a kill, and another life goes on with it. */
    CLOSED
}
