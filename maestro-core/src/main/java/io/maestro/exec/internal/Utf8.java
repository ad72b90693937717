package io.maestro.exec.internal;

/** Finds characters that were cut in two where output was left out. Bytes that are no UTF-8 at all are left alone. */
public final class Utf8 {
    /** How many bytes a character has at most. */
    public static final int LONGEST = 4;

    private Utf8() {}

    /**
     * How many bytes remain when a character that was cut off at the end is dropped.
     *
     * @param bytes text, of which the beginning may be cut off, too
     */
    public static int completeLength(byte[] bytes) {
        for (int back = 1; back < LONGEST && back <= bytes.length; back++) {
            byte b = bytes[bytes.length - back];
            if (!isContinuation(b)) {
                return lengthAnnouncedBy(b) > back ? bytes.length - back : bytes.length;
            }
        }
        return bytes.length;
    }

    /** How many bytes at the start are the rest of a character that was cut off; at most three. */
    public static int continuationBytes(byte[] bytes) {
        int count = 0;
        while (count < bytes.length && count < LONGEST && isContinuation(bytes[count])) {
            count++;
        }
        return count < LONGEST ? count : 0;
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }

    private static int lengthAnnouncedBy(byte first) {
        if ((first & 0xE0) == 0xC0) {
            return 2;
        }
        if ((first & 0xF0) == 0xE0) {
            return 3;
        }
        return (first & 0xF8) == 0xF0 ? LONGEST : 1;
    }
}
