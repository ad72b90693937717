package io.maestro.exec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a command printed on one stream, bounded: the beginning and the end are kept, the bytes between them are counted.
 * Immutable.
 */
public final class ExecOutput {
    private static final int SOME = 256;
    private static final int LONGEST_WORD = 1024;
    private static final ExecOutput EMPTY = new ExecOutput(new byte[0], new byte[0], 0);

    private final byte[] head;
    private final byte[] tail;
    private final long omitted;

    private ExecOutput(byte[] head, byte[] tail, long omitted) {
        this.head = head;
        this.tail = tail;
        this.omitted = omitted;
    }

    /**
     * Output of which something may have been left out.
     *
     * @param head the first bytes
     * @param tail the last bytes; empty when nothing was left out
     * @param omitted how many bytes between them were left out; 0 or more
     * @return the output
     */
    public static ExecOutput of(byte[] head, byte[] tail, long omitted) {
        if (omitted < 0) {
            throw new IllegalArgumentException("omitted must be 0 or more, is " + omitted);
        }
        return new ExecOutput(head.clone(), tail.clone(), omitted);
    }

    /**
     * Complete output.
     *
     * @param text the text, stored as UTF-8
     * @return the output
     */
    public static ExecOutput of(String text) {
        return text.isEmpty() ? EMPTY : new ExecOutput(text.getBytes(StandardCharsets.UTF_8), new byte[0], 0);
    }

    /**
     * The kept bytes as text: UTF-8, malformed bytes replaced by U+FFFD. Where bytes were left out, a line says how many; the
     * words next to it, of which a part may be missing, are left out, too: a part of a secret is not recognised as one.
     *
     * @return the text; empty when nothing was printed
     */
    public String text() {
        if (omitted == 0) {
            return new String(tail.length == 0 ? head : bytes(), StandardCharsets.UTF_8);
        }
        int end = head.length - cutWord(head, true);
        int start = cutWord(tail, false);
        return new String(head, 0, end, StandardCharsets.UTF_8)
                + "\n[... " + (omitted + head.length - end + start) + " bytes left out ...]\n"
                + new String(tail, start, tail.length - start, StandardCharsets.UTF_8);
    }

    /** How many bytes at the cut are of a word that may go on behind it; of a short part none, of a very long word some. */
    private static int cutWord(byte[] part, boolean atEnd) {
        if (part.length < SOME) {
            return 0;
        }
        int sign = 0;
        for (int count = 0; count < Math.min(part.length, LONGEST_WORD); count++) {
            byte b = part[atEnd ? part.length - 1 - count : count];
            if (b >= 0 && b <= ' ') {
                return count;
            }
            if (sign == 0 && "\"'`,;<>|(){}[]".indexOf(b) >= 0) {
                sign = count + 1;
            }
        }
        int count = sign > 0 ? sign : SOME;
        while (count < part.length && (part[atEnd ? part.length - count : count] & 0xC0) == 0x80) {
            count++;
        }
        return count;
    }

    /**
     * The kept bytes, head then tail, without a mark between them.
     *
     * @return a copy
     */
    public byte[] bytes() {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }

    /**
     * How many bytes the command printed, kept or not.
     *
     * @return 0 or more
     */
    public long totalBytes() {
        return head.length + omitted + tail.length;
    }

    /**
     * How many bytes were left out between head and tail.
     *
     * @return 0 when the output is complete
     */
    public long omittedBytes() {
        return omitted;
    }

    /** The text, for messages and logs. */
    @Override
    public String toString() {
        return text();
    }
}
