package io.maestro.docker.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.internal.DockerCli;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
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

    /** With what a ClientHello begins; an engine tries that first, and waits for ten seconds where nobody hangs up. */
    private static final int TLS = 0x16;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, byte[]> manifests = new ConcurrentHashMap<>();
    private final Map<String, Path> blobs = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile int refusal;

    /** Starts it, without images. */
    public TestRegistry() throws IOException {
        new Thread(this::accept, "registry").start();
    }

    /** The name by which an image of it is pulled, whether it is there or not. */
    public String name(String image) {
        return "127.0.0.1:" + server.getLocalPort() + "/" + image;
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
     * @param name for example {@code app:1}
     * @param archive a directory to be made; stays as long as this
     */
    public void publish(DockerCli cli, String image, String name, Path archive) throws Exception {
        Files.createDirectory(archive);
        cli.output("save", "--output", archive + ".tar", image);
        Process tar = new ProcessBuilder("tar", "-xf", archive + ".tar", "-C", archive.toString())
                .inheritIO()
                .start();
        if (tar.waitFor() != 0) {
            throw new IOException("tar cannot unpack " + archive + ".tar");
        }
        add(archive, name);
    }

    /**
     * Takes an image of an engine.
     *
     * @param archive what {@code docker save} has written, unpacked; stays as long as this
     * @param name for example {@code app:1}
     */
    private void add(Path archive, String name) throws Exception {
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
            in.transferTo(OutputStream.nullOutputStream());
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

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                new Thread(() -> answer(client), "registry").start();
            } catch (IOException e) {
                // Closed.
            }
        }
    }

    private void answer(Socket client) {
        try (client) {
            client.setSoTimeout(30_000);
            InputStream in = new BufferedInputStream(client.getInputStream());
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0 || head.length() == 0 && next == TLS) {
                    return;
                }
                head.append((char) next);
            }
            String[] request = head.substring(0, head.indexOf("\r")).split(" ");
            answer(request[0], request[1], client.getOutputStream());
        } catch (IOException e) {
            System.out.println("registry: " + e);
        }
    }

    private void answer(String method, String path, OutputStream out) throws IOException {
        asked.add(path);
        byte[] manifest = manifests.get(path);
        Path blob = blobs.get(path.substring(path.lastIndexOf('/') + 1));
        byte[] body = refusal == 0 && manifest != null ? manifest : new byte[0];
        if (refusal == 0 && manifest == null && blob != null) {
            body = Files.readAllBytes(blob);
        }
        int status = refusal != 0 ? refusal : path.equals("/v2/") || body.length > 0 ? 200 : 404;
        out.write(("HTTP/1.1 " + status + " Said\r\nConnection: close\r\nContent-Type: " + TYPES
                        + "distribution.manifest.v2+json\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        if (method.equals("GET")) {
            out.write(body);
        }
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
