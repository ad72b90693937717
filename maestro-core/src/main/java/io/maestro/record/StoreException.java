package io.maestro.record;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/** The record could not be opened, written or read. Maestro then stops: it does nothing that it cannot record. */
public class StoreException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message where the record lies, what failed, and what to do
     * @param cause the failure underneath, or null
     */
    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
