package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.docker.testing.TestRegistry;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images that are not on the engine yet. */
@Full("StoryEnvironmentTest has one that cannot be had")
@RequiresEngine
class PulledImageTest {
    @TempDir
    Path directory;

    private final TestImages images = TestImages.ofDocker();
    private TestRegistry registry;
    private Bench bench;

    @BeforeEach
    void open() throws Exception {
        registry = new TestRegistry();
        bench = new Bench(directory.resolve("bench"), images, images.base());
    }

    @AfterEach
    void close() throws Exception {
        bench.cli().run("image", "rm", "--force", registry.name("app:1"));
        bench.close();
        registry.close();
    }

    private void publish() throws Exception {
        registry.publish(bench.cli(), images.good("pulled"), "app:1", directory.resolve("archive"));
    }

    @Test
    void oneThatIsConfiguredIsPulledOnce() throws Exception {
        publish();
        DockerProject project = bench.open(Map.of("image", registry.name("app:1")));
        for (int attempt = 1; attempt <= 2; attempt++) {
            try (StoryEnvironment environment = Bench.environment(project, bench.place("1"))) {
                environment.enter(Phase.PLANNING);
                assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("pulled");
            }
        }
        assertThat(registry.asked())
                .filteredOn(path -> path.endsWith("/manifests/1"))
                .hasSizeBetween(1, 2);
    }

    @Test
    void anAgentsIsPulledWhereItIsAllowedOnly() throws Exception {
        publish();
        String name = registry.name("app:1");
        DockerProject strict = bench.open(Map.of());
        try (StoryEnvironment environment = Bench.environment(strict, bench.place("1"))) {
            assertThatThrownBy(() -> found(environment, name)).hasMessageContaining("may not be used");
        }
        assertThat(registry.asked()).isEmpty();
        DockerProject allowing = bench.open(Map.of("allowed_images", List.of(name)));
        try (StoryEnvironment environment = Bench.environment(allowing, bench.place("1"))) {
            assertThat(bench.cli().output("image", "inspect", "--format", "{{.Config.Env}}", found(environment, name)))
                    .contains("IMAGE_NAME=pulled");
        }
    }

    private static String found(StoryEnvironment environment, String name) {
        return environment
                .images()
                .find(environment.engine(), environment.place(), name)
                .id();
    }

    @Test
    void aRegistryThatRefusesIsAnErrorThatSaysSo() {
        DockerProject project = bench.open(Map.of("image", registry.name("app:1")));
        for (int status : new int[] {401, 404}) {
            registry.refuse(status);
            try (StoryEnvironment environment = Bench.environment(project, bench.place("1"))) {
                assertThatThrownBy(() -> environment.enter(Phase.PLANNING))
                        .isInstanceOf(DockerException.class)
                        .hasMessageContaining("the configured image '" + registry.name("app:1") + "' is not on")
                        .hasMessageContaining("cannot be pulled")
                        .hasMessageMatching("(?s).*(" + status + "|unauthorized|denied|not found|unknown|manifest).*");
            }
        }
        assertThat(bench.containers(project)).isEmpty();
    }
}
