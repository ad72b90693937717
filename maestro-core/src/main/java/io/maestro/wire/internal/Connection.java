package io.maestro.wire.internal;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** A connection that was accepted. Safe for use by several threads. */
public abstract class Connection implements Closeable {
    private volatile boolean known;

    /** It has shown the token: no other connection takes its place. */
    public final void welcome() {
        known = true;
    }

    public final boolean isKnown() {
        return known;
    }

    abstract void shutdownOutput() throws IOException;

    /**
     * Ends the connection so that the client can read what it was told: a socket that is closed while input waits in it sends a
     * reset, which may overtake the answer.
     *
     * @param in what the client still sends is read from there, and dropped
     * @param limit how long the client may take to end its side
     * @param most how many bytes are read at most
     */
    public final void farewell(BoundedInput in, Duration limit, long most) throws IOException {
        shutdownOutput();
        in.limit(limit);
        byte[] dropped = new byte[8 * 1024];
        long left = most;
        int count = 0;
        while (left > 0 && count >= 0) {
            count = in.some(dropped, dropped.length);
            left -= count;
        }
    }
}
