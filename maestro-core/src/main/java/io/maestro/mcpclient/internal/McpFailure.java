package io.maestro.mcpclient.internal;

/** Why a server has not answered. */
final class McpFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean broken;

    private McpFailure(String message, boolean broken) {
        super(message);
        this.broken = broken;
    }

    /** The connection is of no more use. */
    static McpFailure broken(String message) {
        return new McpFailure(message, true);
    }

    /** The server has answered that it will not, or not yet answered. */
    static McpFailure refused(String message) {
        return new McpFailure(message, false);
    }

    boolean isBroken() {
        return broken;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
