package io.maestro.mcp.internal;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/** A connection to an endpoint. */
final class Guest implements Closeable {
    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final int FAREWELL_BYTES = 64 * 1024;

    private final Socket socket;
    private volatile boolean known;

    Guest(Socket socket) {
        this.socket = socket;
    }

    Socket socket() {
        return socket;
    }

    /** It has shown the token. */
    void welcome() {
        known = true;
    }

    boolean isKnown() {
        return known;
    }

    /**
     * Ends the connection so that the client can read what it was told: a socket that is closed while input waits in it sends a
     * reset, which may overtake the answer.
     */
    void farewell(Inlet in) throws IOException {
        socket.shutdownOutput();
        in.limit(FAREWELL);
        int read = 0;
        while (read < FAREWELL_BYTES && in.read() >= 0) {
            read++;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
