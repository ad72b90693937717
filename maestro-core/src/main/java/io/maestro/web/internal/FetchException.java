package io.maestro.web.internal;

/** Why nothing was fetched; the message is for a model. */
public final class FetchException extends Exception {
    private static final long serialVersionUID = 1L;

    FetchException(String message) {
        super(message);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
