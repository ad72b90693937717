package io.maestro.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A client that posts each message, in the way of the version that it was answered. */
final class HttpTestClient extends TestClient {
    final List<Integer> statuses = new CopyOnWriteArrayList<>();
    final List<String> types = new CopyOnWriteArrayList<>();
    final List<CompletableFuture<HttpResponse<Stream<String>>>> inFlight = new CopyOnWriteArrayList<>();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI uri;
    private final String token;
    private volatile String session = "";
    private volatile String version = "";

    HttpTestClient(McpEndpoint endpoint) {
        this.uri = URI.create("http://127.0.0.1:" + endpoint.address().getPort() + "/mcp");
        this.token = endpoint.token();
    }

    HttpRequest.Builder request() {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream");
        if (!session.isEmpty()) {
            request.header("Mcp-Session-Id", session).header("MCP-Protocol-Version", version);
        }
        return request;
    }

    @Override
    void send(String text) {
        HttpRequest.Builder request = request();
        JsonNode message = parsed(text);
        if (message.path("params").path("_meta").has("io.modelcontextprotocol/protocolVersion")) {
            request.setHeader("MCP-Protocol-Version", "2026-07-28")
                    .header("Mcp-Method", message.path("method").asText());
            if (message.path("params").has("name")) {
                request.header("Mcp-Name", message.path("params").path("name").asText());
            }
        }
        boolean first = message.path("method").asText().equals("initialize");
        var response = http.sendAsync(
                request.POST(HttpRequest.BodyPublishers.ofString(text)).build(), BodyHandlers.ofLines());
        inFlight.add(response);
        var done = response.thenAcceptAsync(answer -> {
            statuses.add(answer.statusCode());
            types.add(answer.headers().firstValue("Content-Type").orElse(""));
            answer.headers().firstValue("Mcp-Session-Id").ifPresent(id -> session = id);
            answer.body().forEach(line -> {
                String data = line.startsWith("data: ") ? line.substring(6) : line;
                if (data.startsWith("{") || data.startsWith("[")) {
                    JsonNode said = Messages.read(data);
                    if (first) {
                        version = said.path("result").path("protocolVersion").asText(version);
                    }
                    received.add(said);
                }
            });
        });
        if (first || !message.has("id")) {
            done.join();
        }
    }

    /** An empty object for what is no JSON, since that is sent, too. */
    private static JsonNode parsed(String text) {
        try {
            return Messages.MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            return Messages.MAPPER.createObjectNode();
        }
    }

    @Override
    public void close() {
        inFlight.forEach(response -> response.cancel(true));
    }
}
