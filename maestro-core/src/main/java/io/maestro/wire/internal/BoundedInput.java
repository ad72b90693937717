package io.maestro.wire.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads bounded lines and bodies, from a connection also within a time limit. For one thread. */
public final class BoundedInput {
    private static final int END = -1;

    private final InputStream in;
    private final TimeLimit timeLimit;
    private final byte[] buffer = new byte[8 * 1024];
    private int position;
    private int filled;
    private boolean limited;
    private long deadline;

    /** Without a time limit. */
    public BoundedInput(InputStream in) {
        this(in, millis -> {});
    }

    BoundedInput(InputStream in, TimeLimit timeLimit) {
        this.in = in;
        this.timeLimit = timeLimit;
    }

    /** Bounds the next read of a stream. */
    interface TimeLimit {
        /** Sets how long it may take in milliseconds; 0 for as long as it likes. */
        void set(int millis) throws IOException;
    }

    /** From now on, everything that is read must have come within this time: a client that drips is no use. */
    public void limit(Duration time) {
        limited = true;
        deadline = System.nanoTime() + time.toNanos();
    }

    public void unlimited() {
        limited = false;
    }

    /**
     * Waits for a byte, without taking it.
     *
     * @return false at the end of the stream
     * @throws SocketTimeoutException when none came in time
     */
    public boolean awaitByte() throws IOException {
        return position < filled || fill();
    }

    private boolean fill() throws IOException {
        int millis = 0;
        if (limited) {
            long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (left <= 0) {
                throw new SocketTimeoutException("the time limit has passed");
            }
            millis = (int) Math.min(left, Integer.MAX_VALUE);
        }
        timeLimit.set(millis);
        position = 0;
        // Before it is read, which may end by the time limit: what was there would be taken for new otherwise.
        filled = 0;
        filled = Math.max(0, in.read(buffer, 0, buffer.length));
        return filled > 0;
    }

    /** The next byte, or -1 at the end. */
    public int read() throws IOException {
        return awaitByte() ? buffer[position++] & 0xFF : END;
    }

    /** Some bytes, as they come; returns how many, or -1 at the end. */
    int some(byte[] target, int length) throws IOException {
        if (!awaitByte()) {
            return END;
        }
        int count = Math.min(length, filled - position);
        System.arraycopy(buffer, position, target, 0, count);
        position += count;
        return count;
    }

    /**
     * The next line without its end, which is LF or CR LF.
     *
     * @param most how many bytes it may have
     * @return null at the end of the stream
     * @throws TooLong when it is longer; the rest of it is still there
     */
    public byte @Nullable [] line(int most) throws IOException, TooLong {
        ByteArrayOutputStream line = null;
        while (awaitByte()) {
            int end = position;
            while (end < filled && buffer[end] != '\n') {
                end++;
            }
            int had = line == null ? 0 : line.size();
            if (had + end - position > most + 1) {
                throw new TooLong();
            }
            if (line == null) {
                line = new ByteArrayOutputStream(Math.max(256, end - position));
            }
            line.write(buffer, position, end - position);
            position = end;
            if (end < filled) {
                byte[] text = bounded(line.toByteArray(), most);
                // Not before: the rest of a line that is too long is its end.
                position++;
                return text;
            }
        }
        return line == null ? null : bounded(line.toByteArray(), most);
    }

    private static byte[] bounded(byte[] line, int most) throws TooLong {
        byte[] text = line;
        if (line.length > 0 && line[line.length - 1] == '\r') {
            text = Arrays.copyOf(line, line.length - 1);
        }
        if (text.length > most) {
            throw new TooLong();
        }
        return text;
    }

    /** Throws away what is left of a line; false at the end of the stream. */
    public boolean skipLine() throws IOException {
        while (awaitByte()) {
            while (position < filled) {
                if (buffer[position++] == '\n') {
                    return true;
                }
            }
        }
        return false;
    }

    /** A line is longer than it may be. */
    public static final class TooLong extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
