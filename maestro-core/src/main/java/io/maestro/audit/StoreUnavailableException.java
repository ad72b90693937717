package io.maestro.audit;

import org.jspecify.annotations.Nullable;

/**
 * The record could not be reached for some time: its server restarts, the network is down, or another process has locked it.
 * Nothing was read or written, and the same can be tried again later.
 */
public class StoreUnavailableException extends StoreException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message where the record lies, what failed, and what to do
     * @param cause the failure underneath, or null
     */
    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
