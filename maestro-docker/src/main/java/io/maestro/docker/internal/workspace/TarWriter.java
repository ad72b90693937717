package io.maestro.docker.internal.workspace;

import io.maestro.git.internal.sync.FileSink;
import io.maestro.internal.RawName;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Writes a tar. Names may be any bytes of any length (the way of GNU tar, which all others read too), times have nanoseconds
 * (the way of POSIX). All files belong to one owner. For one thread.
 */
public final class TarWriter implements FileSink, AutoCloseable {
    private static final int BLOCK = 512;
    private static final int NAME = 100;

    /** The largest number of a user or group that has room in a header. */
    public static final int MAX_ID = 07777777;

    private static final long MAX_SIZE = 8L << 30;

    private final OutputStream out;
    private final String prefix;
    private final int uid;
    private final int gid;

    /**
     * Begins a tar.
     *
     * @param prefix is put before each path
     * @param uid whose files these are; at most {@link #MAX_ID}
     * @param gid their group; at most {@link #MAX_ID}
     */
    public TarWriter(OutputStream out, String prefix, int uid, int gid) {
        this.out = out;
        this.prefix = prefix;
        this.uid = uid;
        this.gid = gid;
    }

    @Override
    public void directory(String path, int mode, FileTime modified) throws IOException {
        entry(prefix + path + "/", "", '5', mode, modified, 0);
    }

    @Override
    public void link(String path, String target, FileTime modified) throws IOException {
        entry(prefix + path, target, '2', 0777, modified, 0);
    }

    @Override
    public OutputStream file(String path, int mode, FileTime modified, long size) throws IOException {
        return absolute(prefix + path, mode, modified, size);
    }

    /** A file whose path gets no prefix. */
    OutputStream absolute(String path, int mode, FileTime modified, long size) throws IOException {
        if (size >= MAX_SIZE) {
            throw new IOException(
                    RawName.shown(path) + " has " + size + " bytes, more than can be taken to a container");
        }
        entry(path, "", '0', mode, modified, size);
        return new Content(size);
    }

    private void entry(String path, String target, char type, int mode, FileTime modified, long size)
            throws IOException {
        long seconds = Math.floorDiv(modified.to(TimeUnit.NANOSECONDS), 1_000_000_000L);
        long nanos = Math.floorMod(modified.to(TimeUnit.NANOSECONDS), 1_000_000_000L);
        if (nanos != 0 && seconds >= 0) {
            String time = String.format(Locale.ROOT, " mtime=%d.%09d\n", seconds, nanos);
            // Its own length counts, digits and all: there are two of them.
            extra('x', (time.length() + 2) + time);
        }
        if (path.length() > NAME) {
            extra('L', path + "\0");
        }
        if (target.length() > NAME) {
            extra('K', target + "\0");
        }
        header(path, target, type, mode, Math.max(0, seconds), size);
    }

    private void extra(char type, String content) throws IOException {
        byte[] bytes = RawName.bytes(content);
        header("././@LongLink", "", type, 0644, 0, bytes.length);
        out.write(bytes);
        pad(bytes.length);
    }

    private void header(String path, String target, char type, int mode, long seconds, long size) throws IOException {
        byte[] block = new byte[BLOCK];
        put(block, 0, NAME, path);
        octal(block, 100, 8, mode & 07777);
        octal(block, 108, 8, uid);
        octal(block, 116, 8, gid);
        octal(block, 124, 12, size);
        octal(block, 136, 12, seconds);
        Arrays.fill(block, 148, 156, (byte) ' ');
        block[156] = (byte) type;
        put(block, 157, NAME, target);
        put(block, 257, 8, "ustar\00000");
        int sum = 0;
        for (byte b : block) {
            sum += b & 0xff;
        }
        octal(block, 148, 7, sum);
        out.write(block);
    }

    private static void put(byte[] block, int from, int length, String raw) {
        byte[] bytes = RawName.bytes(raw);
        System.arraycopy(bytes, 0, block, from, Math.min(length, bytes.length));
    }

    private static void octal(byte[] block, int from, int length, long value) {
        String digits = String.format(Locale.ROOT, "%0" + (length - 1) + "o", value);
        System.arraycopy(digits.getBytes(StandardCharsets.US_ASCII), 0, block, from, length - 1);
    }

    private void pad(long size) throws IOException {
        out.write(new byte[(int) ((BLOCK - size % BLOCK) % BLOCK)]);
    }

    /** Ends the tar; what it was written to stays open. */
    @Override
    public void close() throws IOException {
        out.write(new byte[2 * BLOCK]);
        out.flush();
    }

    private final class Content extends FilterOutputStream {
        private final long size;
        private long written;
        private boolean closed;

        Content(long size) {
            super(TarWriter.this.out);
            this.size = size;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            written++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            written += length;
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            if (written != size) {
                throw new IOException("a file has " + written + " bytes in place of " + size);
            }
            pad(size);
        }
    }
}
