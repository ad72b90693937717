package io.maestro.claude.internal.gateway;

import io.maestro.wire.internal.HttpHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The answer to a client, after which its connection is closed. For one thread. */
final class Reply {
    private final OutputStream out;
    private boolean headOnly;
    private boolean chunks;

    Reply(OutputStream out) {
        this.out = out;
    }

    /** What the client can read. */
    void suit(HttpHead head) {
        headOnly = head.method().equals("HEAD");
        chunks = head.chunks();
    }

    void send(Answer answer) throws IOException {
        byte[] body = answer.body();
        Map<String, List<String>> fields = new TreeMap<>();
        fields.put("Content-Type", List.of("application/json"));
        fields.put("X-Should-Retry", List.of(String.valueOf(answer.again())));
        fields.put("Content-Length", List.of(String.valueOf(body.length)));
        write(head(answer.status(), fields), headOnly ? new byte[0] : body);
    }

    /** An answer without a body. */
    void empty(int status) throws IOException {
        write(head(status, Map.of("Content-Length", List.of("0"))));
    }

    /** The head of an answer whose body comes in pieces. */
    void begin(int status, Map<String, List<String>> fields) throws IOException {
        Map<String, List<String>> all = new TreeMap<>(fields);
        if (chunks) {
            all.put("Transfer-Encoding", List.of("chunked"));
        }
        write(head(status, all));
    }

    /** A piece of the body, which goes out at once. */
    void piece(byte[] bytes) throws IOException {
        if (bytes.length > 0) {
            write(framed(bytes));
        }
    }

    /** The body is whole. */
    void end() throws IOException {
        if (chunks) {
            write(framed(new byte[0]));
        }
    }

    private byte[] framed(byte[] bytes) {
        if (!chunks) {
            return bytes;
        }
        ByteArrayOutputStream framed = new ByteArrayOutputStream(bytes.length + 16);
        framed.writeBytes((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        framed.writeBytes(bytes);
        framed.writeBytes(new byte[] {'\r', '\n'});
        return framed.toByteArray();
    }

    private static byte[] head(int status, Map<String, List<String>> fields) {
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(" \r\nConnection: close\r\n");
        fields.forEach((name, values) -> values.forEach(
                value -> head.append(name).append(": ").append(value).append("\r\n")));
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** What belongs together goes out in one write. */
    private void write(byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        out.write(all.toByteArray());
    }
}
