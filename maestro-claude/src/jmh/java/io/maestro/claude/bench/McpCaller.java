package io.maestro.claude.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** A client with one connection, which stays open. Knows as little of the protocol as will do, to take little time itself. */
abstract class McpCaller implements AutoCloseable {
    /** What all say that they speak. */
    static final String VERSION = "2025-11-25";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> HARD = List.of("", "\"\\\n\t", "äöü \u2028 \ud83d\ude00", "x".repeat(20_000));

    final Socket socket;
    final InputStream in;
    final OutputStream out;
    private int id;

    McpCaller(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        // A server that does not answer must not hold the benchmark up for ever.
        socket.setSoTimeout(30_000);
        in = new BufferedInputStream(socket.getInputStream(), 16_384);
        out = socket.getOutputStream();
    }

    /** Sends a message. */
    abstract void send(String message) throws IOException;

    /** The answer to the last request, as JSON. */
    abstract String answer() throws IOException;

    /** What a notification is answered with. */
    abstract void acknowledged() throws IOException;

    final void begin() throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"" + VERSION
                + "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}");
        String begun = answer();
        if (!begun.contains("\"protocolVersion\":\"" + VERSION + "\"")) {
            throw new IOException("another version, or an error: " + begun);
        }
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        acknowledged();
    }

    /** One call; fails when the answer is not the one to it. */
    final void callOnce() throws IOException {
        int number = ++id;
        send("{\"jsonrpc\":\"2.0\",\"id\":" + number
                + ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"call " + number
                + "\"}}}");
        String answer = answer();
        if (!answer.contains("\"echo: call " + number + "\"")) {
            throw new IOException("a wrong answer to call " + number + ": " + answer);
        }
    }

    /** Texts that are hard to get right must come back in the same result from every server. */
    final void mustAnswerRightly(Random random) throws IOException {
        for (int i = 0; i < 100; i++) {
            String text = i < HARD.size() ? HARD.get(i) : Long.toString(random.nextLong(), 36);
            int number = ++id;
            send("{\"jsonrpc\":\"2.0\",\"id\":" + number
                    + ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":"
                    + JSON.createObjectNode().put("text", text) + "}}");
            JsonNode answer = JSON.readTree(answer());
            JsonNode content = answer.path("result").path("content");
            boolean right = answer.path("id").asInt(-1) == number
                    && !answer.path("result").path("isError").asBoolean()
                    && content.size() == 1
                    && content.path(0).path("type").asText().equals("text")
                    && content.path(0).path("text").asText().equals("echo: " + text);
            if (!right) {
                throw new IOException("a wrong answer to " + text + ": " + answer);
            }
        }
    }

    /** A line without its end. */
    final String line() throws IOException {
        byte[] line = new byte[128];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has ended the connection");
            }
            if (length == line.length) {
                line = java.util.Arrays.copyOf(line, length * 2);
            }
            line[length++] = (byte) next;
        }
        int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
        return new String(line, 0, end, StandardCharsets.UTF_8);
    }

    @Override
    public final void close() throws IOException {
        socket.close();
    }
}
