package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.Builds;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.ProjectImage;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Dockerfile can start from the safe image, whose name differs from engine to engine. */
@RequiresEngine
class BootstrapArgumentTest {
    private static final String DOCKERFILE =
            "ARG MAESTRO_BOOTSTRAP=maestro-test/none:1\nFROM ${MAESTRO_BOOTSTRAP}\nENV MORE=than-safe\n";

    @TempDir
    Path directory;

    @Test
    @Full("whatAnAgentBuildsStartsFromTheSafeOneUnlessItSaysAnother has the same way to the argument, and"
            + " SettingsEffectTest.anImageFromTheDockerfileOfTheRepository the one to the image of the repository")
    void theImageOfTheRepositoryStartsFromTheSafeOne() throws Exception {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base())) {
            bench.write("docker/Dockerfile", DOCKERFILE);
            DockerProject project = bench.open(Map.of("dockerfile", "docker/Dockerfile"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                assertThat(environment.now().orElseThrow().problem()).isEmpty();
                ProjectImage image = environment.now().orElseThrow().image();
                assertThat(image.origin()).isEqualTo(ProjectImage.Origin.BUILT);
                assertStartsFromTheSafeImage(bench, environment, image.id());
                assertThat(Bench.sh(environment, "echo $MORE $LANG")).isEqualTo("than-safe C.UTF-8");
            }
        }
    }

    @Test
    @Full("two builds")
    void whatAnAgentBuildsStartsFromTheSafeOneUnlessItSaysAnother() throws Exception {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base())) {
            bench.write("Dockerfile", DOCKERFILE);
            DockerProject project = bench.open(Map.of());
            ToolCaller caller = new ToolCaller(project, false);
            assertThat(project.tools())
                    .filteredOn(tool -> tool.definition().name().equals("container_build"))
                    .singleElement()
                    .satisfies(tool -> assertThat(tool.definition().description())
                            .contains("ARG " + Builds.SAFE_ARGUMENT, "FROM ${" + Builds.SAFE_ARGUMENT + "}"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                ToolResult built = caller.call("container_build", Map.of("tag", "dev"));
                assertThat(built.isError()).as(built.text()).isFalse();
                assertStartsFromTheSafeImage(
                        bench, environment, built.data().get("image").toString());
                assertThat(caller.call("container_switch", Map.of("image", "dev"))
                                .isError())
                        .isFalse();
                assertThat(Bench.sh(environment, "echo $MORE; git")).isEqualTo("than-safe\nstub");

                String other = images.good("other");
                ToolResult another = caller.call(
                        "container_build",
                        Map.of(
                                "tag",
                                "dev2",
                                "build_args",
                                List.of(Map.of("name", Builds.SAFE_ARGUMENT, "value", other))));
                assertThat(another.isError()).as(another.text()).isFalse();
                assertThat(layers(bench, another.data().get("image").toString()))
                        .isEqualTo(layers(bench, other));
            }
        }
    }

    private static void assertStartsFromTheSafeImage(Bench bench, StoryEnvironment environment, String image)
            throws IOException {
        List<String> safe =
                layers(bench, environment.images().safe(environment.engine()).id());
        // More than the base has, or the base alone would do.
        assertThat(safe).hasSizeGreaterThan(layers(bench, bench.base).size());
        assertThat(layers(bench, image)).startsWith(safe.toArray(String[]::new));
    }

    private static List<String> layers(Bench bench, String image) throws IOException {
        List<String> layers = new ArrayList<>();
        JsonNode found = new ObjectMapper().readTree(bench.cli().output("image", "inspect", image));
        found.get(0).path("RootFS").path("Layers").forEach(layer -> layers.add(layer.asText()));
        return layers;
    }
}
