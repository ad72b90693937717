package io.maestro.record.internal;

import io.maestro.record.StoreException;

/** Another process has taken over what this one worked on, because its lease had expired: nothing more may be done for it. */
public final class LeaseLostException extends StoreException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was lost, and to whom
     */
    public LeaseLostException(String message) {
        super(message, null);
    }
}
