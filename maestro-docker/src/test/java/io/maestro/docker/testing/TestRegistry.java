package io.maestro.docker.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A registry of images on this machine, from which can be pulled: engines ask one on a loopback address without TLS. It speaks
 * as much of the <a href="https://distribution.github.io/distribution/spec/api/">HTTP API V2</a> as that takes.
 */
public final class TestRegistry implements AutoCloseable {
    private static final String TYPES = "application/vnd.docker.";

    private final HttpServer server;
    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, byte[]> manifests = new ConcurrentHashMap<>();
    private final Map<String, Path> blobs = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile int refusal;

    /** Starts it, without images. */
    public TestRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.createContext("/v2/", this::answer);
        server.start();
    }

    /** The name by which an image of it is pulled, whether it is there or not. */
    public String name(String image) {
        return "127.0.0.1:" + server.getAddress().getPort() + "/" + image;
    }

    /** What it was asked for. */
    public List<String> asked() {
        return List.copyOf(asked);
    }

    /** Answers everything with a status from now on. */
    public void refuse(int status) {
        refusal = status;
    }

    /**
     * Takes an image of an engine.
     *
     * @param archive what {@code docker save} has written, unpacked; stays as long as this
     * @param name for example {@code app:1}
     */
    public void add(Path archive, String name) throws Exception {
        JsonNode saved =
                json.readTree(archive.resolve("manifest.json").toFile()).get(0);
        ObjectNode manifest = json.createObjectNode().put("schemaVersion", 2);
        manifest.put("mediaType", TYPES + "distribution.manifest.v2+json");
        manifest.set("config", blob(archive.resolve(saved.path("Config").asText()), "container.image.v1+json"));
        ArrayNode layers = manifest.putArray("layers");
        for (JsonNode layer : saved.path("Layers")) {
            // Engines look for themselves whether it is compressed.
            layers.add(blob(archive.resolve(layer.asText()), "image.rootfs.diff.tar.gzip"));
        }
        int colon = name.indexOf(':');
        byte[] bytes = json.writeValueAsBytes(manifest);
        String path = "/v2/" + name.substring(0, colon) + "/manifests/";
        manifests.put(path + name.substring(colon + 1), bytes);
        manifests.put(path + digest(MessageDigest.getInstance("SHA-256").digest(bytes)), bytes);
    }

    private ObjectNode blob(Path file, String type) throws Exception {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha)) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        String digest = digest(sha.digest());
        blobs.put(digest, file);
        return json.createObjectNode()
                .put("mediaType", TYPES + type)
                .put("size", Files.size(file))
                .put("digest", digest);
    }

    private static String digest(byte[] sha) {
        return "sha256:" + HexFormat.of().formatHex(sha);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            asked.add(path);
            byte[] manifest = manifests.get(path);
            Path blob = blobs.get(path.substring(path.lastIndexOf('/') + 1));
            if (refusal != 0) {
                exchange.sendResponseHeaders(refusal, -1);
            } else if (path.equals("/v2/")) {
                exchange.sendResponseHeaders(200, -1);
            } else if (manifest != null) {
                exchange.getResponseHeaders().set("Content-Type", TYPES + "distribution.manifest.v2+json");
                send(exchange, manifest.length, () -> new java.io.ByteArrayInputStream(manifest));
            } else if (blob != null) {
                send(exchange, Files.size(blob), () -> Files.newInputStream(blob));
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
        }
    }

    /** Opens what is sent. */
    private interface Content {
        InputStream open() throws IOException;
    }

    private static void send(HttpExchange exchange, long length, Content content) throws IOException {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        if (head) {
            exchange.getResponseHeaders().set("Content-Length", Long.toString(length));
        }
        exchange.sendResponseHeaders(200, head ? -1 : length);
        if (!head) {
            try (InputStream in = content.open()) {
                in.transferTo(exchange.getResponseBody());
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
