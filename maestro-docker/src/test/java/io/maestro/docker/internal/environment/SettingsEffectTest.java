package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.WorkspaceMode;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import io.maestro.testing.Full;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each setting, asked of the containers that it is about: from the configuration, and from code. */
@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
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
        String own = network.equals("bridge") ? "maestro-[0-9a-f]{8}-[a-z0-9-]+-net-[0-9a-f]{6}" : network;
        assertThat(host.path("NetworkMode").asText()).matches(own);
    }

    @Test
    @Shows(
            file = {
                "cpus",
                "memory_mb",
                "pids",
                "network",
                "planning.network",
                "architect.network",
                "test.network",
                "read_only_root",
                "tmpfs_mb",
                "user"
            })
    void limitsNetworkUserRootAndTmpfsFromTheConfiguration() {
        DockerProject project = bench.open(Map.ofEntries(
                Map.entry("cpus", 1.25),
                Map.entry("memory_mb", 100),
                Map.entry("pids", 77),
                Map.entry("network", "none"),
                Map.entry("planning", Map.of("network", "bridge")),
                Map.entry("architect", Map.of("network", "bridge")),
                Map.entry("test", Map.of("network", "bridge")),
                Map.entry("read_only_root", true),
                Map.entry("tmpfs_mb", 3),
                Map.entry("user", "0:123")));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            assertLimits(inspect(environment), 1.25, 100 * MIB, 77, "bridge");
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
                    Phase.CODING, image, true, executor -> bench.inspect(onlyOne(project, "test")));
            assertLimits(test, 1.25, 100 * MIB, 77, "bridge");
            environment.enter(Phase.ARCHITECT);
            assertLimits(inspect(environment), 1.25, 100 * MIB, 77, "bridge");
        }
    }

    @Test
    @Full("CodeSettingsTest reads them, and limitsNetworkUserRootAndTmpfsFromTheConfiguration shows the effect")
    @Shows(
            code = {
                "limits",
                "image",
                "container.network",
                "container.readOnlyRoot",
                "container.user",
                "container.tmpfsMegabytes"
            })
    void codeWinsOverTheConfigurationInTheContainerToo() {
        DockerEnvironments.Builder code = DockerEnvironments.builder()
                .limits(new ContainerLimits(0.5, 70 * MIB + 4096, 44))
                .container(all -> all.network(Phase.CODING, ContainerNetwork.NONE)
                        .network(Phase.PLANNING, ContainerNetwork.OPEN)
                        .readOnlyRoot(true)
                        .user("0:77")
                        .tmpfsMegabytes(2))
                .engines(all -> all.workspace(WorkspaceMode.BIND))
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
            assertLimits(inspect(environment), 0.5, 70 * MIB + 4096, 44, "bridge");
        }
    }

    @Test
    @Full("CodeSettingsTest reads them, and limitsNetworkUserRootAndTmpfsFromTheConfiguration shows the effect")
    @Shows(code = {"container.testNetwork", "container.limits"})
    void testContainersHaveANetworkOfTheirOwnInCode() {
        DockerProject project = bench.open(
                Map.of(),
                DockerEnvironments.builder()
                        .container(all -> all.limits(new ContainerLimits(0.25, 73 * MIB, 47))
                                .testNetwork(ContainerNetwork.NONE)),
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            JsonNode test = environment.throwaway(
                    Phase.CODING, images.busybox(), true, executor -> bench.inspect(onlyOne(project, "test")));
            assertLimits(test, 0.25, 73 * MIB, 47, "none");
            environment.enter(Phase.ARCHITECT);
            assertLimits(inspect(environment), 0.25, 73 * MIB, 47, "none");
        }
    }

    private String onlyOne(DockerProject project, String role) {
        return bench.running(project, Labels.ROLE + "=" + role);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Shows(file = "base", code = "images.base")
    @Full("BootstrapImageTest builds it")
    void theSafeImageIsBuiltOnTheBase(boolean inCode) {
        // Another one each time, so that the safe image is made here and not found.
        String mark = UUID.randomUUID().toString();
        String label = "io.maestro.test.base=" + mark;
        String marked = images.build(
                "marked-base", "FROM " + base + "\nENV BASE_MARK=" + mark + "\nLABEL " + label + "\n", Map.of());
        DockerProject project = inCode
                ? bench.open(Map.of(), DockerEnvironments.builder().images(all -> all.base(marked)), Map.of())
                : bench.open(Map.of("base", marked));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            assertThat(environment.now().orElseThrow().image().origin()).isEqualTo(ProjectImage.Origin.SAFE);
            assertThat(Bench.sh(environment, "echo $BASE_MARK")).isEqualTo(mark);
        } finally {
            images.cli()
                    .output("image", "ls", "--quiet", "--no-trunc", "--filter", "label=" + label)
                    .lines()
                    .distinct()
                    .forEach(images::remove);
        }
    }

    @Full("StoryEnvironmentTest.anUpdateThatFailsLeavesWhatRan works in a configured image, too")
    @Test
    @Shows(file = "image", code = "images.image")
    void theImageOfTheConfiguration() {
        DockerProject project = bench.open(Map.of("image", images.good("configured")));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("configured");
        }
    }

    @ParameterizedTest
    @Full("ContainerToolsTest builds from a Dockerfile of the workspace")
    @ValueSource(booleans = {true, false})
    @Shows(
            file = "dockerfile",
            code = {"dockerfile", "images.dockerfile"})
    void anImageFromTheDockerfileOfTheRepository(boolean inCode) {
        bench.write("docker/Dockerfile", "FROM " + images.busybox() + "\nENV FROM_REPOSITORY=yes\n");
        DockerProject project = inCode
                ? bench.open(Map.of(), DockerEnvironments.builder().dockerfile("docker/Dockerfile"), Map.of())
                : bench.open(Map.of("dockerfile", "docker/Dockerfile"));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            assertThat(environment.now().orElseThrow().problem()).isEmpty();
            assertThat(Bench.sh(environment, "echo $FROM_REPOSITORY")).isEqualTo("yes");
        }
    }

    @ParameterizedTest
    @Full("waits")
    @ValueSource(booleans = {false, true})
    @Shows(file = "build_seconds", code = "builds.timeLimit")
    void aBuildEndsAtItsTimeLimit(boolean inCode) {
        bench.write("Dockerfile", "FROM " + images.busybox() + "\nRUN echo " + UUID.randomUUID() + "; sleep 387654\n");
        DockerProject project = inCode
                ? bench.open(
                        Map.of(),
                        DockerEnvironments.builder().builds(all -> all.timeLimit(Duration.ofSeconds(4))),
                        Map.of())
                : bench.open(Map.of("build_seconds", 4));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            assertThatThrownBy(() -> environment
                            .images()
                            .builds()
                            .build(
                                    environment.engine(),
                                    environment.place(),
                                    new BuildPlan("Dockerfile", ".", Map.of()),
                                    environment.images().scoped(environment.place(), "slow"),
                                    environment.images().builds().limit()))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("was ended at its time limit of 4 s");
            // In the engine, too, which is on this machine.
            TestEngine.await(() -> ProcessHandle.allProcesses()
                    .noneMatch(
                            process -> process.info().commandLine().orElse("").contains("sleep 387654")));
        }
    }

    @Full("three starts; SettingsTest has how the setting is read")
    @Test
    @Shows(file = "compose.enabled", code = "compose.enabled")
    void withoutComposeThereAreNoToolsForIt() {
        assertThat(toolNames(bench.open(Map.of()))).contains("compose_up", "compose_down");
        assertThat(toolNames(bench.open(
                        Map.of("compose", Map.of("enabled", true)),
                        DockerEnvironments.builder().compose(all -> all.enabled(false)),
                        Map.of())))
                .noneMatch(name -> name.startsWith("compose_"));
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
        project.endLeftovers(Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            assertThat(environment.engine().cli().host().name()).isEqualTo("here");
        }
    }

    @Test
    @Shows(code = {"engines.placement", "engines.host", "host"})
    void placementInCodeChoosesTheEngine() {
        DockerHost one = DockerHost.builder().name("one").build();
        DockerHost two = DockerHost.builder().name("two").build();
        DockerProject project = bench.open(
                Map.of(),
                DockerEnvironments.builder()
                        .host(one)
                        .host(two)
                        .engines(all -> all.placement(
                                (agent, candidates) -> candidates.get(1).host())),
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            assertThat(environment.engine().cli().host()).isEqualTo(two);
        }
    }

    /** Of equal ones the least loaded takes the first; round-robin does not. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "round-robin|one two one")
    @Shows(file = {"placement", "hosts[].name"})
    void placementInTheConfigurationChoosesTheEngine(String placement, String expected) {
        DockerProject project = bench.open(
                Map.of("hosts", List.of(Map.of("name", "one"), Map.of("name", "two")), "placement", placement));
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                names.add(environment.engine().cli().host().name());
            }
        }
        assertThat(String.join(" ", names)).isEqualTo(expected);
    }

    @Test
    @Full("placementInTheConfigurationChoosesTheEngine has the other placement")
    void placementByLoadInTheConfigurationChoosesTheEngine() {
        placementInTheConfigurationChoosesTheEngine("least-loaded", "one one one");
    }

    /** On an engine that sees the workspace, so that nothing but the setting makes a difference. */
    @ParameterizedTest
    @ValueSource(strings = {"file volume", "file bind", "code bind", "code volume"})
    @Shows(file = "workspace", code = "engines.workspace")
    @Full("VolumeWorkspaceTest has one kind, nearly all others the other")
    void howTheWorkspaceComesIntoTheContainer(String where) {
        String mode = where.substring(5);
        // Git looks after the files of a volume.
        String withGit = images.baseWithGit();
        DockerProject project = where.startsWith("file")
                ? bench.open(Map.of("workspace", mode, "base", withGit))
                : bench.open(
                        Map.of("workspace", mode.equals("bind") ? "volume" : "bind", "base", withGit),
                        DockerEnvironments.builder()
                                .engines(all -> all.workspace(WorkspaceMode.valueOf(mode.toUpperCase(Locale.ROOT)))),
                        Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            List<String> types = new ArrayList<>();
            inspect(environment).path("Mounts").forEach(mount -> {
                if (mount.path("Destination").asText().equals("/workspace")) {
                    types.add(mount.path("Type").asText());
                }
            });
            assertThat(types).containsExactly(mode);
        }
    }
}
