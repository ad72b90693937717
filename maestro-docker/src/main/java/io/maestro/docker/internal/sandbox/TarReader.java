package io.maestro.docker.internal.sandbox;

import io.maestro.internal.RawName;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads an uncompressed tar that is not trusted: ustar, with the long names of POSIX and of GNU tar. What it says is returned as it
 * is, so names must be checked. Memory is bounded, the length of the archive is not. For one thread.
 */
final class TarReader {
    private static final int BLOCK = 512;

    /** For long names, and for attributes that nobody asks for. */
    private static final int MAX_EXTRA = 1 << 20;

    /** So many headers may stand before that of an entry. */
    private static final int MAX_EXTRAS = 8;

    /** What an entry is. */
    enum Type {
        FILE,
        HARD_LINK,
        LINK,
        DIRECTORY,
        /** A device or a pipe. */
        SPECIAL
    }

    /**
     * An entry.
     *
     * @param name its raw name, anything
     * @param mode its permissions, with the bits for another user or group
     * @param size how many bytes follow; zero for all but files
     * @param target of a link, raw, anything; empty for others
     */
    record Entry(String name, Type type, int mode, long size, String target) {}

    private final InputStream in;

    /** How much of the current entry is not read yet, and what fills its last block. */
    private long left;

    private int padding;

    private @Nullable String longName;
    private @Nullable String longTarget;
    private @Nullable Long longSize;

    TarReader(InputStream in) {
        this.in = in;
    }

    /**
     * The next entry; what was not read of the one before is skipped.
     *
     * @return null behind the last one
     * @throws EOFException when the archive ends without its mark for the end
     * @throws IOException when it is no such archive
     */
    @Nullable
    Entry next() throws IOException {
        longName = null;
        longTarget = null;
        longSize = null;
        for (int extras = 0; extras <= MAX_EXTRAS; extras++) {
            skip();
            byte[] header = read(BLOCK);
            if (isZero(header)) {
                return null;
            }
            requireSum(header);
            long size = number(header, 124, 12);
            char type = (char) (header[156] & 0xff);
            if (type == 'x' || type == 'g' || type == 'L' || type == 'K') {
                extra(type, size);
            } else {
                return entry(header, type, longSize == null ? size : longSize);
            }
        }
        throw new IOException("an entry of the archive has too many headers");
    }

    private void skip() throws IOException {
        try {
            in.skipNBytes(left + padding);
        } catch (EOFException e) {
            throw ended();
        }
        left = 0;
        padding = 0;
    }

    private Entry entry(byte[] header, char flag, long size) throws IOException {
        Type type = switch (flag) {
            case '0', '7', '\0' -> Type.FILE;
            case '1' -> Type.HARD_LINK;
            case '2' -> Type.LINK;
            case '3', '4', '6' -> Type.SPECIAL;
            case '5' -> Type.DIRECTORY;
            default -> throw new IOException("the archive has an entry of the unknown kind " + (int) flag);
        };
        if (size < 0 || type != Type.FILE && size != 0) {
            throw new IOException("an entry of the archive cannot have " + size + " bytes");
        }
        String name = longName == null ? name(header) : longName;
        String target = longTarget == null ? text(header, 157, 100) : longTarget;
        boolean link = type == Type.LINK || type == Type.HARD_LINK;
        begin(size);
        return new Entry(name, type, (int) number(header, 100, 8) & 07777, size, link ? target : "");
    }

    private void begin(long size) {
        left = size;
        padding = (int) ((BLOCK - size % BLOCK) % BLOCK);
    }

    /** Writes what the current entry holds. */
    void copyTo(OutputStream out) throws IOException {
        byte[] buffer = new byte[1 << 16];
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                throw ended();
            }
            out.write(buffer, 0, read);
            left -= read;
        }
    }

    private void extra(char type, long size) throws IOException {
        if (size < 0 || size > MAX_EXTRA) {
            throw new IOException("a header of the archive has " + size + " bytes, more than " + MAX_EXTRA);
        }
        begin(size);
        byte[] content = read((int) size);
        left = 0;
        switch (type) {
            case 'L' -> longName = text(content, 0, content.length);
            case 'K' -> longTarget = text(content, 0, content.length);
            case 'x' -> records(content);
            default -> {
                // What counts for all entries, such as a comment, says nothing about files.
            }
        }
    }

    /** Records such as {@code 17 path=a/b}, with a line break behind each and in values, whose own length is the number. */
    private void records(byte[] content) throws IOException {
        int at = 0;
        while (at < content.length) {
            int space = at;
            while (space < content.length && space - at < 8 && content[space] >= '0' && content[space] <= '9') {
                space++;
            }
            int length = space == at || space - at == 8 ? 0 : Integer.parseInt(text(content, at, space - at));
            // The number, a space, an equals sign and the line break.
            if (length < space - at + 3 || length > content.length - at || content[space] != ' ') {
                throw new IOException("a header of the archive has no length of a record");
            }
            String whole = RawName.of(Arrays.copyOfRange(content, space + 1, at + length - 1));
            int equals = whole.indexOf('=');
            if (equals < 0) {
                throw new IOException("a header of the archive has a record without a value");
            }
            set(whole.substring(0, equals), whole.substring(equals + 1));
            at += length;
        }
    }

    private void set(String key, String value) throws IOException {
        switch (key) {
            case "path" -> longName = value;
            case "linkpath" -> longTarget = value;
            case "size" -> {
                if (!value.matches("[0-9]{1,18}")) {
                    throw new IOException("a header of the archive has no size but '" + RawName.shown(value) + "'");
                }
                longSize = Long.parseLong(value);
            }
            default -> {
                if (key.startsWith("GNU.sparse")) {
                    throw new IOException("the archive has a file with holes, which is not read");
                }
            }
        }
    }

    private static String name(byte[] header) {
        String name = text(header, 0, 100);
        // GNU tar has other things in the place of the beginning.
        boolean posix = text(header, 257, 6).equals("ustar");
        String beginning = posix ? text(header, 345, 155) : "";
        return beginning.isEmpty() ? name : beginning + "/" + name;
    }

    /** To the first NUL. */
    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return RawName.of(Arrays.copyOfRange(bytes, from, end));
    }

    /** Octal digits; large ones in binary, as GNU tar and others write them. */
    private static long number(byte[] header, int from, int length) throws IOException {
        long value = 0;
        if ((header[from] & 0x80) != 0) {
            for (int i = from; i < from + length; i++) {
                int next = i == from ? header[i] & 0x7f : header[i] & 0xff;
                if (value >> 54 != 0) {
                    throw new IOException("a header of the archive has a number that is too large");
                }
                value = value << 8 | next;
            }
            return value;
        }
        String digits = text(header, from, length).strip();
        if (!digits.matches("[0-7]*")) {
            throw new IOException("a header of the archive has no number but '" + RawName.shown(digits) + "'");
        }
        return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    }

    private static void requireSum(byte[] header) throws IOException {
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : header[i] & 0xff;
        }
        if (sum != number(header, 148, 8)) {
            throw new IOException("the archive is damaged: the sum of a header is wrong");
        }
    }

    private static boolean isZero(byte[] header) {
        for (byte b : header) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    private byte[] read(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw ended();
        }
        return bytes;
    }

    private static EOFException ended() {
        return new EOFException("the archive ends in the middle; files that are being changed cause that, try again");
    }
}
