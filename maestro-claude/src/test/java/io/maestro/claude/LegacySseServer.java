package io.maestro.claude;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** An MCP server of the oldest kind: answers come over one stream of events, requests are posted beside it. One tool: echo. */
final class LegacySseServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String END = "";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    LegacySseServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/sse", this::stream);
        server.createContext("/messages", this::take);
        server.setExecutor(threads);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/sse";
    }

    private void stream(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("GET")) {
            exchange.sendResponseHeaders(405, -1);
            exchange.close();
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            write(out, "endpoint", "/messages");
            for (String answer = answers.take(); !answer.equals(END); answer = answers.take()) {
                write(out, "message", answer);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(OutputStream out, String event, String data) throws IOException {
        out.write(("event: " + event + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private void take(HttpExchange exchange) throws IOException {
        JsonNode request = JSON.readTree(exchange.getRequestBody());
        exchange.sendResponseHeaders(202, -1);
        exchange.close();
        if (!request.has("id")) {
            return;
        }
        answers.add(HandMadeServer.answer(request, "2024-11-05", "echo", call -> "over the old stream")
                .toString());
    }

    @Override
    public void close() {
        answers.add(END);
        server.stop(0);
        threads.shutdownNow();
    }
}
