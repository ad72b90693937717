package io.maestro.internal;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads up to a number of bytes and fails at the next one. */
public final class BoundedStream extends FilterInputStream {
    private final int maxBytes;
    private long left;

    /**
     * Reads from another stream.
     *
     * @param in the other one
     * @param maxBytes how much may be read
     */
    public BoundedStream(InputStream in, int maxBytes) {
        super(in);
        this.maxBytes = maxBytes;
        this.left = maxBytes;
    }

    /** There is more than the limit. */
    public static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        /**
         * Names the limit.
         *
         * @param maxBytes the limit
         */
        public TooLargeException(int maxBytes) {
            super("more than " + maxBytes + " bytes");
        }
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        if (value >= 0) {
            count(1);
        }
        return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        if (count > 0) {
            count(count);
        }
        return count;
    }

    private void count(int read) throws TooLargeException {
        left -= read;
        if (left < 0) {
            throw new TooLargeException(maxBytes);
        }
    }
}
