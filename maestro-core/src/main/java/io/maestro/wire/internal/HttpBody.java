package io.maestro.wire.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the bounded body of a request. What its client only announces takes no memory. */
public final class HttpBody {
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_LINE = 1024;
    private static final int PIECE = 8 * 1024;

    private HttpBody() {}

    /** Takes a body as it comes. */
    public interface BodySink {
        /** So many bytes are to come; not called where the client does not say. */
        default void expect(long bytes) throws HttpFault {}

        /** Takes bytes; they are not needed any more when this returns. */
        void take(byte[] bytes, int length) throws HttpFault;
    }

    /**
     * Reads a body to its end.
     *
     * @param out gets the word to go on, for a client that waits for it
     * @param most how many bytes it may have
     */
    public static void read(HttpHead head, BoundedInput in, OutputStream out, long most, BodySink sink)
            throws IOException, HttpFault {
        String coding = head.field("transfer-encoding");
        String length = head.field("content-length");
        if (coding != null && (length != null || !head.chunks() || !coding.equalsIgnoreCase("chunked"))) {
            throw new HttpFault(400, "The length of the request is given in a way that is not understood.");
        }
        long size = length == null ? 0 : number(length, 10);
        if (size > most) {
            throw tooLong(most);
        }
        if (coding == null) {
            sink.expect(size);
        }
        if ("100-continue".equalsIgnoreCase(head.field("expect"))) {
            out.write(GO_ON);
            out.flush();
        }
        if (coding == null) {
            exactly(in, size, sink);
        } else {
            chunks(in, most, sink);
        }
    }

    /** Whether there is anything to read. */
    public static boolean isThere(HttpHead head) {
        return head.fields().containsKey("transfer-encoding")
                || !head.fields().getOrDefault("content-length", List.of("0")).equals(List.of("0"));
    }

    private static void exactly(BoundedInput in, long size, BodySink sink) throws IOException, HttpFault {
        byte[] piece = new byte[(int) Math.min(size, PIECE)];
        long left = size;
        while (left > 0) {
            int count = in.some(piece, (int) Math.min(left, piece.length));
            if (count < 0) {
                throw new EOFException("the client went away in the middle of a body");
            }
            sink.take(piece, count);
            left -= count;
        }
    }

    private static void chunks(BoundedInput in, long most, BodySink sink) throws IOException, HttpFault {
        long left = most;
        while (true) {
            long size = number(line(in).split(";", 2)[0].strip(), 16);
            if (size > left) {
                throw tooLong(most);
            }
            if (size == 0) {
                break;
            }
            left -= size;
            exactly(in, size, sink);
            if (!line(in).isEmpty()) {
                throw new HttpFault(400, "A chunk of the body is longer than it says.");
            }
        }
        int trailers = 0;
        while (!line(in).isEmpty()) {
            if (++trailers > 10) {
                throw new HttpFault(431, "The body has too many trailers.");
            }
        }
    }

    private static String line(BoundedInput in) throws IOException, HttpFault {
        byte @Nullable [] line;
        try {
            line = in.line(MOST_LINE);
        } catch (BoundedInput.TooLong e) {
            throw new HttpFault(400, "The body has a malformed chunk.");
        }
        if (line == null) {
            throw new EOFException("the client went away in the middle of a body");
        }
        return new String(line, StandardCharsets.ISO_8859_1);
    }

    private static long number(String digits, int radix) throws HttpFault {
        String allowed = radix == 10 ? "[0-9]{1,15}" : "[0-9a-f]{1,12}";
        if (!digits.toLowerCase(Locale.ROOT).matches(allowed)) {
            throw new HttpFault(400, "The length of the body is malformed.");
        }
        return Long.parseLong(digits, radix);
    }

    private static HttpFault tooLong(long most) {
        return new HttpFault(413, "A message may have up to " + most + " bytes; this one is longer.");
    }
}
