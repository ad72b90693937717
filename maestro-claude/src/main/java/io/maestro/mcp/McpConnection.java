package io.maestro.mcp;

/** A client whose messages the caller carries. Safe for use by several threads. */
public interface McpConnection extends AutoCloseable {
    /**
     * Takes a message of the client. Returns at once; calls of tools run on threads of their own.
     *
     * @param message one JSON-RPC message, or what should have been one
     */
    void receive(String message);

    /** Cancels what runs for this client. A second call does nothing. */
    @Override
    void close();
}
