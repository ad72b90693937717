package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.compose.StackReport;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine stops to answer, and what works on it is closed. */
@RequiresEngine
class HangingEngineTest {
    private static final Duration LIMIT = Duration.ofSeconds(4);

    @TempDir
    Path directory;

    /** A client that works unless there is a file, and does not end as long as there is one. */
    private Path client() throws IOException {
        Path client = Files.writeString(
                directory.resolve("docker"),
                "#!/bin/sh\nwhile [ -e '" + hangs() + "' ]; do sleep 0.1; done\nexec docker \"$@\"\n");
        return Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Path hangs() {
        return directory.resolve("hangs");
    }

    @ParameterizedTest
    @ValueSource(booleans = true)
    @Shows(code = "engines.closeTimeLimit")
    void closingEndsWithinItsLimit(boolean inCode) throws IOException {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory.resolve("project"), images, images.base())) {
            DockerEnvironments.Builder code = DockerEnvironments.builder()
                    .host(DockerHost.builder().program(client().toString()).build());
            DockerProject project = inCode
                    ? bench.open(Map.of("network", "none"), code.engines(all -> all.closeTimeLimit(LIMIT)), Map.of())
                    : bench.open(Map.of("network", "none", "close_seconds", LIMIT.toSeconds()), code, Map.of());
            StoryEnvironment first = Bench.environment(project, bench.place("1"));
            first.enter(Phase.CODING);
            // There are services to be brought down, too.
            assertThat(first.stack().status()).isEmpty();
            Files.createFile(hangs());
            long begin = System.nanoTime();
            assertThatThrownBy(first::close).isInstanceOf(DockerUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LIMIT.plusSeconds(15));
            begin = System.nanoTime();
            try {
                project.close();
            } catch (DockerUnavailableException e) {
                assertThat(e).hasMessageContaining("start");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(LIMIT.multipliedBy(2).plusSeconds(15));
            Files.delete(hangs());
        }
    }

    @Test
    @Full("SettingsTest reads the same setting, and closingEndsWithinItsLimit shows the effect")
    @Shows(file = "close_seconds")
    void closingEndsWithinTheLimitOfTheConfiguration() throws IOException {
        closingEndsWithinItsLimit(false);
    }

    @Test
    @Full("closingEndsWithinItsLimit has the same limit")
    void closingDoesNotWaitForWhoeverHangsWithTheEngine() throws Exception {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory.resolve("project"), images, images.base())) {
            DockerProject project = bench.open(
                    Map.of("network", "none"),
                    DockerEnvironments.builder()
                            .engines(all -> all.closeTimeLimit(LIMIT))
                            .host(DockerHost.builder()
                                    .program(client().toString())
                                    .build()),
                    Map.of());
            StoryEnvironment environment = Bench.environment(project, bench.place("1"));
            environment.enter(Phase.PLANNING);
            Files.createFile(hangs());
            Thread moving = new Thread(() -> {
                try {
                    environment.enter(Phase.CODING);
                } catch (RuntimeException expected) {
                    // It cannot: the engine hangs.
                }
            });
            moving.start();
            TestEngine.await(
                    () -> moving.getState() == Thread.State.TIMED_WAITING || moving.getState() == Thread.State.WAITING);
            long begin = System.nanoTime();
            assertThatThrownBy(environment::close).isInstanceOf(DockerUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LIMIT.plusSeconds(15));
            Files.delete(hangs());
            moving.interrupt();
            moving.join();
        }
    }

    /** Whoever starts services holds their lock until they run. */
    @Test
    @Full("waits for half of the limit; aCancelledStartIsBroughtDownAndDownIgnoresInterruptions ends what can be ended")
    void closingDoesNotWaitForServicesThatDoNotStart() throws Exception {
        Duration limit = Duration.ofSeconds(30);
        Path client = Files.writeString(
                directory.resolve("docker"),
                "#!/bin/sh\ncase \"$*\" in *' up --detach '*) : > '" + hangs()
                        + "'; while :; do sleep 0.1; done;; esac\nexec docker \"$@\"\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwxr-xr-x"));
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory.resolve("project"), images, images.base())) {
            DockerProject project = bench.open(
                    Map.of("network", "none"),
                    DockerEnvironments.builder()
                            .engines(all -> all.closeTimeLimit(limit))
                            .host(DockerHost.builder()
                                    .program(client.toString())
                                    .build()),
                    Map.of());
            StoryEnvironment environment = Bench.environment(project, bench.place("1"));
            environment.enter(Phase.CODING);
            bench.write("compose.yaml", "services:\n  a: {image: '" + images.busybox() + "', command: sleep 600}\n");
            FutureTask<StackReport> starting =
                    new FutureTask<>(() -> environment.stack().up("compose.yaml", List.of(), Duration.ofMinutes(2)));
            Thread starter = new Thread(starting, "starting");
            starter.start();
            TestEngine.await(() -> Files.exists(hangs()) || starting.isDone());
            long begin = System.nanoTime();
            environment.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(limit);
            assertThat(bench.containers(project)).isEmpty();
            assertThat(bench.networks(project)).isEmpty();
            assertThatThrownBy(() -> starting.get(60, TimeUnit.SECONDS)).hasMessageContaining("was cancelled");
            assertThat(bench.containers(project)).isEmpty();
        }
    }
}
