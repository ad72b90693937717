package io.maestro.web.internal;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * What a server answers to a GET: read over a connection that is used for nothing else, with limits on all parts.
 */
final class WebResponse {
    /** How many bytes of a body are kept, unpacked. */
    static final int MOST_BYTES = 4 * 1024 * 1024;

    private static final int MOST_HEAD = 64 * 1024;
    private static final int MOST_INTERIM = 5;

    private final int status;
    private final Map<String, String> headers;
    private final InputStream in;

    private WebResponse(int status, Map<String, String> headers, InputStream in) {
        this.status = status;
        this.headers = headers;
        this.in = in;
    }

    /** A body, or its beginning. */
    static final class Body {
        private final byte[] bytes;
        private final boolean cut;

        Body(byte[] bytes, boolean cut) {
            this.bytes = bytes;
            this.cut = cut;
        }

        /** At most {@link #MOST_BYTES}; not a copy. */
        byte[] bytes() {
            return bytes;
        }

        /** Whether there was more. */
        boolean cut() {
            return cut;
        }
    }

    /**
     * Asks for a page and reads the head of the answer.
     *
     * @throws IOException when the connection fails, or what comes is no answer in HTTP, or has too long a head
     */
    static WebResponse of(Socket socket, WebUrl url) throws IOException {
        String request = "GET " + url.target() + " HTTP/1.1\r\n"
                + "Host: " + url.authority() + "\r\n"
                + "User-Agent: Maestro (web_fetch)\r\n"
                + "Accept: text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5\r\n"
                + "Accept-Encoding: gzip\r\n"
                + "Connection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        InputStream in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
        WebResponse answer = head(in);
        for (int i = 0; i < MOST_INTERIM && answer.status / 100 == 1; i++) {
            answer = head(in);
        }
        return answer;
    }

    private static WebResponse head(InputStream in) throws IOException {
        ResponseLines lines = new ResponseLines(in, MOST_HEAD);
        String first = lines.next();
        if (!first.matches("HTTP/1\\.[01] [1-9][0-9]{2}(?: .*)?")) {
            throw new IOException("the server does not answer in HTTP/1.1");
        }
        Map<String, String> headers = new HashMap<>();
        for (String line = lines.next(); !line.isEmpty(); line = lines.next()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
                headers.putIfAbsent(name, line.substring(colon + 1).strip());
            }
        }
        return new WebResponse(Integer.parseInt(first.substring(9, 12)), headers, in);
    }

    int status() {
        return status;
    }

    /** A header; empty when there is none, or it is blank. */
    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name)).filter(value -> !value.isBlank());
    }

    /** Where a redirect leads; empty when the answer is none. */
    Optional<String> location() {
        boolean redirects = status >= 301 && status <= 303 || status == 307 || status == 308;
        // Some servers write UTF-8 there.
        return redirects
                ? header("location")
                        .map(value -> new String(value.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /**
     * Reads the body, unpacked, up to the limit.
     *
     * @throws IOException when the connection fails, the body ends before its end, or cannot be unpacked
     */
    Body body() throws IOException {
        if (status == 204 || status == 205 || status == 304) {
            return new Body(new byte[0], false);
        }
        InputStream framed = framed();
        String encoding = header("content-encoding").orElse("identity").toLowerCase(Locale.ROOT);
        InputStream plain = switch (encoding) {
            case "identity" -> framed;
            case "gzip", "x-gzip" -> new GZIPInputStream(framed);
            default ->
                throw new IOException(
                        "the server has packed the page in a way that was not asked for: '" + shown(encoding) + "'");
        };
        byte[] bytes = plain.readNBytes(MOST_BYTES);
        return new Body(bytes, bytes.length == MOST_BYTES && plain.read() >= 0);
    }

    /** How long the body says it is. */
    Optional<String> declaredLength() {
        return header("content-length").filter(length -> length.matches("[0-9]{1,18}"));
    }

    private InputStream framed() throws IOException {
        if (header("transfer-encoding").isPresent()) {
            String encoding = header("transfer-encoding").get();
            if (!encoding.equalsIgnoreCase("chunked")) {
                throw new IOException(
                        "the server sends the page in a way that is not known: '" + shown(encoding) + "'");
            }
            return new ChunkedBody(in);
        }
        if (header("content-length").isEmpty()) {
            return in;
        }
        long length = declaredLength()
                .map(Long::parseLong)
                .orElseThrow(() -> new IOException("the server's answer has a length that is none"));
        return new SizedBody(in, length);
    }

    private static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "…";
    }

    /** Reads lines, all together within a limit. */
    static final class ResponseLines {
        private final InputStream in;
        private int left;

        ResponseLines(InputStream in, int most) {
            this.in = in;
            this.left = most;
        }

        /** A line without its end. */
        String next() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (true) {
                int c = in.read();
                if (c < 0) {
                    throw new EOFException("the connection ended in the middle of the answer");
                }
                if (--left < 0) {
                    throw new IOException("the head of the server's answer is too long");
                }
                if (c == '\n') {
                    String text = line.toString(StandardCharsets.ISO_8859_1);
                    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
                }
                line.write(c);
            }
        }
    }

    /** A body of a length that is known: an end before that is an error. */
    private static final class SizedBody extends InputStream {
        private final InputStream in;
        private long left;

        SizedBody(InputStream in, long length) {
            this.in = in;
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (left == 0) {
                return -1;
            }
            int count = in.read(bytes, from, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the connection ended in the middle of the page");
            }
            left -= count;
            return count;
        }
    }

    /** A body in chunks. */
    private static final class ChunkedBody extends InputStream {
        private static final int MOST_LINE = 4096;

        private final InputStream in;
        private InputStream chunk = InputStream.nullInputStream();
        private boolean begun;
        private boolean ended;

        ChunkedBody(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (!ended) {
                int count = chunk.read(bytes, from, length);
                if (count >= 0) {
                    return count;
                }
                next();
            }
            return -1;
        }

        private void next() throws IOException {
            ResponseLines lines = new ResponseLines(in, MOST_LINE);
            if (begun && !lines.next().isEmpty()) {
                throw new IOException("the server's answer has a chunk that does not end where it says");
            }
            String size = lines.next().replaceFirst("[ \t]*;.*", "").strip();
            if (!size.matches("[0-9A-Fa-f]{1,15}")) {
                throw new IOException("the server's answer has a chunk without a size");
            }
            begun = true;
            long length = Long.parseLong(size, 16);
            ended = length == 0;
            chunk = new SizedBody(in, length);
        }
    }
}
