package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.CommandLostException;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
class StoryEnvironmentTest {
    private static final long MIB = 1L << 20;

    private static TestImages images;
    private static String base;

    @TempDir
    Path directory;

    private Bench bench;

    @BeforeAll
    static void buildImages() {
        images = TestImages.ofDocker();
        base = images.base();
    }

    @BeforeEach
    void open() {
        bench = new Bench(directory, images, base);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private JsonNode inspect(StoryEnvironment environment) {
        return bench.inspect(environment.now().orElseThrow().container().id());
    }

    @Test
    void eachPhaseHasWhatItNeedsAndNoMore() {
        bench.write("a.txt", "hello");
        DockerProject project =
                bench.open(Map.of(), DockerEnvironments.builder(), Map.of("API_TOKEN", "planted-3f9d1c77e2"));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.PLANNING);
            JsonNode planning = inspect(environment);
            assertThat(planning.path("HostConfig").path("NanoCpus").asLong()).isEqualTo(1_000_000_000L);
            assertThat(planning.path("HostConfig").path("Memory").asLong()).isEqualTo(512 * MIB);
            assertThat(planning.path("HostConfig").path("PidsLimit").asInt()).isEqualTo(256);
            assertThat(planning.path("HostConfig").path("NetworkMode").asText()).isEqualTo("none");
            assertThat(Bench.sh(environment, "pwd; cat a.txt; echo $HOME")).isEqualTo("/workspace\nhello/tmp");
            assertThat(Bench.sh(environment, "echo $API_TOKEN; echo x > b.txt")).contains("Read-only file system");
            assertThat(Bench.sh(environment, "echo x > /tmp/b && cat /tmp/b")).isEqualTo("x");

            environment.enter(Phase.CODING);
            JsonNode coding = inspect(environment);
            assertThat(coding.path("HostConfig").path("NanoCpus").asLong()).isEqualTo(2_000_000_000L);
            assertThat(coding.path("HostConfig").path("Memory").asLong()).isEqualTo(2048 * MIB);
            assertThat(coding.path("HostConfig").path("PidsLimit").asInt()).isEqualTo(1024);
            assertThat(coding.path("HostConfig").path("NetworkMode").asText())
                    .matches("maestro-[0-9a-f]{8}-coder-001-net-[0-9a-f]+");
            assertThat(Bench.sh(environment, "echo $API_TOKEN; echo x > b.txt")).isEqualTo("planted-3f9d1c77e2");
            assertThat(bench.workspace.resolve("b.txt")).hasContent("x");
            assertThat(coding.toString()).doesNotContain("planted-3f9d1c77e2");
            assertThat(bench.containers(project)).hasSize(1);

            environment.enter(Phase.PLANNING);
            assertThat(Bench.sh(environment, "echo x$API_TOKEN")).isEqualTo("x");
        }
        assertThat(bench.containers(project)).isEmpty();
    }

    @Test
    void theArchitectReadsAllWorkspacesAndTheMirrorAndWritesNothing() throws Exception {
        DockerProject project = bench.open(Map.of());
        Path own = bench.workspace("architect");
        Path mirror = Files.createDirectory(directory.resolve("mirror.git"));
        Files.writeString(mirror.resolve("HEAD"), "ref");
        bench.write("a.txt", "hello");
        try (StoryEnvironment environment = Bench.environment(
                project, new Workplace("architect", null, 0, own, List.of(bench.workspace, mirror)))) {
            environment.enter(Phase.ARCHITECT);
            assertThat(environment.locate(own)).isEqualTo("/workspace");
            String coder = environment.locate(bench.workspace);
            assertThat(Bench.sh(environment, "cat " + coder + "/a.txt " + environment.locate(mirror) + "/HEAD"))
                    .isEqualTo("helloref");
            for (String place : List.of("/workspace", coder, environment.locate(mirror), "/", "/etc", "/bin")) {
                assertThat(Bench.sh(environment, "touch " + place + "/x && echo written"))
                        .as(place)
                        .contains("Read-only file system");
            }
            JsonNode inspected = inspect(environment);
            assertThat(inspected.path("HostConfig").path("ReadonlyRootfs").asBoolean())
                    .isTrue();
            assertThat(inspected.path("HostConfig").path("PidsLimit").asInt()).isEqualTo(256);
        }
    }

    @Test
    void whatAToolLeavesEndsWithTheAttempt() {
        DockerProject project = bench.open(Map.of());
        Engine engine;
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            engine = environment.engine();
            engine.createSharedNetwork(environment.place().agentId(), "boxes", Map.of(), false);
        }
        assertThat(engine.networks()).isEmpty();
    }

    @Full("LostContainerTest has a container that is lost")
    @Test
    void aContainerThatWasRemovedIsMadeAnewAndTheAnswerSaysSo() {
        DockerProject project = bench.open(Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            assertThat(Bench.sh(environment, "echo one")).isEqualTo("one");
            String first = environment.now().orElseThrow().container().id();
            bench.cli().output("rm", "--force", first);
            String two;
            try {
                two = Bench.sh(environment, "echo two");
            } catch (CommandLostException e) {
                // Sent to the old one before its end was noticed.
                two = "" + e.getMessage();
            }
            assertThat(two).contains("was removed by somebody; a new one runs now");
            assertThat(environment.now().orElseThrow().container().id()).isNotEqualTo(first);
            assertThat(Bench.sh(environment, "echo three")).isEqualTo("three");
            String second = environment.now().orElseThrow().container().id();
            bench.cli().output("kill", second);
            environment.enter(Phase.CODING);
            assertThat(Bench.sh(environment, "echo four")).isEqualTo("four");
            assertThat(bench.containers(project)).hasSize(1);
        }
    }

    @Test
    @Full("each phase and each switch has a container of its own; ContainerToolsTest switches, too")
    void aSwitchKeepsMountsLimitsVariablesAndUser() {
        String good = images.good("switch");
        DockerProject project = bench.open(Map.of(), DockerEnvironments.builder(), Map.of("TOKEN", "t0ken-value"));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            JsonNode before = inspect(environment);
            StoryEnvironment.SwitchResult change = environment.switchTo(good);
            assertThat(change.error()).isEmpty();
            assertThat(change.done()).isTrue();
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME $TOKEN")).isEqualTo("switch t0ken-value");
            assertSame(before, inspect(environment));
            environment.enter(Phase.PLANNING);
            environment.enter(Phase.CODING);
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("switch");
            assertSame(before, inspect(environment));
            assertThat(environment.update(images.good("updated")).done()).isTrue();
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME $TOKEN")).isEqualTo("updated t0ken-value");
            assertSame(before, inspect(environment));
            assertThat(bench.containers(project)).hasSize(1);
        }
    }

    private static void assertSame(JsonNode before, JsonNode after) {
        for (String part : List.of(
                "Mounts",
                "Memory",
                "NanoCpus",
                "PidsLimit",
                "NetworkMode",
                "Tmpfs",
                "CapDrop",
                "SecurityOpt",
                "Init")) {
            assertThat(after.path("HostConfig").path(part))
                    .as(part)
                    .isEqualTo(before.path("HostConfig").path(part));
        }
        assertThat(after.path("Config").path("User"))
                .isEqualTo(before.path("Config").path("User"));
        assertThat(after.path("Mounts")).isEqualTo(before.path("Mounts"));
    }

    @Test
    @Full("ContainerToolsTest.anUpdateThatFailsIsRolledBackAndSaysSo falls back, too")
    void whatCannotBeWorkedInFallsBackToTheSafeContainerAndSaysSo() {
        DockerProject project = bench.open(Map.of("image", images.good("configured")));
        Map<String, String> bad = Map.of(
                images.withoutShell(),
                "has no POSIX shell",
                "maestro-test/none-such:1",
                "there is no image 'maestro-test/none-such:1'",
                images.endsAtOnce(),
                "ended at once",
                images.unstoppable(),
                "cannot be stopped");
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            assertThat(environment.now().orElseThrow().image().origin()).isEqualTo(ProjectImage.Origin.CONFIGURED);
            bad.forEach((image, reason) -> {
                StoryEnvironment.SwitchResult change = environment.switchTo(image);
                assertThat(change.done()).isFalse();
                assertThat(change.error())
                        .hasValueSatisfying(error -> assertThat(error).contains(reason));
                assertThat(change.now().image().origin()).isEqualTo(ProjectImage.Origin.SAFE);
                assertThat(Bench.sh(environment, "git")).isEqualTo("stub");
                assertThat(bench.containers(project)).hasSize(1);
            });
            // It stays so in the next phase.
            environment.enter(Phase.PLANNING);
            assertThat(Bench.sh(environment, "git")).isEqualTo("stub");
        }
        assertThat(bench.containers(project)).isEmpty();
    }

    @Test
    @Full("ContainerToolsTest.anUpdateThatFailsIsRolledBackAndSaysSo is the same by a tool")
    void anUpdateThatFailsLeavesWhatRan() {
        DockerProject project = bench.open(Map.of("image", images.good("configured")));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            String before = environment.now().orElseThrow().container().id();
            StoryEnvironment.SwitchResult change = environment.update(images.withoutShell());
            assertThat(change.done()).isFalse();
            assertThat(change.now().container().id()).isEqualTo(before);
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("configured");
            assertThat(bench.containers(project)).hasSize(1);
        }
    }

    @Test
    void aConfiguredImageThatCannotBeHadIsAnError() {
        // Nobody listens there.
        DockerProject project = bench.open(Map.of("image", "127.0.0.1:1/none-such:1"));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            assertThatThrownBy(() -> environment.enter(Phase.PLANNING))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("the configured image '127.0.0.1:1/none-such:1' is not on the engine")
                    .hasMessageContaining("cannot be pulled")
                    .hasMessageContaining("change container.image");
            assertThatThrownBy(() -> environment.runFresh(bench.workspace, null, executor -> "ran"))
                    .hasMessageContaining("the configured image '127.0.0.1:1/none-such:1' is not on the engine");
            assertThat(bench.containers(project)).isEmpty();
        }
    }

    @Test
    @Full("two containers and a wait")
    void commandsInFlightAreCancelledWhenTheContainerChanges() throws Exception {
        String good = images.good("flight");
        DockerProject project = bench.open(Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment.enter(Phase.CODING);
            CompletableFuture<ExecResult> flying = CompletableFuture.supplyAsync(() -> environment
                    .executor()
                    .run(ExecRequest.shell("echo begun > begun; sleep 100; echo $IMAGE_NAME > ended")
                            .timeLimit(Duration.ofSeconds(90))
                            .build()));
            TestEngine.await(() -> Files.exists(bench.workspace.resolve("begun")) || flying.isDone());
            assertThat(environment.switchTo(good).done()).isTrue();
            assertThat(flying.get().ending()).isEqualTo(ExecResult.Ending.CANCELLED);
            assertThat(bench.workspace.resolve("ended")).doesNotExist();
            assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("flight");
        }
    }

    @Full("ComposeStackTest has an end that is interrupted")
    @Test
    void closingIsNotCutShortByAnInterruptAndHappensOnce() {
        DockerProject project = bench.open(Map.of());
        StoryEnvironment environment = Bench.environment(project, bench.place("7"));
        environment.enter(Phase.CODING);
        Thread.currentThread().interrupt();
        environment.close();
        assertThat(Thread.interrupted()).isTrue();
        environment.close();
        assertThat(bench.containers(project)).isEmpty();
        assertThatThrownBy(() -> Bench.sh(environment, "true")).isInstanceOf(ExecException.class);
        assertThatThrownBy(() -> environment.enter(Phase.CODING)).hasMessageContaining("is closed");
    }
}
