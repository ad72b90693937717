package io.maestro.wire.internal;

/** Why a request over HTTP is refused. */
public class HttpFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * @param message told to the client
     */
    public HttpFault(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    public final int status() {
        return status;
    }

    /** What the client is told. */
    public final String text() {
        return String.valueOf(getMessage());
    }
}
