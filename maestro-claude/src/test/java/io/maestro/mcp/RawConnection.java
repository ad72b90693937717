package io.maestro.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection on which a test sends whatever it likes. */
final class RawConnection implements AutoCloseable {
    private final Socket socket;

    RawConnection(McpEndpoint endpoint) throws IOException {
        this.socket =
                new Socket(endpoint.address().getAddress(), endpoint.address().getPort());
        socket.setSoTimeout(30_000);
    }

    /** The head of a good request; the lines that are given come before the empty one. */
    static String head(McpEndpoint endpoint, String method, String... more) {
        return method + " /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + endpoint.token()
                + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                + String.join(
                        "",
                        java.util.Arrays.stream(more).map(line -> line + "\r\n").toList());
    }

    static String post(McpEndpoint endpoint, String body, String... more) {
        return head(endpoint, "POST", more) + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body;
    }

    RawConnection send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawConnection send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** Sends what the server may not want to read to its end. */
    RawConnection sendAnyway(byte[] bytes) {
        try {
            return send(bytes);
        } catch (IOException e) {
            return this;
        }
    }

    /** One answer: its head, and its body as long as the head says. */
    String answer() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                return head.toString();
            }
            head.append((char) c);
        }
        int length = head.toString()
                .lines()
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToInt(line -> Integer.parseInt(line.substring(16)))
                .findFirst()
                .orElse(0);
        byte[] body = socket.getInputStream().readNBytes(length);
        return head + new String(body, StandardCharsets.UTF_8);
    }

    /** Everything up to a text. */
    String until(String text) throws IOException {
        StringBuilder all = new StringBuilder();
        while (all.indexOf(text) < 0) {
            int c = socket.getInputStream().read();
            if (c < 0) {
                throw new IOException("ended after " + all);
            }
            all.append((char) c);
        }
        return all.toString();
    }

    /** Everything until the server ends the connection, which it must. */
    String rest() throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the server keeps the connection after " + all, e);
        } catch (IOException e) {
            // A reset ends it, too.
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    /** Ends the connection without a farewell. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
