package io.maestro.docker.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Labels;
import io.maestro.exec.ExecResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Removes all that an instance has left on an engine, without the code under test. Every test does it, so docker is asked over
 * its socket, which takes a twentieth of the time of a client.
 */
public final class Leavings {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Asked for once; empty when the engine has none on this machine. */
    private static final Optional<String> SOCKET = socket();

    private Leavings() {}

    private static Optional<String> socket() {
        ExecResult endpoint =
                new DockerCli(DockerHost.local()).run("context", "inspect", "--format", "{{.Endpoints.docker.Host}}");
        String address = endpoint.stdout().text().strip();
        return endpoint.succeeded() && address.startsWith("unix://")
                ? Optional.of(address.substring("unix://".length()))
                : Optional.empty();
    }

    /** Containers first, which use the others. */
    public static void remove(DockerCli cli, String instance) {
        for (List<String> kind : List.of(
                List.of("container", "rm", "--force", "--volumes"),
                List.of("volume", "rm", "--force"),
                List.of("network", "rm"),
                List.of("image", "rm", "--force"))) {
            for (String id : find(cli, kind.get(0), instance)) {
                List<String> words = new ArrayList<>(kind);
                words.add(id);
                cli.run(words.toArray(String[]::new));
            }
        }
    }

    /**
     * The full ids of what an instance has, of volumes the names.
     *
     * @param kind {@code container}, {@code image}, {@code volume} or {@code network}
     */
    public static List<String> find(DockerCli cli, String kind, String instance) {
        return find(cli, kind, "label", (kind.equals("image") ? Labels.BUILT_BY : Labels.INSTANCE) + "=" + instance);
    }

    /**
     * The same of what a filter lets through.
     *
     * @param filter for example {@code label} or {@code name}
     */
    public static List<String> find(DockerCli cli, String kind, String filter, String value) {
        if (!cli.host().equals(DockerHost.local()) || SOCKET.isEmpty()) {
            return listed(cli, kind, filter + "=" + value);
        }
        return asked(
                SOCKET.get(),
                switch (kind) {
                    case "container" -> "containers/json?all=true&";
                    case "image" -> "images/json?";
                    default -> kind + "s?";
                },
                "{\"" + filter + "\":[\"" + value + "\"]}");
    }

    private static List<String> asked(String socket, String path, String filter) {
        String filters = URLEncoder.encode(filter, StandardCharsets.UTF_8);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteBuffer request =
                    StandardCharsets.US_ASCII.encode("GET /" + path + "filters=" + filters + " HTTP/1.0\r\n\r\n");
            while (request.hasRemaining()) {
                channel.write(request);
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer buffer = ByteBuffer.allocate(65_536);
            while (channel.read(buffer) >= 0) {
                answer.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
            String text = answer.toString(StandardCharsets.UTF_8);
            int body = text.indexOf("\r\n\r\n");
            if (body < 0 || !text.startsWith("HTTP/1.0 200")) {
                throw new AssertionError("the engine answered " + text);
            }
            List<String> ids = new ArrayList<>();
            JsonNode found = JSON.readTree(text.substring(body));
            (found.has("Volumes") ? found.path("Volumes") : found)
                    .forEach(object -> ids.add(
                            object.path(object.has("Id") ? "Id" : "Name").asText()));
            return ids;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Podman's list of images fails when another test removes one meanwhile. */
    private static List<String> listed(DockerCli cli, String what, String filter) {
        List<String> words = new ArrayList<>(List.of(what, "ls", "--quiet", "--filter", filter));
        if (what.equals("container")) {
            words.add("--all");
        }
        if (!what.equals("volume")) {
            words.add("--no-trunc");
        }
        for (int left = 100; ; left--) {
            ExecResult result = cli.run(words.toArray(String[]::new));
            if (result.succeeded()) {
                return result.stdout()
                        .text()
                        .lines()
                        .map(String::strip)
                        .distinct()
                        .toList();
            }
            if (left == 0) {
                throw new AssertionError(result.stderr().text());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }
}
