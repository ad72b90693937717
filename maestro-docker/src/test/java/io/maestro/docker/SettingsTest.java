package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.disk.DiskLimits;
import io.maestro.docker.internal.environment.Settings;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import io.maestro.secrets.SecretRedactor;
import io.maestro.tools.NetworkAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    private static final long MIB = 1L << 20;

    /** What a project has that is opened with an object of the configuration. */
    private static Settings read(Map<String, Object> container, DockerEnvironments.Builder code) {
        return code.build()
                .settings(new EnvironmentProject(
                        Path.of("none"),
                        "s",
                        Path.of("none"),
                        container,
                        Map.of(),
                        SecretRedactor.builder().build()));
    }

    private static Settings read(Map<String, Object> container) {
        return read(container, DockerEnvironments.builder());
    }

    @Test
    void withoutAnythingSettingsAreAsDocumented() {
        Settings settings = read(Map.of());
        assertThat(settings.container().limits(Phase.PLANNING)).isEqualTo(new ContainerLimits(1, 512 * MIB, 256));
        assertThat(settings.container().limits(Phase.CODING)).isEqualTo(new ContainerLimits(2, 2048 * MIB, 1024));
        assertThat(settings.container().limits(Phase.ARCHITECT)).isEqualTo(new ContainerLimits(2, 2048 * MIB, 256));
        assertThat(settings.network(Phase.PLANNING)).isEqualTo(ContainerNetwork.NONE);
        assertThat(settings.network(Phase.CODING)).isEqualTo(ContainerNetwork.OPEN);
        assertThat(settings.network(Phase.ARCHITECT)).isEqualTo(ContainerNetwork.NONE);
        assertThat(settings.container().testNetwork()).isEqualTo(ContainerNetwork.OPEN);
        assertThat(settings.container().readOnlyRoot()).isFalse();
        assertThat(settings.disk()).isEqualTo(new DiskLimits(20_480 * MIB, 1024 * MIB));
        assertThat(settings.engines().hosts()).containsExactly(DockerHost.local());
        assertThat(settings.engines().isChosen()).isFalse();
        assertThat(settings.engines().workspace()).isEqualTo(WorkspaceMode.AUTO);
        assertThat(settings.engines().closeTimeLimit()).isEqualTo(Duration.ofMinutes(3));
        assertThat(settings.compose().enabled()).isTrue();
        assertThat(settings.compose().publishPorts()).isFalse();
        assertThat(settings.compose().containerNames()).isFalse();
        assertThat(settings.compose().timeLimit()).isEqualTo(Duration.ofMinutes(3));
        assertThat(settings.compose().limits()).isEqualTo(ContainerLimits.CODING);
        assertThat(settings.compose().containers()).isEqualTo(20);
        assertThat(settings.buildLimits()).isEqualTo(ContainerLimits.CODING);
        assertThat(settings.builds().network(settings.container())).isTrue();
        assertThat(settings.builds().limitsRequired()).isTrue();
        assertThat(settings.builds().controlGroup()).isEmpty();
        assertThat(settings.builds().timeLimit()).isEqualTo(Duration.ofMinutes(10));
        assertThat(settings.images().allowed()).isEmpty();
    }

    @Test
    void everySettingIsRead() {
        Settings settings = read(Map.ofEntries(
                Map.entry("engine", "podman"),
                Map.entry("image", "app:1"),
                Map.entry("dockerfile", "docker/Dockerfile"),
                Map.entry("base", "alpine:3"),
                Map.entry("user", "1000:1000"),
                Map.entry("read_only_root", true),
                Map.entry("cpus", 1.5),
                Map.entry("memory_mb", 100),
                Map.entry("pids", 50),
                Map.entry("network", "mine"),
                Map.entry("planning", Map.of("network", "bridge")),
                Map.entry("architect", Map.of("network", "open")),
                Map.entry("test", Map.of("network", Map.of("mirrors", List.of("nexus:8081")))),
                Map.entry("tmpfs_mb", 7),
                Map.entry("ports", List.of(80, 81)),
                Map.entry("build_seconds", 1.5),
                Map.entry("close_seconds", 2.5),
                Map.entry("disk_mb", 3),
                Map.entry("disk_reserve_mb", 4),
                Map.entry("build", Map.of("pids", 70, "network", "none")),
                Map.entry("build_limits", "optional"),
                Map.entry("build_cgroup", "/builds"),
                Map.entry("allowed_images", List.of("maven:3", "alpine")),
                Map.entry(
                        "compose",
                        Map.of("enabled", false, "publish_ports", true, "container_names", true, "up_seconds", 9)),
                Map.entry(
                        "hosts",
                        List.of(
                                Map.of("name", "a", "context", "c"),
                                Map.of("name", "b", "url", "tcp://h:2376", "tls_directory", "/keys"))),
                Map.entry("placement", "round-robin"),
                Map.entry("workspace", "volume")));
        assertThat(settings.images().image()).contains("app:1");
        assertThat(settings.images().dockerfile()).contains("docker/Dockerfile");
        assertThat(settings.images().base()).contains("alpine:3");
        assertThat(settings.images().allowed()).containsExactly("maven:3", "alpine");
        assertThat(settings.container().user()).contains("1000:1000");
        assertThat(settings.container().readOnlyRoot()).isTrue();
        for (Phase phase : Phase.values()) {
            assertThat(settings.container().limits(phase)).isEqualTo(new ContainerLimits(1.5, 100 * MIB, 50));
        }
        assertThat(settings.network(Phase.CODING)).isEqualTo(ContainerNetwork.of("mine"));
        assertThat(settings.network(Phase.PLANNING)).isEqualTo(ContainerNetwork.OPEN);
        assertThat(settings.network(Phase.ARCHITECT)).isEqualTo(ContainerNetwork.OPEN);
        assertThat(settings.container().testNetwork())
                .isEqualTo(ContainerNetwork.names(List.of(), List.of("nexus:8081")));
        assertThat(settings.container().tmpfsMegabytes()).isEqualTo(7);
        assertThat(settings.container().ports()).containsExactly(80, 81);
        assertThat(settings.disk()).isEqualTo(new DiskLimits(3 * MIB, 4 * MIB));
        assertThat(settings.buildLimits()).isEqualTo(new ContainerLimits(1.5, 100 * MIB, 70));
        assertThat(settings.builds().network(settings.container())).isFalse();
        assertThat(settings.builds().limitsRequired()).isFalse();
        assertThat(settings.builds().controlGroup()).contains("/builds");
        assertThat(settings.builds().timeLimit()).isEqualTo(Duration.ofMillis(1500));
        assertThat(settings.compose().enabled()).isFalse();
        assertThat(settings.compose().publishPorts()).isTrue();
        assertThat(settings.compose().containerNames()).isTrue();
        assertThat(settings.compose().timeLimit()).isEqualTo(Duration.ofSeconds(9));
        assertThat(settings.engines().closeTimeLimit()).isEqualTo(Duration.ofMillis(2500));
        assertThat(settings.engines().hosts())
                .containsExactly(
                        DockerHost.builder()
                                .program("podman")
                                .name("a")
                                .context("c")
                                .build(),
                        DockerHost.builder()
                                .program("podman")
                                .name("b")
                                .url("tcp://h:2376")
                                .tlsDirectory(Path.of("/keys"))
                                .build());
        assertThat(settings.engines().isChosen()).isTrue();
        assertThat(settings.engines().workspace()).isEqualTo(WorkspaceMode.VOLUME);
    }

    @Test
    void codeWinsSettingBySetting() {
        DockerHost host = DockerHost.builder().name("x").context("y").build();
        Settings settings = read(
                Map.of(
                        "image",
                        "a",
                        "base",
                        "c",
                        "build",
                        Map.of("cpus", 3, "pids", 30),
                        "variables",
                        Map.of("A", "file", "B", "file"),
                        "hosts",
                        List.of(Map.of("name", "n"))),
                DockerEnvironments.builder()
                        .image("b")
                        .host(host)
                        .container(container -> container.variables(Map.of("A", "code", "C", "code"))));
        assertThat(settings.images().image()).contains("b");
        assertThat(settings.images().base()).contains("c");
        assertThat(settings.buildLimits()).isEqualTo(new ContainerLimits(3, 2048 * MIB, 30));
        assertThat(settings.container().variables()).isEqualTo(Map.of("A", "code", "B", "file", "C", "code"));
        assertThat(settings.engines().hosts()).containsExactly(host);
    }

    @Test
    void cachesOfCodeAndFileAreApart() {
        DockerEnvironments.Builder code =
                DockerEnvironments.builder().container(container -> container.caches(Map.of("b", "~/x/y")));
        assertThatThrownBy(() -> read(Map.of("caches", Map.of("a", "/tmp/x")), code))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("$.container.caches: must be apart, but /tmp/x/y is in /tmp/x");
    }

    static List<Arguments> wrong() {
        return List.of(
                Arguments.of(Map.of("imgae", "a"), "$.container.imgae: unknown property"),
                Arguments.of(Map.of("build", Map.of("cpu", 1)), "$.container.build.cpu: unknown property"),
                Arguments.of(Map.of("image", "--privileged"), "$.container.image: must be"),
                Arguments.of(Map.of("base", "-v"), "$.container.base: must be"),
                Arguments.of(Map.of("user", "--user"), "$.container.user: must"),
                Arguments.of(Map.of("network", "host"), "$.container.network: must be"),
                Arguments.of(Map.of("planning", Map.of("network", "container:x")), "$.container.planning.network: "),
                Arguments.of(Map.of("cpus", 0), "$.container.cpus: must be"),
                Arguments.of(Map.of("memory_mb", 1), "$.container.memory_mb: must be"),
                Arguments.of(Map.of("pids", 1.5), "$.container.pids: must be"),
                Arguments.of(Map.of("engine", "lxc"), "$.container.engine: must be one of docker, podman"),
                Arguments.of(Map.of("image", 3), "$.container.image: must be"),
                Arguments.of(Map.of("read_only_root", "yes"), "$.container.read_only_root: must be"),
                Arguments.of(Map.of("hosts", List.of("a")), "$.container.hosts[0]: must be"),
                Arguments.of(
                        Map.of("hosts", List.of(Map.of("name", "a"), Map.of("name", "a"))),
                        "$.container.hosts: each host must have a name that no other has"),
                Arguments.of(
                        Map.of("hosts", List.of(Map.of("name", "a", "url", "file:///x"))),
                        "$.container.hosts[0].url: must"),
                Arguments.of(Map.of("compose", Map.of("ports", true)), "$.container.compose.ports: unknown property"),
                Arguments.of(
                        Map.of("variables", Map.of("A-B", "x")), "$.container.variables: must have names of the form"),
                Arguments.of(Map.of("variables", Map.of("A", 1)), "$.container.variables.A: must be"),
                Arguments.of(Map.of("variables", Map.of("HOME", "/x")), "$.container.variables: cannot have HOME"),
                Arguments.of(Map.of("variables", Map.of("A", "x\ny")), "a control character"),
                Arguments.of(Map.of("caches", Map.of("A/B", "/x")), "$.container.caches: must have names of the form"),
                cache("relative"),
                cache("/"),
                cache("/tmp"),
                cache("~/"),
                cache("~/../workspace"),
                cache("/workspace/.m2"),
                cache("/proc"),
                cache("/run/maestro"),
                cache("/var"),
                cache("~/.claude/x"),
                cache("/a,readonly"),
                Arguments.of(Map.of("caches", Map.of("a", "~/x", "b", "/tmp/x/y")), "/tmp/x/y is in /tmp/x"),
                Arguments.of(Map.of("ports", List.of(0)), "$.container.ports[0]: must be"),
                Arguments.of(Map.of("ports", List.of(80, 80)), "ports that differ"),
                Arguments.of(Map.of("ports", List.of(80), "network", "none"), "set container.network to open"),
                Arguments.of(
                        Map.of("ports", List.of(80), "network", List.of("a.org")), "set container.network to open"),
                Arguments.of(Map.of("workspace", "nfs"), "$.container.workspace: must be one of"));
    }

    private static Arguments cache(String path) {
        return Arguments.of(Map.of("caches", Map.of("a", path)), "a is '" + path + "'");
    }

    @ParameterizedTest
    @MethodSource
    void wrong(Map<String, Object> settings, String message) {
        assertThatThrownBy(() -> read(settings))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whoFetchesOnTheHostKeepsToTheNetworkOfThePhase() {
        Settings settings = read(Map.of("network", List.of("*.example.org", "api.example.com:8443")));
        ContainerNetwork listed = settings.network(Phase.CODING);
        assertThat(listed.mayReach("docs.example.org", 443, true)).isTrue();
        assertThat(listed.mayReach("docs.example.org", 80, false)).isTrue();
        assertThat(listed.mayReach("api.example.com", 8443, true)).isTrue();
        assertThat(listed.mayReach("api.example.com", 443, true)).isFalse();
        assertThat(listed.mayReach("example.org", 443, true)).isFalse();
        assertThat(listed.mayReach("10.0.0.1", 443, true)).isFalse();
        ContainerNetwork none = settings.network(Phase.PLANNING);
        assertThat(none.mayReach("docs.example.org", 443, true)).isFalse();
        assertThat(ContainerNetwork.OPEN.mayReach("docs.example.org", 443, true))
                .isTrue();
        assertThat(listed.access()).isEqualTo(NetworkAccess.LISTED);
        assertThat(none.access()).isEqualTo(NetworkAccess.NONE);
        assertThat(ContainerNetwork.OPEN.access()).isEqualTo(NetworkAccess.OPEN);
    }
}
