package io.maestro.team.internal.coder;

import io.maestro.error.MaestroException;

/** The architect has rejected the story, or {@linkplain ClosedByOthersException others have}. */
class RejectedException extends MaestroException {
    private static final long serialVersionUID = 1L;

    RejectedException(String message) {
        super(message);
    }
}
