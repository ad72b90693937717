package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same environments on podman. */
@Full("EngineTest makes containers on podman; phases and switches are those of docker")
@RequiresEngine("podman")
class PodmanEnvironmentTest {
    @TempDir
    Path directory;

    @Test
    void phasesSwitchesAndTheEnd() {
        TestImages images = TestImages.ofPodman();
        try (Bench bench = new Bench(directory, images, images.base())) {
            DockerProject project = bench.open(Map.of());
            assertThat(project.tools())
                    .extracting(tool -> tool.definition().name())
                    .contains("container_build")
                    .noneMatch(name -> name.startsWith("compose"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.PLANNING);
                assertThat(Bench.sh(environment, "touch x")).contains("Read-only file system");
                environment.enter(Phase.CODING);
                assertThat(Bench.sh(environment, "echo x > x; git")).isEqualTo("stub");
                assertThat(bench.workspace.resolve("x")).hasContent("x");
                StoryEnvironment.SwitchResult good = environment.switchTo(images.good("podman"));
                assertThat(good.error()).isEmpty();
                assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("podman");
                for (String bad : new String[] {
                    images.withoutShell(), images.endsAtOnce(), images.unstoppable(), "localhost/none:1"
                }) {
                    StoryEnvironment.SwitchResult change = environment.switchTo(bad);
                    assertThat(change.done()).as(bad).isFalse();
                    assertThat(change.now().image().origin()).isEqualTo(ProjectImage.Origin.SAFE);
                    assertThat(Bench.sh(environment, "git")).isEqualTo("stub");
                }
                bench.write("Dockerfile", "FROM " + images.busybox() + "\nENV BUILT=yes\n");
                String built = environment
                        .images()
                        .builds()
                        .build(
                                environment.engine(),
                                environment.place(),
                                new BuildPlan("Dockerfile", ".", Map.of()),
                                environment.images().scoped(environment.place(), "dev"),
                                environment.images().builds().limit())
                        .id();
                assertThat(environment.update(built).error()).isEmpty();
                assertThat(environment
                                .check(built, environment.place().directory())
                                .report())
                        .startsWith("the container image is good");
                assertThat(Bench.sh(environment, "echo $BUILT")).isEqualTo("yes");
                assertThat(bench.containers(project)).hasSize(1);
            }
            assertThat(bench.containers(project)).isEmpty();
        }
    }
}
