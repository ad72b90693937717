package io.maestro.claude.internal.install;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;

/** An npm registry with the native packages, whose program is a script. */
final class StubRegistry implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    final List<String> asked = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private final byte[] tarball;
    private final String sum;

    /** What it serves has this sum; null for the right one. */
    StubRegistry(InetAddress address, String program, String wrongSum) throws IOException {
        tarball = tarball(Map.of(
                "package/package.json",
                "{\"name\":\"@anthropic-ai/claude-code-linux-x64\",\"version\":\"2.1.197\"}",
                "package/claude",
                program));
        sum = wrongSum == null ? sum(tarball) : wrongSum;
        server = HttpServer.create(new InetSocketAddress(address, 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    URI address() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/npm/");
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            asked.add(path);
            String lower = path.toLowerCase(Locale.ROOT);
            if (path.endsWith(".tgz")) {
                exchange.sendResponseHeaders(200, tarball.length);
                exchange.getResponseBody().write(tarball);
            } else if (lower.startsWith("/npm/@anthropic-ai%2fclaude-code-linux-x64")) {
                String name = "@anthropic-ai/claude-code-linux-x64";
                Map<String, Object> version = Map.of(
                        "name",
                        name,
                        "version",
                        "2.1.197",
                        "dist",
                        Map.of("tarball", address() + name + "/-/x-2.1.197.tgz", "integrity", sum));
                Object about = lower.endsWith("/2.1.197")
                        ? version
                        : Map.of(
                                "name",
                                name,
                                "dist-tags",
                                Map.of("latest", "2.1.197"),
                                "versions",
                                Map.of("2.1.197", version));
                byte[] body = JSON.writeValueAsString(about).getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
        }
    }

    private static String sum(byte[] bytes) {
        try {
            return "sha512-"
                    + Base64.getEncoder()
                            .encodeToString(MessageDigest.getInstance("SHA-512").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In the ustar format. */
    private static byte[] tarball(Map<String, String> files) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                byte[] content = file.getValue().getBytes(StandardCharsets.UTF_8);
                byte[] header = new byte[512];
                put(header, 0, file.getKey());
                put(header, 100, "0000755\0");
                put(header, 108, "0000000\0");
                put(header, 116, "0000000\0");
                put(header, 124, String.format("%011o ", content.length));
                put(header, 136, "00000000000 ");
                put(header, 148, "        ");
                put(header, 156, "0");
                put(header, 257, "ustar\00000");
                int check = 0;
                for (byte b : header) {
                    check += b & 0xff;
                }
                put(header, 148, String.format("%06o\0 ", check));
                out.write(header);
                out.write(content);
                out.write(new byte[(512 - content.length % 512) % 512]);
            }
            out.write(new byte[1024]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
