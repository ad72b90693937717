package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.DockerHost;
import io.maestro.docker.WorkspaceMode;
import io.maestro.docker.internal.disk.DiskLimits;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
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

    @Test
    void withoutAnythingThePhasesAreAsDocumented() {
        Settings settings = Settings.of(Map.of(), Map.of(), List.of());
        assertThat(settings.phase(Phase.PLANNING))
                .isEqualTo(new PhaseSettings(new ContainerLimits(1, 512 * MIB, 256), "none"));
        assertThat(settings.phase(Phase.CODING))
                .isEqualTo(new PhaseSettings(new ContainerLimits(2, 2048 * MIB, 1024), "bridge"));
        assertThat(settings.phase(Phase.ARCHITECT))
                .isEqualTo(new PhaseSettings(new ContainerLimits(2, 2048 * MIB, 256), "none"));
        assertThat(settings.test()).isEqualTo(settings.phase(Phase.CODING));
        assertThat(settings.hosts()).containsExactly(DockerHost.local());
        assertThat(settings.hostsChosen()).isFalse();
        assertThat(settings.workspace()).isEqualTo(WorkspaceMode.AUTO);
        assertThat(settings.compose())
                .isEqualTo(new Settings.Compose(true, false, false, Duration.ofMinutes(3), ContainerLimits.CODING, 20));
        assertThat(settings.build()).isEqualTo(PhaseSettings.CODING);
        assertThat(settings.buildLimitsRequired()).isTrue();
        assertThat(settings.buildGroup()).isEmpty();
        assertThat(settings.allowedImages()).isEmpty();
        assertThat(settings.buildTime()).isEqualTo(Duration.ofMinutes(10));
        assertThat(settings.closeTime()).isEqualTo(Duration.ofMinutes(3));
        assertThat(settings.disk()).isEqualTo(new DiskLimits(20_480 * MIB, 1024 * MIB));
        assertThat(settings.readOnlyRoot()).isFalse();
    }

    @Test
    void everySettingIsRead() {
        Settings settings = Settings.of(
                Map.ofEntries(
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
                        Map.entry("planning", Map.of("cpus", 0.5, "memory_mb", 64, "pids", 16, "network", "bridge")),
                        Map.entry("coding", Map.of("pids", 60)),
                        Map.entry("architect", Map.of("network", "bridge")),
                        Map.entry("test", Map.of("memory_mb", 70)),
                        Map.entry("tmpfs_mb", 7),
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
                                Map.of(
                                        "enabled",
                                        false,
                                        "publish_ports",
                                        true,
                                        "container_names",
                                        true,
                                        "up_seconds",
                                        9)),
                        Map.entry(
                                "hosts",
                                List.of(
                                        Map.of("name", "a", "context", "c"),
                                        Map.of("name", "b", "url", "tcp://h:2376", "tls_directory", "/keys"))),
                        Map.entry("placement", "round-robin"),
                        Map.entry("workspace", "volume")),
                Map.of(),
                List.of());
        assertThat(settings.image()).contains("app:1");
        assertThat(settings.dockerfile()).contains("docker/Dockerfile");
        assertThat(settings.base()).contains("alpine:3");
        assertThat(settings.user()).contains("1000:1000");
        assertThat(settings.readOnlyRoot()).isTrue();
        assertThat(settings.phase(Phase.CODING))
                .isEqualTo(new PhaseSettings(new ContainerLimits(1.5, 100 * MIB, 60), "mine"));
        assertThat(settings.phase(Phase.PLANNING))
                .isEqualTo(new PhaseSettings(new ContainerLimits(0.5, 64 * MIB, 16), "bridge"));
        assertThat(settings.phase(Phase.ARCHITECT).network()).isEqualTo("bridge");
        assertThat(settings.test()).isEqualTo(new PhaseSettings(new ContainerLimits(1.5, 70 * MIB, 60), "mine"));
        assertThat(settings.tmpfsMegabytes()).isEqualTo(7);
        assertThat(settings.build()).isEqualTo(new PhaseSettings(new ContainerLimits(1.5, 100 * MIB, 70), "none"));
        assertThat(settings.buildLimitsRequired()).isFalse();
        assertThat(settings.buildGroup()).contains("/builds");
        assertThat(settings.allowedImages()).containsExactly("maven:3", "alpine");
        assertThat(settings.buildTime()).isEqualTo(Duration.ofMillis(1500));
        assertThat(settings.closeTime()).isEqualTo(Duration.ofMillis(2500));
        assertThat(settings.disk()).isEqualTo(new DiskLimits(3 * MIB, 4 * MIB));
        assertThat(settings.compose())
                .isEqualTo(new Settings.Compose(false, true, true, Duration.ofSeconds(9), ContainerLimits.CODING, 20));
        assertThat(settings.hosts())
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
        assertThat(settings.hostsChosen()).isTrue();
        assertThat(settings.placement()).isEqualTo("round-robin");
        assertThat(settings.workspace()).isEqualTo(WorkspaceMode.VOLUME);
    }

    @Test
    void codeWinsSettingBySetting() {
        DockerHost host = DockerHost.builder().name("x").context("y").build();
        Settings settings = Settings.of(
                Map.of("image", "a", "planning", Map.of("cpus", 3, "pids", 30), "hosts", List.of(Map.of("name", "n"))),
                Map.of("image", "b", "planning", Map.of("cpus", 4)),
                List.of(host));
        assertThat(settings.image()).contains("b");
        assertThat(settings.phase(Phase.PLANNING).limits()).isEqualTo(new ContainerLimits(4, 512 * MIB, 30));
        assertThat(settings.hosts()).containsExactly(host);
    }

    static List<Arguments> wrong() {
        return List.of(
                Arguments.of(Map.of("imgae", "a"), "container has no setting [imgae]"),
                Arguments.of(Map.of("planning", Map.of("cpu", 1)), "container.planning has no setting [cpu]"),
                Arguments.of(Map.of("image", "--privileged"), "container.image must be"),
                Arguments.of(Map.of("base", "-v"), "container.base must be"),
                Arguments.of(Map.of("user", "--user"), "container.user must be"),
                Arguments.of(Map.of("network", "host"), "container.network must be"),
                Arguments.of(Map.of("coding", Map.of("network", "container:x")), "container.coding.network must be"),
                Arguments.of(Map.of("cpus", 0), "container.cpus must be more than 0"),
                Arguments.of(Map.of("memory_mb", 1), "memory must be 6 MiB or more"),
                Arguments.of(Map.of("pids", 1.5), "container.pids must be a whole number"),
                Arguments.of(Map.of("engine", "lxc"), "container.engine must be one of [docker, podman]"),
                Arguments.of(Map.of("image", 3), "container.image must be a text"),
                Arguments.of(Map.of("read_only_root", "yes"), "container.read_only_root must be true or false"),
                Arguments.of(Map.of("hosts", List.of("a")), "container.hosts[0] must be an object"),
                Arguments.of(
                        Map.of("hosts", List.of(Map.of("name", "a"), Map.of("name", "a"))),
                        "container.hosts must have a name each that no other has"),
                Arguments.of(
                        Map.of("hosts", List.of(Map.of("url", "file:///x"))),
                        "an engine's address must begin with unix://"),
                Arguments.of(Map.of("compose", Map.of("ports", true)), "container.compose has no setting [ports]"),
                Arguments.of(
                        Map.of("variables", Map.of("A-B", "x")), "container.variables must have names of the form"),
                Arguments.of(Map.of("variables", Map.of("A", 1)), "container.variables must have a text for A"),
                Arguments.of(Map.of("variables", Map.of("HOME", "/x")), "container.variables cannot have HOME"),
                Arguments.of(Map.of("variables", Map.of("A", "x\ny")), "a control character"),
                Arguments.of(Map.of("caches", Map.of("A/B", "/x")), "container.caches must have names of the form"),
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
                Arguments.of(Map.of("ports", List.of(0)), "container.ports must have whole numbers from 1 to 65535"),
                Arguments.of(Map.of("ports", List.of(80, 80)), "ports that differ"),
                Arguments.of(Map.of("ports", List.of(80), "network", "none"), "set coding.network to open"),
                Arguments.of(Map.of("ports", List.of(80), "network", List.of("a.org")), "set coding.network to open"),
                Arguments.of(Map.of("workspace", "nfs"), "container.workspace must be one of"));
    }

    private static Arguments cache(String path) {
        return Arguments.of(Map.of("caches", Map.of("a", path)), "a is '" + path + "'");
    }

    @ParameterizedTest
    @MethodSource
    void wrong(Map<String, Object> settings, String message) {
        assertThatThrownBy(() -> Settings.of(settings, Map.of(), List.of()))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whoFetchesOnTheHostKeepsToTheNetworkOfThePhase() {
        Settings settings = Settings.of(
                Map.of("coding", Map.of("network", List.of("*.example.org", "api.example.com:8443"))),
                Map.of(),
                List.of());
        PhaseSettings listed = settings.phase(Phase.CODING);
        assertThat(listed.mayReach("docs.example.org", 443, true)).isTrue();
        assertThat(listed.mayReach("docs.example.org", 80, false)).isTrue();
        assertThat(listed.mayReach("api.example.com", 8443, true)).isTrue();
        assertThat(listed.mayReach("api.example.com", 443, true)).isFalse();
        assertThat(listed.mayReach("example.org", 443, true)).isFalse();
        assertThat(listed.mayReach("10.0.0.1", 443, true)).isFalse();
        assertThat(settings.phase(Phase.PLANNING).mayReach("docs.example.org", 443, true))
                .isFalse();
        assertThat(PhaseSettings.CODING.mayReach("docs.example.org", 443, true)).isTrue();
        assertThat(listed.access()).isEqualTo(NetworkAccess.LISTED);
        assertThat(settings.phase(Phase.PLANNING).access()).isEqualTo(NetworkAccess.NONE);
        assertThat(PhaseSettings.CODING.access()).isEqualTo(NetworkAccess.OPEN);
    }
}
