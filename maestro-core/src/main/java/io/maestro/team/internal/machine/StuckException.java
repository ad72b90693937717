package io.maestro.team.internal.machine;

import io.maestro.error.MaestroException;

/** An agent does not come to an end, gives up, or has used up its rounds: the story fails. */
public final class StuckException extends MaestroException {
    private static final long serialVersionUID = 1L;

    public StuckException(String message) {
        super(message);
    }
}
