package io.maestro.claude.internal.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Cuts bytes that come in any pieces into lines. A line that comes in one piece is not copied; of one that does not, at most the
 * limit is kept. Not safe for use by several threads.
 */
public final class LineSplitter {
    /** A buffer that a long line has made longer than this is given back after it. */
    private static final int KEPT_BUFFER = 1 << 16;

    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long NEWLINES = '\n' * ONES;

    private final int limit;
    private final Lines lines;
    private byte[] kept = new byte[0];
    private int length;
    private boolean overlong;
    private long overlongLength;

    /** Takes the lines. */
    public interface Lines {
        /** A line without its end; the bytes are good only until this returns. */
        void line(byte[] buffer, int from, int to);

        /** A line was longer than the limit, and is gone. */
        void overlong(long length);
    }

    public LineSplitter(int limit, Lines lines) {
        this.limit = limit;
        this.lines = lines;
    }

    /** Takes the next bytes. */
    public void feed(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            int end = newline(bytes, at, to);
            if (end < 0) {
                keep(bytes, at, to);
                return;
            }
            if (length == 0 && !overlong && end - at <= limit) {
                lines.line(bytes, at, end);
            } else {
                keep(bytes, at, end);
                end();
            }
            at = end + 1;
        }
    }

    /** The last line, if it has no end. */
    public void end() {
        int had = length;
        boolean was = overlong;
        byte[] buffer = kept;
        length = 0;
        overlong = false;
        if (buffer.length > KEPT_BUFFER) {
            kept = new byte[0];
        }
        if (was) {
            lines.overlong(overlongLength);
        } else if (had > 0) {
            lines.line(buffer, 0, had);
        }
    }

    private void keep(byte[] bytes, int from, int to) {
        int more = to - from;
        if (overlong) {
            overlongLength += more;
        } else if (more > limit - length) {
            overlong = true;
            overlongLength = (long) length + more;
            length = 0;
            kept = new byte[0];
        } else if (more > 0) {
            if (more > kept.length - length) {
                long doubled = Math.min(limit, Math.max(2L * kept.length, 512));
                kept = Arrays.copyOf(kept, (int) Math.max(doubled, length + more));
            }
            System.arraycopy(bytes, from, kept, length, more);
            length += more;
        }
    }

    /** Eight bytes at a time; most of what the CLI prints is only looked at for the end of its line. */
    private static int newline(byte[] bytes, int from, int to) {
        int at = from;
        for (; at <= to - 8; at += 8) {
            long differing = (long) EIGHT.get(bytes, at) ^ NEWLINES;
            long found = (differing - ONES) & ~differing & HIGHS;
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; at < to; at++) {
            if (bytes[at] == '\n') {
                return at;
            }
        }
        return -1;
    }
}
