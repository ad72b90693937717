package io.maestro.mcp.internal;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the bounded body of a request. */
final class HttpBody {
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_LINE = 1024;

    private HttpBody() {}

    static byte[] read(HttpHead head, Inlet in, OutputStream out, int most) throws IOException, HttpFault {
        String coding = head.field("transfer-encoding");
        String length = head.field("content-length");
        if (coding != null && (length != null || !head.chunks() || !coding.equalsIgnoreCase("chunked"))) {
            throw new HttpFault(400, "The length of the request is given in a way that is not understood.");
        }
        long size = length == null ? 0 : number(length, 10);
        if (size > most) {
            throw tooLong(most);
        }
        if ("100-continue".equalsIgnoreCase(head.field("expect"))) {
            out.write(GO_ON);
            out.flush();
        }
        return coding == null ? exactly(in, (int) size) : chunks(in, most);
    }

    /** Whether there is anything to read. */
    static boolean isThere(HttpHead head) {
        return head.fields().containsKey("transfer-encoding")
                || !head.fields().getOrDefault("content-length", List.of("0")).equals(List.of("0"));
    }

    private static byte[] exactly(Inlet in, int size) throws IOException {
        byte[] body = new byte[size];
        if (!in.read(body, 0, size)) {
            throw new EOFException("the client went away in the middle of a body");
        }
        return body;
    }

    private static byte[] chunks(Inlet in, int most) throws IOException, HttpFault {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            long size = number(line(in).split(";", 2)[0].strip(), 16);
            if (size > most - body.size()) {
                throw tooLong(most);
            }
            if (size == 0) {
                break;
            }
            body.writeBytes(exactly(in, (int) size));
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
        return body.toByteArray();
    }

    private static String line(Inlet in) throws IOException, HttpFault {
        byte @Nullable [] line;
        try {
            line = in.line(MOST_LINE);
        } catch (Inlet.TooLong e) {
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

    private static HttpFault tooLong(int most) {
        return new HttpFault(413, "A message may have up to " + most + " bytes; this one is longer.");
    }
}
