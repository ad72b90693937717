package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Equipment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.testing.Full;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program of an agent has in its containers beside the workspace. The user is none of this machine. */
abstract class EquipmentContract {
    static final String USER = "1234:1235";
    static final Equipment KEEPS = new Equipment(true, Optional.empty(), false);
    static final Equipment REACHES = new Equipment(false, Optional.empty(), true);

    @TempDir
    Path parent;

    TestImages images;
    String base;
    Bench bench;

    abstract TestImages images();

    @BeforeEach
    void open() throws IOException {
        images = images();
        base = images.base();
        bench = new Bench(Files.createTempDirectory(parent, "project").toRealPath(), images, base);
        TestEngine.chown(bench.workspace, 1234, 1235);
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(bench.directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    DockerProject life(Object... settings) {
        Map<String, Object> all = new LinkedHashMap<>(Map.of("user", USER, "read_only_root", true));
        for (int i = 0; i < settings.length; i += 2) {
            all.put((String) settings[i], settings[i + 1]);
        }
        return bench.open(all);
    }

    static StoryEnvironment entered(DockerProject project, Workplace place, Phase phase) {
        StoryEnvironment environment = Bench.environment(project, place);
        environment.enter(phase);
        return environment;
    }

    private static String id(StoryEnvironment environment) {
        return environment.now().orElseThrow().container().id();
    }

    static String state(StoryEnvironment environment) {
        return Bench.sh(environment, "cat " + environment.stateDirectory().orElseThrow() + "/session");
    }

    void keep(StoryEnvironment environment, String text) {
        assertThat(Bench.sh(environment, "echo " + text + " > /tmp/.claude/session && cat /tmp/.claude/session"))
                .isEqualTo(text);
    }

    /** What the engine was told, without what is the image's and the container's own. */
    private JsonNode told(StoryEnvironment environment) {
        JsonNode all = bench.inspect(id(environment));
        ObjectNode told = all.path("HostConfig").deepCopy();
        told.remove(List.of("ContainerIDFile", "LogConfig", "Annotations"));
        Map<String, JsonNode> mounts = new TreeMap<>();
        all.path("Mounts").forEach(mount -> mounts.put(mount.path("Destination").asText(), mount));
        mounts.forEach((target, mount) -> told.set("mounted at " + target, mount));
        told.set("User", all.path("Config").path("User"));
        return told;
    }

    // State

    @Test
    @Full("six containers; anotherAttemptStoryOrUserFindsNothing has the same volume")
    void theStateOutlastsEveryContainer() {
        DockerProject project = life("memory_mb", 300);
        try (StoryEnvironment environment = entered(project, bench.place("7", 1, KEEPS), Phase.PLANNING)) {
            assertThat(environment.stateDirectory()).contains("/tmp/.claude");
            assertThat(Bench.sh(environment, "id -u; stat -c '%u:%g %a' /tmp/.claude; touch /workspace/x"))
                    .startsWith("1234\n1234:1235 700")
                    .contains("Read-only file system");
            keep(environment, "planned");
            environment.enter(Phase.CODING);
            assertThat(state(environment)).isEqualTo("planned");
            JsonNode first = told(environment);
            assertThat(first.toString()).contains("-coder-001-state").contains("/tmp/.claude");

            assertThat(environment.switchTo(images.good("kept")).error()).isEmpty();
            assertThat(state(environment)).isEqualTo("planned");
            assertThat(told(environment)).isEqualTo(first);
            assertThat(environment.switchTo(images.withoutShell()).done()).isFalse();
            assertThat(state(environment)).isEqualTo("planned");
            assertThat(told(environment)).isEqualTo(first);
            assertThat(environment.update(images.good("kept")).error()).isEmpty();
            keep(environment, "updated");
            bench.cli().output("rm", "--force", id(environment));
            environment.enter(Phase.CODING);
            assertThat(state(environment)).isEqualTo("updated");
            assertThat(told(environment)).isEqualTo(first);

            // Somebody has removed everything.
            bench.cli().output("rm", "--force", id(environment));
            bench.cli().output("volume", "rm", bench.volumes(project).get(0));
            environment.enter(Phase.CODING);
            keep(environment, "anew");
            assertThat(bench.volumes(project)).hasSize(1);
            environment.remove();
        }
        assertThat(bench.volumes(project)).isEmpty();
        assertThat(bench.containers(project)).isEmpty();
    }

    /** Engines fill an empty volume with what the image has there, and give it that directory's owner. */
    @Test
    @Full("two images; whatIsKeptIsOfOneAttempt has the volume")
    void whatAnImageHasInItsPlaceIsNotTakenForState() {
        String image = images.build(
                "planted",
                "FROM " + images.busybox() + "\nCOPY settings.json /tmp/.claude/settings.json\n",
                Map.of("settings.json", "{}"));
        try (StoryEnvironment environment = entered(life("image", image), bench.place("7", 1, KEEPS), Phase.CODING)) {
            assertThat(Bench.sh(environment, "ls -A /tmp/.claude; stat -c %u /tmp/.claude"))
                    .isEqualTo(".maestro\n1234");
        }
    }

    // Masked directories

    /** Whatever an image has there, whoever may write to it, and whether there is anything. */
    @Test
    void aMaskedDirectoryIsEmptyAndNobodyWritesThere() {
        String image = images.build(
                "masked",
                "FROM " + images.busybox() + "\nCOPY settings.json /etc/tool/settings.json\n"
                        + "RUN [\"/bin/busybox\", \"chmod\", \"777\", \"/etc\", \"/etc/tool\"]\n",
                Map.of("settings.json", "{}"));
        Equipment masks =
                new Equipment(false, Optional.empty(), false, Map.of(), Set.of("/etc/tool", "/mnt/none/such"));
        try (StoryEnvironment environment =
                entered(life("image", image, "read_only_root", false), bench.place("7", 1, masks), Phase.CODING)) {
            assertThat(Bench.sh(
                            environment,
                            "cat /etc/tool/*; ls -A /etc/tool '/mnt/none/such'; touch /etc/x && echo writes"))
                    .contains("/etc/tool:\n\n/mnt/none/such:\nwrites");
            assertThat(Bench.sh(environment, "touch /etc/tool/x '/mnt/none/such/x'"))
                    .containsPattern("tool/x: Read-only file system(?s).*such/x: Read-only file system");
            assertThat(Bench.sh(
                            environment,
                            "mv /etc/tool /etc/other || umount /etc/tool || rmdir /etc/tool; ls -A /etc/tool"))
                    .doesNotContain("settings.json");
        }
    }

    // Sockets

    @Test
    void socketsAreReachedWithoutANetworkByAnotherUser() throws Exception {
        Path sockets = Files.createDirectories(bench.directory.resolve("s"));
        Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path socket = sockets.resolve("api.sock");
        String debian = images.busybox().replace("busybox", "debian");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            Thread answers = new Thread(() -> {
                try (SocketChannel client = server.accept()) {
                    client.write(ByteBuffer.wrap("hello from the host".getBytes(StandardCharsets.UTF_8)));
                } catch (IOException e) {
                    // The client says what it has got.
                }
            });
            answers.start();
            try (StoryEnvironment environment = entered(
                    life("image", debian),
                    bench.place("7", 1, new Equipment(false, Optional.of(sockets), false)),
                    Phase.PLANNING)) {
                assertThat(environment.socketDirectory()).contains("/run/maestro");
                assertThat(Bench.sh(
                                environment,
                                "id -u; touch /run/maestro/x; perl -MIO::Socket::UNIX -e '$s ="
                                        + " IO::Socket::UNIX->new(Peer => \"/run/maestro/api.sock\") or die \"no: $!\";"
                                        + " print <$s>'"))
                        .startsWith("1234\n")
                        .contains("hello from the host", "Read-only file system");
                assertThat(environment.stateDirectory()).isEmpty();
            }
            answers.join();
        }
    }

    // Servers

    @Test
    void serversOnTheBridgeAreReached() throws Exception {
        try (StoryEnvironment environment = entered(life(), bench.place("7", 1, REACHES), Phase.PLANNING)) {
            assertThat(environment.hostRoute()).isEmpty();
            environment.enter(Phase.CODING);
            requireAnswer(environment);
            environment.enter(Phase.PLANNING);
            assertThat(environment.hostRoute()).isEmpty();
        }
    }

    static void requireAnswer(StoryEnvironment environment) throws Exception {
        HostRoute route = environment.hostRoute().orElseThrow();
        assertThat(route.address().isLoopbackAddress()).isFalse();
        HttpServer server = HttpServer.create(new InetSocketAddress(route.address(), 0), 1);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 5);
            exchange.getResponseBody().write("hello".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        try {
            String port = Integer.toString(server.getAddress().getPort());
            // The wget of a static busybox cannot look names up.
            assertThat(Bench.sh(environment, "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc " + route.name() + " " + port))
                    .endsWith("hello");
        } finally {
            server.stop(0);
        }
    }
}
