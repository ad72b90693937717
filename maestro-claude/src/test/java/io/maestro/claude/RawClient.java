package io.maestro.claude;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A plain HTTP client for both ways into a gateway, which shows all that it gets. */
final class RawClient {
    /** An answer; {@code whole} is false when it ended without its proper end. */
    record Response(int status, Map<String, String> headers, String body, boolean whole) {}

    private RawClient() {}

    static SocketChannel connect(ApiAccess access) throws IOException {
        if (access.socket().isPresent()) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(access.socket().get()));
            return channel;
        }
        URI uri = URI.create(access.baseUrl());
        return SocketChannel.open(new InetSocketAddress(uri.getHost(), uri.getPort()));
    }

    /** A turn of the CLI. */
    static Response message(ApiAccess access, boolean stream) throws IOException {
        return send(
                access,
                "POST /v1/messages?beta=true",
                "x-api-key: " + access.key() + "\r\ncontent-type: application/json\r\n",
                body(stream));
    }

    /** As little as the API takes. */
    static String body(boolean stream) {
        return "{\"model\":\"claude-test-1\",\"max_tokens\":1000,\"messages\":[]"
                + (stream ? ",\"stream\":true}" : "}");
    }

    /** A request of this many bytes. */
    static String bodyOf(int bytes) {
        String start = body(false);
        return start.substring(0, start.length() - 1) + ",\"metadata\":\"" + "x".repeat(bytes - start.length() - 14)
                + "\"}";
    }

    static Response send(ApiAccess access, String target, String headers, String body) throws IOException {
        try (SocketChannel channel = connect(access)) {
            write(channel, request(target, headers, body));
            return read(channel);
        }
    }

    static byte[] request(String target, String headers, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = target + " HTTP/1.1\r\nHost: localhost\r\n" + headers
                + (target.startsWith("POST") ? "Content-Length: " + bytes.length + "\r\n" : "") + "\r\n";
        byte[] headBytes = head.getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(headBytes, headBytes.length + bytes.length);
        System.arraycopy(bytes, 0, all, headBytes.length, bytes.length);
        return all;
    }

    static void write(SocketChannel channel, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** Reads until the gateway ends its side. */
    static Response read(SocketChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        try {
            while (channel.read(buffer) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        } catch (IOException e) {
            // Reset: what has come counts.
        }
        return parse(all.toString(StandardCharsets.ISO_8859_1));
    }

    /** Reads until a text has come; fails when the other side ends first. */
    static String readUntil(SocketChannel channel, String text) throws IOException {
        StringBuilder all = new StringBuilder();
        ByteBuffer buffer = ByteBuffer.allocate(1024);
        while (all.indexOf(text) < 0) {
            if (channel.read(buffer) < 0) {
                throw new AssertionError("ended before '" + text + "' after: " + all);
            }
            all.append(new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1));
            buffer.clear();
        }
        return all.toString();
    }

    private static Response parse(String text) {
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Response(0, Map.of(), text, false);
        }
        String[] lines = text.substring(0, end).split("\r\n");
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.put(
                    lines[i].substring(0, colon), lines[i].substring(colon + 1).strip());
        }
        int status = Integer.parseInt(lines[0].split(" ")[1]);
        String body = text.substring(end + 4);
        if (!headers.containsKey("Transfer-Encoding")) {
            int length = Integer.parseInt(headers.getOrDefault("Content-Length", "0"));
            return new Response(status, headers, body, body.length() == length);
        }
        StringBuilder joined = new StringBuilder();
        int position = 0;
        while (true) {
            int line = body.indexOf("\r\n", position);
            if (line < 0) {
                return new Response(status, headers, joined.toString(), false);
            }
            int size = Integer.parseInt(body.substring(position, line), 16);
            if (size == 0) {
                return new Response(status, headers, joined.toString(), true);
            }
            joined.append(body, line + 2, Math.min(body.length(), line + 2 + size));
            position = Math.min(body.length(), line + 2 + size + 2);
        }
    }
}
