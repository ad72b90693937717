package io.maestro.mcpclient.internal;

/** Why a server has not answered. */
final class McpFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean broken;
    private final boolean forgotten;

    private McpFailure(String message, boolean broken, boolean forgotten) {
        super(message);
        this.broken = broken;
        this.forgotten = forgotten;
    }

    /** The connection is of no more use. */
    static McpFailure broken(String message) {
        return new McpFailure(message, true, false);
    }

    /** The server has answered that it will not, or not yet answered. */
    static McpFailure refused(String message) {
        return new McpFailure(message, false, false);
    }

    /** The server does not know the session any more: the request had no effect. */
    static McpFailure forgotten() {
        return new McpFailure("it does not know the session any more", true, true);
    }

    boolean isForgotten() {
        return forgotten;
    }

    boolean isBroken() {
        return broken;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
