package io.maestro.team.internal.machine;

import io.maestro.error.MaestroException;
import java.util.concurrent.CompletableFuture;

/**
 * A run waits for something that may take days: a person, a check of a forge, its turn to be merged, or a coder. It stays in its
 * state, gives back thread, agent and environment, and goes on when the future is completed.
 */
public final class ParkedException extends MaestroException {
    private static final long serialVersionUID = 1L;

    private final transient CompletableFuture<?> until;

    /**
     * A run that waits.
     *
     * @param what it waits for, for the log
     * @param until completed, in whatever way, when the run can go on
     */
    public ParkedException(String what, CompletableFuture<?> until) {
        super("waits for " + what, null);
        this.until = until;
    }

    /** Completed, in whatever way, when the run can go on. */
    public CompletableFuture<?> until() {
        return until;
    }
}
