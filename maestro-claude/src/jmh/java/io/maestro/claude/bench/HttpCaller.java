package io.maestro.claude.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Each message is a POST on the same connection; the answer is JSON or a stream of events. */
final class HttpCaller extends McpCaller {
    private final String head;
    private String session = "";
    private boolean events;

    HttpCaller(int port, String token) throws IOException {
        super(port);
        head = "POST /mcp HTTP/1.1\r\nHost: localhost:" + port + "\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                + "MCP-Protocol-Version: " + VERSION + "\r\n";
    }

    @Override
    void send(String message) throws IOException {
        byte[] body = message.getBytes(StandardCharsets.UTF_8);
        byte[] start =
                (head + session + "Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[start.length + body.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        out.write(all);
    }

    @Override
    String answer() throws IOException {
        String body = body();
        if (!events) {
            return body;
        }
        for (String line : body.split("\n")) {
            if (line.startsWith("data:") && line.contains("\"jsonrpc\"")) {
                return line.substring("data:".length());
            }
        }
        throw new IOException("a stream without an answer: " + body);
    }

    @Override
    void acknowledged() throws IOException {
        String unused = body();
        assert unused.isEmpty();
    }

    private String body() throws IOException {
        String status = line();
        if (!status.startsWith("HTTP/1.1 20")) {
            throw new IOException(status);
        }
        int length = 0;
        boolean chunks = false;
        events = false;
        for (String field = line(); !field.isEmpty(); field = line()) {
            int colon = field.indexOf(':');
            String value = field.substring(colon + 1).strip();
            switch (field.substring(0, colon).toLowerCase(Locale.ROOT)) {
                case "content-length" -> length = Integer.parseInt(value);
                case "transfer-encoding" -> chunks = value.equalsIgnoreCase("chunked");
                case "content-type" -> events = value.startsWith("text/event-stream");
                case "mcp-session-id" -> session = "Mcp-Session-Id: " + value + "\r\n";
                case "connection" -> {
                    if (value.equalsIgnoreCase("close")) {
                        throw new IOException("the server ends the connection after " + status);
                    }
                }
                default -> {
                    // Nothing that matters here.
                }
            }
        }
        if (!chunks) {
            return new String(in.readNBytes(length), StandardCharsets.UTF_8);
        }
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            all.writeBytes(in.readNBytes(size));
            line();
        }
        line();
        return all.toString(StandardCharsets.UTF_8);
    }
}
