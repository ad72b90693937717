package io.maestro.builtin.internal;

import io.maestro.secrets.internal.ShownText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Some lines of a file, byte for byte. What comes before them is read and not kept, so that a file may have any size. */
final class FilePage {
    private static final int BUFFER = 64 * 1024;

    private final byte[] bytes;
    private byte[] before = new byte[0];
    private byte[] after = new byte[0];
    private final long first;
    private final long next;
    private final boolean more;
    private final boolean cut;

    private FilePage(byte[] bytes, long first, long next, boolean more, boolean cut) {
        this.bytes = bytes;
        this.first = first;
        this.next = next;
        this.more = more;
        this.cut = cut;
    }

    /** The lines with their ends; of a line that is too long by itself its beginning. */
    byte[] bytes() {
        return bytes;
    }

    /** What stands before them in the file, as far as a secret may reach that goes on in them. */
    byte[] before() {
        return before;
    }

    /** What comes after them, as far. */
    byte[] after() {
        return after;
    }

    /** The number of the first line, from 1. */
    long first() {
        return first;
    }

    /** The number of the line that comes after them; when nothing does, one more than the file has. */
    long next() {
        return next;
    }

    /** Whether anything comes after them. */
    boolean more() {
        return more;
    }

    /** Whether the last line is only begun. */
    boolean cut() {
        return cut;
    }

    /**
     * Reads a page: whole lines until there are as many as are wanted, or the next one does not fit.
     *
     * @param mostBytes how long a page may be
     */
    static FilePage read(InputStream in, long first, long lines, int mostBytes) throws IOException {
        PageReader reader = new PageReader(in);
        reader.skip(first);
        if (reader.line < first) {
            return new FilePage(new byte[0], first, reader.line + (reader.begun ? 1 : 0), false, false);
        }
        byte[] before = reader.before();
        FilePage page = reader.page(first, lines, mostBytes);
        page.before = before;
        page.after = reader.after(page.after);
        return page;
    }

    /** For one file. */
    private static final class PageReader {
        private final InputStream in;
        private final byte[] buffer = new byte[BUFFER];
        private int at;
        private int end;

        /** The number of the line that the next byte is in, and whether one of its bytes was read. */
        private long line = 1;

        private boolean begun;

        /** The last bytes that were skipped, in a ring. */
        private final byte[] skipped = new byte[ShownText.AROUND];

        private long skippedBytes;

        PageReader(InputStream in) {
            this.in = in;
        }

        /** False at the end of the file. */
        private boolean fill() throws IOException {
            if (at < end) {
                return true;
            }
            at = 0;
            end = Math.max(0, in.read(buffer));
            return end > 0;
        }

        void skip(long to) throws IOException {
            while (line < to && fill()) {
                begun = true;
                int from = at;
                while (at < end && line < to) {
                    if (buffer[at++] == '\n') {
                        line++;
                        begun = at < end;
                    }
                }
                for (int i = from; i < at; i++) {
                    skipped[(int) (skippedBytes++ % ShownText.AROUND)] = buffer[i];
                }
            }
        }

        byte[] before() {
            int length = (int) Math.min(ShownText.AROUND, skippedBytes);
            byte[] before = new byte[length];
            for (int i = 0; i < length; i++) {
                before[i] = skipped[(int) ((skippedBytes - length + i) % ShownText.AROUND)];
            }
            return before;
        }

        /** What was read too far, and what comes then. */
        byte[] after(byte[] read) throws IOException {
            ByteArrayOutputStream after = new ByteArrayOutputStream();
            after.write(read, 0, Math.min(read.length, ShownText.AROUND));
            while (after.size() < ShownText.AROUND && fill()) {
                int length = Math.min(end - at, ShownText.AROUND - after.size());
                after.write(buffer, at, length);
                at += length;
            }
            return after.toByteArray();
        }

        FilePage page(long first, long lines, int mostBytes) throws IOException {
            ByteArrayOutputStream page = new ByteArrayOutputStream();
            int whole = 0;
            while (line - first < lines && fill()) {
                int from = at;
                while (at < end && buffer[at] != '\n') {
                    at++;
                }
                boolean ends = at < end;
                at += ends ? 1 : 0;
                page.write(buffer, from, at - from);
                begun = !ends;
                if (page.size() > mostBytes) {
                    return full(page.toByteArray(), first, whole, mostBytes);
                }
                if (ends) {
                    line++;
                    whole = page.size();
                }
            }
            return new FilePage(page.toByteArray(), first, line + (begun ? 1 : 0), fill(), false);
        }

        /** The last line does not fit: it is left out, or, where it is the only one, cut between two characters. */
        private FilePage full(byte[] bytes, long first, int whole, int mostBytes) throws IOException {
            if (whole > 0) {
                return cut(bytes, whole, new FilePage(Arrays.copyOf(bytes, whole), first, line, true, false));
            }
            int length = mostBytes;
            while (length > 0 && (bytes[length] & 0xc0) == 0x80) {
                length--;
            }
            return cut(bytes, length, new FilePage(Arrays.copyOf(bytes, length), first, first + 1, true, true));
        }

        private static FilePage cut(byte[] read, int length, FilePage page) {
            page.after = Arrays.copyOfRange(read, length, read.length);
            return page;
        }
    }
}
