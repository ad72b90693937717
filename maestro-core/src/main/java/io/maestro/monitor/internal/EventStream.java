package io.maestro.monitor.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** The events that one browser is yet to get. */
final class EventStream {
    /** How many events wait for a browser at most; one that is slower is told to read all again. */
    static final int MOST = 2_000;

    private static final long HEARTBEAT_SECONDS = 10;
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] RESET = "event: reset\ndata: {}\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] END = {};

    private final BlockingQueue<byte[]> events = new ArrayBlockingQueue<>(MOST);
    private volatile boolean lost;
    private volatile boolean closed;

    /** Takes an event; returns at once. */
    void add(byte[] event) {
        if (!events.offer(event)) {
            lost = true;
        }
    }

    void close() {
        closed = true;
        boolean unused = events.offer(END);
    }

    /** Writes what comes until this is closed, or the browser has gone. */
    void write(OutputStream out) throws IOException, InterruptedException {
        out.write(HEARTBEAT);
        out.flush();
        while (!closed) {
            byte[] event = events.poll(HEARTBEAT_SECONDS, TimeUnit.SECONDS);
            for (byte[] next = event == null ? HEARTBEAT : event; next != null; next = events.poll()) {
                out.write(next);
            }
            if (lost) {
                // What is read again from now on has what was lost before.
                lost = false;
                out.write(RESET);
            }
            out.flush();
        }
    }
}
