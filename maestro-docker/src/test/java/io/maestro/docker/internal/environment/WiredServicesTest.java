package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.compose.StackReport;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services of compose files beside the containers of a story. */
@RequiresEngine
class WiredServicesTest {
    @TempDir
    Path directory;

    @Test
    @Full("EgressTest reaches a service from two containers of a story")
    void servicesAreReachedFromEveryContainerOfTheStoryAndEndWithIt() throws Exception {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base())) {
            String good = images.good("beside");
            bench.write(
                    "compose.yml",
                    "services:\n  web:\n    image: " + images.busybox()
                            + "\n    command: [sh, -c, 'mkdir /tmp/w; echo hello > /tmp/w/index.html;"
                            + " exec httpd -f -p 8080 -h /tmp/w']\n");
            DockerProject project = bench.open(Map.of());
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                StackReport report = environment.stack().up("compose.yml", List.of(), Duration.ofSeconds(120));
                assertThat(report.ok()).as("%s", report).isTrue();
                assertReached(environment);
                assertThat(environment.switchTo(good).done()).isTrue();
                assertReached(environment);
                assertThat(bench.containers(project)).hasSize(2);
            }
            assertThat(bench.containers(project)).isEmpty();
            assertThat(bench.networks(project)).isEmpty();

            // What a life that was killed has left in the project directory goes with the next start.
            Path stale = Files.createDirectories(directory.resolve(".maestro/builds/x/y"));
            bench.open(Map.of());
            assertThat(stale).doesNotExist();
        }
    }

    private static void assertReached(StoryEnvironment environment) {
        String said = "";
        for (int attempt = 0; attempt < 100 && !said.contains("hello"); attempt++) {
            said = Bench.sh(environment, "wget -q -O - http://web:8080/ || { sleep 0.2; false; }");
        }
        assertThat(said).contains("hello");
    }
}
