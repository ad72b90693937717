package io.maestro.record;

import org.jspecify.annotations.Nullable;

/**
 * The record could not be reached for some time: its server restarts, the network is down, or another process has locked it.
 * The same can be tried again later. Nothing was read or written, but for a write of which the message says that it may be there:
 * then the record is read first.
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
