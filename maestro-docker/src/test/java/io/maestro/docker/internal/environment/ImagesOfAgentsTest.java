package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Full("what belongs to an agent and is left is found by its labels, as SweepTest shows for each kind")
@RequiresEngine
class ImagesOfAgentsTest {
    @TempDir
    Path directory;

    private TestImages images;
    private Bench bench;

    @BeforeEach
    void open() {
        images = TestImages.ofDocker();
        bench = new Bench(directory, images, images.base());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** Otherwise one would work in, and bring into the project, what the other has built. */
    @Test
    void twoAgentsWithTheSameNameForAnImageHaveTwoImages() throws Exception {
        DockerProject project = bench.open(Map.of());
        Path second = bench.workspace("coder-002");
        try (StoryEnvironment one = Bench.environment(project, bench.place("7"));
                StoryEnvironment two =
                        Bench.environment(project, new Workplace("coder-002", "8", 1, second, List.of()))) {
            bench.write("Dockerfile", "FROM " + images.busybox() + "\nENV OF=one\n");
            Files.writeString(second.resolve("Dockerfile"), "FROM " + images.busybox() + "\nENV OF=two\n");
            Image first = built(one);
            Image other = built(two);
            assertThat(other).isNotEqualTo(first);
            assertThat(one.engine().image(one.images().scoped(one.place(), "app:dev")))
                    .contains(first);
            assertThat(two.engine().image(two.images().scoped(two.place(), "app:dev")))
                    .contains(other);
        }
    }

    private static Image built(StoryEnvironment environment) {
        ProjectImages images = environment.images();
        return images.builds()
                .build(
                        environment.engine(),
                        environment.place(),
                        new BuildPlan("Dockerfile", ".", Map.of()),
                        images.scoped(environment.place(), "app:dev"),
                        images.builds().limit());
    }

    /** The life that has built them was killed: nobody brings its stack down. */
    @Test
    void imagesOfAStackGoWithTheNextStart() throws Exception {
        DockerProject killed = bench.open(Map.of());
        String query = "image ls --quiet --filter label=" + Labels.INSTANCE + "="
                + killed.instance().id();
        StoryEnvironment environment = Bench.environment(killed, bench.place("7"));
        environment.enter(Phase.CODING);
        bench.write("Dockerfile", "FROM " + images.busybox() + "\nENV OF=stack\n");
        bench.write("compose.yaml", "services:\n  a:\n    build: .\n    command: sleep 600\n");
        assertThat(environment
                        .stack()
                        .up("compose.yaml", List.of(), Duration.ofMinutes(4))
                        .ok())
                .isTrue();
        assertThat(bench.cli().output(query.split(" "))).isNotEmpty();
        DockerProject next = bench.open(Map.of());
        assertThat(bench.cli().output(query.split(" "))).isEmpty();
        assertThat(bench.containers(next)).isEmpty();
    }
}
