package io.maestro.team.internal.loop;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/** The time of a story is used up: something was not begun, or was stopped before its end. The message has the figures. */
public final class OutOfTimeException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /** @param cause what the work ended with when it was stopped; null when it was not begun, or gave a result */
    public OutOfTimeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
