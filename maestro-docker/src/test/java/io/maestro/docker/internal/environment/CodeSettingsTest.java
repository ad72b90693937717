package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.ContainerLimits;
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
                            .limits(Phase.CODING, new ContainerLimits(0.5, 70 * MIB + 4096, 44))
                            .network(Phase.CODING, "none")
                            .limits(Phase.PLANNING, new ContainerLimits(0.25, 71 * MIB, 45))
                            .network(Phase.PLANNING, "bridge")
                            .limits(Phase.ARCHITECT, new ContainerLimits(0.75, 74 * MIB, 48))
                            .testLimits(new ContainerLimits(0.25, 73 * MIB, 47))
                            .testNetwork("none")
                            .buildLimits(new ContainerLimits(1, 64 * MIB, 30))
                            .readOnlyRoot(true)
                            .user("0:77")
                            .tmpfsMegabytes(2)
                            .image(images.good("code")),
                    Map.of());
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                Settings settings = environment.images().settings();
                assertThat(settings.phase(Phase.CODING))
                        .isEqualTo(new PhaseSettings(new ContainerLimits(0.5, 70 * MIB + 4096, 44), "none"));
                assertThat(settings.phase(Phase.PLANNING))
                        .isEqualTo(new PhaseSettings(new ContainerLimits(0.25, 71 * MIB, 45), "bridge"));
                assertThat(settings.phase(Phase.ARCHITECT).limits()).isEqualTo(new ContainerLimits(0.75, 74 * MIB, 48));
                assertThat(settings.test())
                        .isEqualTo(new PhaseSettings(new ContainerLimits(0.25, 73 * MIB, 47), "none"));
                assertThat(settings.build().limits()).isEqualTo(new ContainerLimits(1, 64 * MIB, 30));
                assertThat(settings.readOnlyRoot()).isTrue();
                assertThat(settings.user()).contains("0:77");
                assertThat(settings.tmpfsMegabytes()).isEqualTo(2);
                assertThat(settings.image()).contains(images.good("code"));
            }
        }
    }
}
