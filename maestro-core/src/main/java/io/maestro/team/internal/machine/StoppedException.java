package io.maestro.team.internal.machine;

import io.maestro.error.MaestroException;

/** Work was stopped and has not ended: nothing is written about it, and somebody goes on with it later. */
public final class StoppedException extends MaestroException {
    private static final long serialVersionUID = 1L;

    private final StopCause cause;

    /**
     * Stopped work.
     *
     * @param work what it is, as in "story 042"
     * @param state where it stands
     */
    public StoppedException(String work, Object state, StopCause cause) {
        super(
                switch (cause) {
                    case CLOSED ->
                        "this Maestro was closed while " + work + " was in " + state
                                + "; Maestro.resume() of the next one goes on with it";
                    case PAUSED -> work + " was paused in " + state;
                    default -> work + " was stopped in " + state + ": another process works on it";
                },
                null);
        this.cause = cause;
    }

    /** {@link StopCause#LEASE_LOST}, {@link StopCause#PAUSED} or {@link StopCause#CLOSED}. */
    public StopCause stopCause() {
        return cause;
    }
}
