package io.maestro.monitor.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/** How requests are answered: nothing is kept, framed, guessed, or loaded from elsewhere. */
final class Answers {
    static final ObjectMapper JSON = new ObjectMapper();

    /** Smaller ones are faster as they are. */
    private static final int WORTH_PACKING = 20_000;

    private Answers() {}

    static JsonNode tree(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            // The figures that are in it are not shown.
            return JSON.createObjectNode();
        }
    }

    static byte[] bytes(JsonNode json) {
        try {
            return JSON.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON can be written", e);
        }
    }

    static void headers(HttpExchange exchange, String type) {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    }

    /** A report has its own policy, by hashes. */
    static void sendReport(HttpExchange exchange, byte[] body) throws IOException {
        headers(exchange, "text/html; charset=utf-8");
        exchange.getResponseHeaders().remove("Content-Security-Policy");
        write(exchange, 200, body);
    }

    static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        headers(exchange, type);
        write(exchange, status, body);
    }

    private static void write(HttpExchange exchange, int status, byte[] body) throws IOException {
        byte[] sent = body;
        String packings = exchange.getRequestHeaders().getFirst("Accept-Encoding");
        if (body.length >= WORTH_PACKING && packings != null && packings.contains("gzip")) {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            sent = packed(body);
        }
        exchange.sendResponseHeaders(status, sent.length == 0 ? -1 : sent.length);
        if (sent.length > 0) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(sent);
            }
        }
    }

    private static byte[] packed(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(body);
        }
        return bytes.toByteArray();
    }

    static void json(HttpExchange exchange, int status, JsonNode json) throws IOException {
        send(exchange, status, "application/json", bytes(json));
    }
}
