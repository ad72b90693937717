package io.maestro.exec.internal;

import io.maestro.exec.ExecOutput;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the first and the last bytes of a stream in bounded memory. One thread writes while another may take a snapshot:
 * a pump can still hang on a pipe when the result is wanted.
 */
public final class BoundedOutput {
    private final ReentrantLock lock = new ReentrantLock();
    private final int headLimit;
    private final int tailLimit;
    private byte[] head = new byte[0];
    private int headLength;
    /** A ring once it has reached its limit; before that a plain array that grows. */
    private byte[] tail = new byte[0];

    /** All bytes that went to the tail; the next one goes to this index modulo the limit. */
    private long tailWritten;

    /**
     * Empty.
     *
     * @param limit how many bytes are kept; more than zero
     */
    public BoundedOutput(int limit) {
        this.headLimit = limit - limit / 2;
        this.tailLimit = limit / 2;
    }

    /**
     * Adds bytes.
     *
     * @param bytes holds them; not kept
     * @param length how many, from its beginning
     */
    public void write(byte[] bytes, int length) {
        write(bytes, 0, length);
    }

    /**
     * Adds bytes.
     *
     * @param bytes holds them; not kept
     * @param offset where they begin
     * @param length how many
     */
    public void write(byte[] bytes, int offset, int length) {
        lock.lock();
        try {
            int toHead = Math.min(length, headLimit - headLength);
            if (toHead > 0) {
                head = grown(head, headLength + toHead, headLimit);
                System.arraycopy(bytes, offset, head, headLength, toHead);
                headLength += toHead;
            }
            writeTail(bytes, offset + toHead, length - toHead);
        } finally {
            lock.unlock();
        }
    }

    private void writeTail(byte[] bytes, int offset, int length) {
        int skipped = Math.max(0, length - tailLimit);
        tailWritten += skipped;
        int from = offset + skipped;
        int left = length - skipped;
        tail = grown(tail, (int) Math.min(tailWritten + left, tailLimit), tailLimit);
        while (left > 0) {
            int index = (int) (tailWritten % tailLimit);
            int part = Math.min(left, tailLimit - index);
            System.arraycopy(bytes, from, tail, index, part);
            tailWritten += part;
            from += part;
            left -= part;
        }
    }

    private static byte[] grown(byte[] array, int needed, int limit) {
        if (needed <= array.length) {
            return array;
        }
        return Arrays.copyOf(array, (int) Math.min(limit, Math.max(needed, 2L * array.length)));
    }

    /**
     * What was written so far.
     *
     * @return the output, cut between characters where it was cut
     */
    public ExecOutput snapshot() {
        lock.lock();
        try {
            byte[] first = Arrays.copyOf(head, headLength);
            byte[] last = orderedTail();
            if (tailWritten <= tailLimit) {
                byte[] all = Arrays.copyOf(first, first.length + last.length);
                System.arraycopy(last, 0, all, first.length, last.length);
                return ExecOutput.of(all, new byte[0], 0);
            }
            byte[] start = Arrays.copyOf(first, Utf8.completeLength(first));
            byte[] end = Arrays.copyOfRange(last, Utf8.continuationBytes(last), last.length);
            return ExecOutput.of(start, end, headLength + tailWritten - start.length - end.length);
        } finally {
            lock.unlock();
        }
    }

    private byte[] orderedTail() {
        if (tailWritten <= tailLimit) {
            return Arrays.copyOf(tail, (int) tailWritten);
        }
        byte[] ordered = new byte[tailLimit];
        if (tailLimit > 0) {
            int start = (int) (tailWritten % tailLimit);
            System.arraycopy(tail, start, ordered, 0, tailLimit - start);
            System.arraycopy(tail, 0, ordered, tailLimit - start, start);
        }
        return ordered;
    }
}
