package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.Image;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds by the other engine, which has other ways out. */
@RequiresEngine("podman")
class PodmanBuildTest {
    @TempDir
    Path directory;

    private TestImages images;
    private Bench bench;

    @BeforeEach
    void open() {
        images = TestImages.ofPodman();
        bench = new Bench(directory, images, images.base());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Image built(DockerProject project, String dockerfile) {
        return built(project, dockerfile, Map.of());
    }

    private Image built(DockerProject project, String dockerfile, Map<String, String> arguments) {
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            return environment
                    .images()
                    .builds()
                    .build(
                            environment.engine(),
                            environment.place(),
                            new BuildPlan(dockerfile, ".", arguments),
                            "maestro-test-" + UUID.randomUUID(),
                            environment.images().builds().limit());
        }
    }

    @Full("ClientEnvironmentTest sees that every builder gets a file that is called Dockerfile")
    @Test
    void noPreprocessorOfTheMachineReadsItsFiles() throws Exception {
        String secret = "host" + UUID.randomUUID();
        Path file = Files.writeString(directory.resolve("host-file"), secret + "\n");
        bench.write("y.in", "FROM " + images.busybox() + "\n#include \"" + file + "\"\nRUN exit 9\n");
        assertThatThrownBy(() -> built(bench.open(Map.of()), "y.in"))
                .hasMessageContaining("exit 9")
                .message()
                .doesNotContainIgnoringCase(secret);
    }

    @Full("BuildSettingsTest does the same with docker")
    @Test
    void commandsOfABuildShareItsLimitsAndHaveNoMounts() {
        DockerProject project = bench.open(Map.of("build", Map.of("memory_mb", 64, "pids", 30)));
        String from = "FROM " + images.busybox() + "\nENV N=" + UUID.randomUUID() + "\n";
        bench.write("Dockerfile", from + "RUN for i in $(seq 60); do sleep 9 & done\n");
        assertThatThrownBy(() -> built(project, "Dockerfile")).hasMessageContaining("can't fork");
        bench.write("Dockerfile", from + "RUN head -c 200m /dev/zero | tail -c 200m | wc -c; exit 9\n");
        assertThatThrownBy(() -> built(project, "Dockerfile")).hasMessageNotContaining("209715200");
        bench.write("Dockerfile", from + "RUN --mount=type=cache,target=/root/.m2 id\n");
        assertThatThrownBy(() -> built(project, "Dockerfile")).hasMessageContaining("builder of this engine");
        assertThat(bench.containers(project)).isEmpty();
    }

    /** It would go on with what a proxy of the agent's choice has answered, in builds of the user without it. */
    @Full("one that only podman's and some ways of docker need")
    @Test
    void resultsThatAProxyDecidesOnAreNotLeftForOthers() {
        bench.write("Dockerfile", "FROM " + images.busybox() + "\nENV N=" + UUID.randomUUID() + "\nRUN true\n");
        DockerProject project = bench.open(Map.of());
        for (String name : List.of("http_proxy", "HTTPS_PROXY", "All_Proxy")) {
            assertThatThrownBy(() -> built(project, "Dockerfile", Map.of(name, "http://proxy.example.org")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'Dockerfile' is given the build argument " + name);
        }
        built(project, "Dockerfile", Map.of("PROXY", "http://proxy.example.org"));
    }
}
