package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.Containers;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine's client goes on when its JVM is killed, and would build for ever. The next start ends it. */
@RequiresEngine
class KilledBuildTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"agent", "program"})
    @Full("a JVM and a build; aBuildEndsAtItsTimeLimit ends one, SweepTest finds what a killed JVM leaves")
    void aBuildDoesNotOutliveTheNextStart(String kind) throws Exception {
        Path project = directory.toRealPath();
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(project, images, images.base())) {
            // Unique, so that no other build has its result.
            String seconds = "6" + ThreadLocalRandom.current().nextInt(100_000, 1_000_000);
            bench.write(
                    "Dockerfile", "FROM " + images.busybox() + "\nRUN echo " + project + "; sleep " + seconds + "\n");
            Process host = ChildJvm.of(KilledBuildHost.class, project.toString(), bench.base, kind)
                    .redirectErrorStream(true)
                    .redirectOutput(project.resolve("host.log").toFile())
                    .start();
            try {
                // Clients that build something else come before.
                TestEngine.await(() -> isRunning(seconds) && !clients(project).isEmpty() || !host.isAlive());
                assertThat(host.isAlive())
                        .as("it has ended: %s", Files.readString(project.resolve("host.log")))
                        .isTrue();
            } finally {
                host.destroyForcibly().waitFor();
            }
            if (kind.equals("agent")) {
                bench.open(Map.of());
            } else {
                Containers.on(DockerHost.local())
                        .projectDirectory(project)
                        .open()
                        .close();
            }
            TestEngine.await(() -> clients(project).isEmpty());
            try (Stream<Path> left = Files.list(project.resolve(".maestro/clients"))) {
                assertThat(left).isEmpty();
            }
            String instance =
                    Files.readAllLines(project.resolve(".maestro/instance")).get(0);
            assertThat(new DockerCli(DockerHost.local())
                            .output("image", "ls", "--format", "{{.Repository}}:{{.Tag}}", "maestro-base"))
                    .doesNotContain("-" + instance + "-");
        }
    }

    /** Whether the command of the Dockerfile runs; the engine is on this machine. */
    private static boolean isRunning(String seconds) {
        return ProcessHandle.allProcesses()
                .anyMatch(process -> process.info()
                        .arguments()
                        .map(List::of)
                        .filter(words -> words.contains(seconds))
                        .isPresent());
    }

    /** Processes that build from a directory. */
    private static List<ProcessHandle> clients(Path project) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .map(List::of)
                        .filter(words -> words.contains("--iidfile")
                                && words.stream().anyMatch(word -> word.startsWith(project + "/")))
                        .isPresent())
                .toList();
    }
}
