package io.maestro.builtin.internal.jobs;

import java.util.Arrays;

/** The last bytes of an output in bounded memory, found by where they are in all of it. Not safe for use by several threads. */
final class RecentBytes {
    private final int limit;

    /** Full of bytes once it has its limit; before that a plain array that grows. */
    private byte[] ring = new byte[0];

    private long total;

    /** @param limit how many bytes are kept; more than zero */
    RecentBytes(int limit) {
        this.limit = limit;
    }

    void write(byte[] bytes, int length) {
        if (ring.length < limit && total + length > ring.length) {
            ring = Arrays.copyOf(ring, (int) Math.min(limit, Math.max(total + length, 2L * ring.length)));
        }
        int from = Math.max(0, length - ring.length);
        total += from;
        while (from < length) {
            int at = (int) (total % ring.length);
            int count = Math.min(length - from, ring.length - at);
            System.arraycopy(bytes, from, ring, at, count);
            from += count;
            total += count;
        }
    }

    /** How many bytes there were. */
    long total() {
        return total;
    }

    /** Where those begin that are kept. */
    long first() {
        return Math.max(0, total - limit);
    }

    /** At most so many bytes from there; it must not be before {@link #first()}. */
    byte[] read(long offset, int most) {
        byte[] read = new byte[(int) Math.max(0, Math.min(most, total - offset))];
        for (int i = 0; i < read.length; i++) {
            read[i] = ring[(int) ((offset + i) % ring.length)];
        }
        return read;
    }
}
