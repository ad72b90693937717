package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of compose files, asked of the services that an agent's tool has started. */
@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
class ServiceSettingsTest {
    private static TestImages images;
    private static String base;

    private final String name = "maestro-test-" + UUID.randomUUID();

    @TempDir
    Path directory;

    private Bench bench;

    @BeforeAll
    static void buildImages() {
        images = TestImages.ofDocker();
        base = images.base();
    }

    @BeforeEach
    void open() {
        bench = new Bench(directory, images, base);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** What the engine knows of the service of a file that wants a name and a port on every address. */
    private JsonNode service(DockerProject project) {
        bench.write(".maestro/compose.yml", """
                services:
                  web:
                    image: %s
                    command: [httpd, -f, -p, "80"]
                    container_name: %s
                    ports: ["0.0.0.0::80"]
                """.formatted(images.busybox(), name));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            ToolResult up = new ToolCaller(project, false).call("compose_up", Map.of());
            assertThat(up.isError()).as(up.text()).isFalse();
            return bench.inspect(bench.running(project, "com.docker.compose.service=web"));
        }
    }

    private static JsonNode published(JsonNode service) {
        return service.path("NetworkSettings").path("Ports").path("80/tcp");
    }

    @Full("ComposeStackTest.runsWhatAFileDescribesAndRemovesAllOfIt publishes nothing and names its containers itself")
    @Test
    void byDefaultNothingIsPublishedAndNamesAreMaestros() {
        JsonNode service = service(bench.open(Map.of()));
        assertThat(published(service).size()).isZero();
        assertThat(service.path("HostConfig").path("PortBindings").size()).isZero();
        assertThat(service.path("Name").asText()).doesNotContain(name);
    }

    @ParameterizedTest
    @Full("a stack of its own")
    @ValueSource(booleans = {true, false})
    @Shows(file = "compose.publish_ports", code = "compose.publishPorts")
    void portsArePublishedOnThisMachineAloneWhereThatIsWanted(boolean inCode) {
        JsonNode service = service(
                inCode
                        ? bench.open(
                                Map.of(), DockerEnvironments.builder().compose(all -> all.publishPorts(true)), Map.of())
                        : bench.open(Map.of("compose", Map.of("publish_ports", true))));
        assertThat(published(service).size()).as("%s", service).isPositive();
        published(service)
                .forEach(port -> assertThat(port.path("HostIp").asText()).isEqualTo("127.0.0.1"));
        assertThat(service.path("Name").asText()).doesNotContain(name);
    }

    @ParameterizedTest
    @Full("a stack of its own")
    @ValueSource(booleans = {false, true})
    @Shows(file = "compose.container_names", code = "compose.containerNames")
    void namesAreKeptWhereThatIsWanted(boolean inCode) {
        JsonNode service = service(
                inCode
                        ? bench.open(
                                Map.of(),
                                DockerEnvironments.builder().compose(all -> all.containerNames(true)),
                                Map.of())
                        : bench.open(Map.of("compose", Map.of("container_names", true))));
        assertThat(service.path("Name").asText()).isEqualTo("/" + name);
        assertThat(published(service).size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Shows(
            file = {"compose.cpus", "compose.memory_mb", "compose.pids", "compose.containers"},
            code = {"compose.limits", "compose.containers"})
    @Full(
            "SettingsEffectTest has the limits of containers, ComposeEscapeTest refuses what would lift those of services")
    void servicesGetNoMoreThanIsSet(boolean inCode) {
        DockerProject project = inCode
                ? bench.open(
                        Map.of(),
                        DockerEnvironments.builder()
                                .compose(all -> all.limits(new ContainerLimits(0.5, 100L << 20, 50))
                                        .containers(1)),
                        Map.of())
                : bench.open(Map.of("compose", Map.of("cpus", 0.5, "memory_mb", 100, "pids", 50, "containers", 1)));
        JsonNode host = service(project).path("HostConfig");
        assertThat(host.path("NanoCpus").asLong()).isEqualTo(500_000_000);
        assertThat(host.path("Memory").asLong()).isEqualTo(100L << 20);
        assertThat(host.path("PidsLimit").asInt()).isEqualTo(50);
        String file = """
                services:
                  web: {image: %s, command: [sleep, "9"], cpus: 0.6, mem_limit: 101m, pids_limit: 51, scale: %d}
                """;
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            ToolCaller caller = new ToolCaller(project, false);
            bench.write(".maestro/compose.yml", file.formatted(images.busybox(), 2));
            assertThat(caller.call("compose_up", Map.of()).text()).contains("more than the 1 allowed");
            bench.write(".maestro/compose.yml", file.formatted(images.busybox(), 1));
            assertThat(caller.call("compose_up", Map.of()).text())
                    .contains("web.cpus", "web.mem_limit", "web.pids_limit");
        }
    }

    @ParameterizedTest
    @Full("a stack of its own")
    @ValueSource(booleans = {false, true})
    @Shows(file = "compose.up_seconds", code = "compose.timeLimit")
    void servicesThatAreNotHealthyInTimeAreBroughtDown(boolean inCode) {
        DockerProject project = inCode
                ? bench.open(
                        Map.of(),
                        DockerEnvironments.builder().compose(all -> all.timeLimit(Duration.ofSeconds(7))),
                        Map.of())
                : bench.open(Map.of("compose", Map.of("up_seconds", 7)));
        bench.write(".maestro/compose.yml", """
                services:
                  never:
                    image: %s
                    command: [httpd, -f, -p, "80"]
                    healthcheck: {test: [CMD, "false"], interval: 1s, retries: 1000}
                """.formatted(images.busybox()));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            ToolResult up = new ToolCaller(project, false).call("compose_up", Map.of());
            assertThat(up.isError()).as(up.text()).isTrue();
            assertThat(up.text()).contains("7 s");
            assertThat(bench.containers(project)).hasSize(1);
        }
    }
}
