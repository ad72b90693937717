package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the code says is a setting as what the configuration says is, whose effects {@link SettingsEffectTest} shows. */
@RequiresEngine
class CodeSettingsTest {
    private static final long MIB = 1L << 20;

    @TempDir
    Path directory;

    @Test
    void whatCodeSaysIsASetting() {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base())) {
            DockerProject project = bench.open(
                    Map.of("cpus", 2, "network", "bridge", "user", "0:1", "read_only_root", false),
                    DockerEnvironments.builder()
                            .limits(new ContainerLimits(0.5, 70 * MIB + 4096, 44))
                            .container(all -> all.network(Phase.CODING, ContainerNetwork.NONE)
                                    .network(Phase.PLANNING, ContainerNetwork.OPEN)
                                    .testNetwork(ContainerNetwork.OPEN)
                                    .readOnlyRoot(true)
                                    .user("0:77")
                                    .tmpfsMegabytes(2))
                            .builds(all -> all.limits(new ContainerLimits(1, 64 * MIB, 30)))
                            .image(images.good("code")),
                    Map.of());
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                Settings settings = environment.images().settings();
                assertThat(settings.container().limits(Phase.PLANNING))
                        .isEqualTo(new ContainerLimits(0.5, 70 * MIB + 4096, 44));
                assertThat(settings.network(Phase.CODING)).isEqualTo(ContainerNetwork.NONE);
                assertThat(settings.network(Phase.PLANNING)).isEqualTo(ContainerNetwork.OPEN);
                assertThat(settings.container().testNetwork()).isEqualTo(ContainerNetwork.OPEN);
                assertThat(settings.buildLimits()).isEqualTo(new ContainerLimits(1, 64 * MIB, 30));
                assertThat(settings.container().readOnlyRoot()).isTrue();
                assertThat(settings.container().user()).contains("0:77");
                assertThat(settings.container().tmpfsMegabytes()).isEqualTo(2);
                assertThat(settings.images().image()).contains(images.good("code"));
            }
        }
    }
}
