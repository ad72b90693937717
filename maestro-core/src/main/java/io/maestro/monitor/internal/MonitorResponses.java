package io.maestro.monitor.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** How requests are answered: nothing is kept, framed, guessed, or loaded from elsewhere. */
final class MonitorResponses {
    static final ObjectMapper JSON = new ObjectMapper();

    /** Smaller ones are faster as they are. */
    private static final int WORTH_PACKING = 20_000;

    private MonitorResponses() {}

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

    static void headers(Exchange exchange, String type) {
        Map<String, String> headers = exchange.answerFields();
        headers.put("Content-Type", type);
        headers.put("Cache-Control", "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("X-Frame-Options", "DENY");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        headers.put("Cross-Origin-Opener-Policy", "same-origin");
        headers.put(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    }

    /** A report has its own policy, by hashes. */
    static void sendReport(Exchange exchange, byte[] body) throws IOException {
        headers(exchange, "text/html; charset=utf-8");
        exchange.answerFields().remove("Content-Security-Policy");
        write(exchange, 200, body);
    }

    static void send(Exchange exchange, int status, String type, byte[] body) throws IOException {
        headers(exchange, type);
        write(exchange, status, body);
    }

    private static void write(Exchange exchange, int status, byte[] body) throws IOException {
        byte[] sent = body;
        if (body.length >= WORTH_PACKING
                && exchange.fields("accept-encoding").stream().anyMatch(packings -> packings.contains("gzip"))) {
            exchange.answerFields().put("Content-Encoding", "gzip");
            sent = packed(body);
        }
        exchange.send(status, sent);
    }

    private static byte[] packed(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(body);
        }
        return bytes.toByteArray();
    }

    static void json(Exchange exchange, int status, JsonNode json) throws IOException {
        send(exchange, status, "application/json", bytes(json));
    }
}
