package io.maestro.docker.internal.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.WorkspaceMode;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each setting, asked of the containers that it is about: from the configuration, and from code. */
@RequiresEngine
class SettingsEffectTest {
    private static final long MIB = 1L << 20;

    private static TestImages images;
    private static String base;

    @TempDir
    Path directory;

    private Bench bench;

    @BeforeAll
    static void buildImages() {
        images = TestImages.ofDocker();
        base = images.base();
    }

    @AfterAll
    static void removeImages() {
        images.close();
    }

    @BeforeEach
    void open() {
        bench = new Bench(directory, images, base);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private JsonNode inspect(StoryEnvironment environment) {
        return bench.inspect(environment.now().orElseThrow().container().id());
    }

    private String tmp(StoryEnvironment environment) {
        return inspect(environment)
                .path("HostConfig")
                .path("Tmpfs")
                .path("/tmp")
                .asText();
    }

    private static void assertLimits(JsonNode container, double cpus, long memory, int pids, String network) {
        JsonNode host = container.path("HostConfig");
        assertThat(host.path("NanoCpus").asLong()).isEqualTo(Math.round(cpus * 1e9));
        assertThat(host.path("Memory").asLong()).isEqualTo(memory);
        assertThat(host.path("PidsLimit").asInt()).isEqualTo(pids);
        assertThat(host.path("NetworkMode").asText()).isEqualTo(network);
    }

    @Test
    void limitsNetworkUserRootAndTmpfsFromTheConfiguration() {
        DockerProject project = bench.open(Map.ofEntries(
                Map.entry("cpus", 1.25),
                Map.entry("memory_mb", 100),
                Map.entry("pids", 77),
                Map.entry("network", "none"),
                Map.entry("planning", Map.of("cpus", 0.5, "memory_mb", 64, "pids", 33, "network", "bridge")),
                Map.entry("architect", Map.of("cpus", 0.25, "memory_mb", 65, "pids", 34, "network", "bridge")),
                Map.entry("test", Map.of("cpus", 0.75, "memory_mb", 66, "pids", 35, "network", "bridge")),
                Map.entry("read_only_root", true),
                Map.entry("tmpfs_mb", 3),
                Map.entry("user", "0:123")));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            assertLimits(inspect(environment), 0.5, 64 * MIB, 33, "bridge");
            environment.enter(Phase.CODING);
            assertLimits(inspect(environment), 1.25, 100 * MIB, 77, "none");
            assertThat(inspect(environment)
                            .path("HostConfig")
                            .path("ReadonlyRootfs")
                            .asBoolean())
                    .isTrue();
            assertThat(Bench.sh(environment, "id -g")).isEqualTo("123");
            assertThat(Bench.sh(environment, "touch /x")).contains("Read-only file system");
            assertThat(tmp(environment)).contains("size=3m", "exec", "nosuid", "nodev");
            String image = images.busybox();
            JsonNode test = environment.throwaway(
                    Phase.CODING,
                    image,
                    true,
                    room -> bench.inspect(bench.cli()
                            .output(
                                    "ps",
                                    "-q",
                                    "--filter",
                                    "label=" + Labels.ROLE + "=test",
                                    "--filter",
                                    "label=" + Labels.INSTANCE + "="
                                            + project.instance().id())));
            assertLimits(test, 0.75, 66 * MIB, 35, "bridge");
            environment.enter(Phase.ARCHITECT);
            assertLimits(inspect(environment), 0.25, 65 * MIB, 34, "bridge");
        }
    }

    @Test
    void codeWinsOverTheConfigurationInTheContainerToo() {
        DockerEnvironments.Builder code = DockerEnvironments.builder()
                .limits(Phase.CODING, new ContainerLimits(0.5, 70 * MIB + 4096, 44))
                .network(Phase.CODING, "none")
                .limits(Phase.PLANNING, new ContainerLimits(0.25, 71 * MIB, 45))
                .network(Phase.PLANNING, "bridge")
                .readOnlyRoot(true)
                .user("0:77")
                .tmpfsMegabytes(2)
                .workspace(WorkspaceMode.BIND)
                .image(images.good("code"));
        DockerProject project = bench.open(
                Map.of("cpus", 2, "network", "bridge", "image", "maestro-test/none:1", "read_only_root", false),
                code,
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            assertLimits(inspect(environment), 0.5, 70 * MIB + 4096, 44, "none");
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME; id -g; touch /x"))
                    .startsWith("code\n77\n")
                    .contains("Read-only");
            assertThat(tmp(environment)).contains("size=2m");
            environment.enter(Phase.PLANNING);
            assertLimits(inspect(environment), 0.25, 71 * MIB, 45, "bridge");
        }
    }

    @Test
    void anImageFromTheDockerfileOfTheRepository() {
        bench.write("docker/Dockerfile", "FROM " + images.busybox() + "\nENV FROM_REPOSITORY=yes\n");
        DockerProject project = bench.open(Map.of("dockerfile", "docker/Dockerfile"));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            assertThat(environment.now().orElseThrow().problem()).isEmpty();
            assertThat(Bench.sh(environment, "echo $FROM_REPOSITORY")).isEqualTo("yes");
        }
    }

    @Test
    void aBuildEndsAtItsTimeLimit() {
        bench.write("Dockerfile", "FROM " + images.busybox() + "\nRUN echo " + UUID.randomUUID() + "; sleep 300\n");
        DockerProject project =
                bench.open(Map.of(), DockerEnvironments.builder().buildTimeLimit(Duration.ofSeconds(4)), Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            assertThatThrownBy(() -> environment
                            .images()
                            .builds()
                            .build(
                                    environment.engine(),
                                    environment.place(),
                                    new Recipe("Dockerfile", ".", Map.of()),
                                    environment.images().scoped(environment.place(), "slow")))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("was ended at its time limit of 4 s");
        }
    }

    @Test
    void withoutComposeThereAreNoToolsForIt() {
        assertThat(toolNames(bench.open(Map.of()))).contains("compose_up", "compose_down");
        assertThat(toolNames(bench.open(Map.of("compose", Map.of("enabled", false)))))
                .noneMatch(name -> name.startsWith("compose_"));
        assertThat(bench.open(Map.of("compose", Map.of("up_seconds", 42))).tools().stream()
                        .filter(tool -> tool.definition().name().equals("compose_up"))
                        .map(tool -> tool.definition().input().asMap().toString()))
                .singleElement()
                .asString()
                .contains("default 42");
    }

    private static List<String> toolNames(DockerProject project) {
        return project.tools().stream()
                .map(ToolFactory::definition)
                .map(definition -> definition.name())
                .toList();
    }

    @Test
    void anEngineThatWasChosenAndDoesNotAnswerIsAnErrorAtOnce() {
        DockerEnvironments.Builder code = DockerEnvironments.builder()
                .host(DockerHost.builder()
                        .name("nowhere")
                        .url("unix:///nonexistent/docker.sock")
                        .build());
        assertThatThrownBy(() -> bench.open(Map.of(), code, Map.of()))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("the engine of nowhere does not answer");
        // With another one that answers, the agents go there.
        DockerProject project = bench.open(Map.of(
                "hosts",
                List.of(Map.of("name", "nowhere", "url", "unix:///nonexistent/docker.sock"), Map.of("name", "here")),
                "placement",
                "round-robin"));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            assertThat(environment.engine().cli().host().name()).isEqualTo("here");
        }
    }

    @Test
    void placementInCodeChoosesTheEngine() {
        DockerHost one = DockerHost.builder().name("one").build();
        DockerHost two = DockerHost.builder().name("two").build();
        DockerProject project = bench.open(
                Map.of(),
                DockerEnvironments.builder()
                        .host(one)
                        .host(two)
                        .placement((agent, candidates) -> candidates.get(1).host()),
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            assertThat(environment.engine().cli().host()).isEqualTo(two);
        }
    }
}
