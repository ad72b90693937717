package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Equipment;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecRequest;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On docker, also what does not depend on the engine. */
@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
class EquipmentTest extends EquipmentContract {
    @Override
    TestImages images() {
        return TestImages.ofDocker();
    }

    @Test
    @Full("four containers")
    void nobodyElseHasIt() {
        Path sockets = bench.write("../sockets/a", "x").getParent();
        Equipment all = new Equipment(true, Optional.of(sockets), true);
        DockerProject project = life();
        String look = "ls -a /tmp/.claude /run/maestro; cat /etc/hosts";
        try (StoryEnvironment environment = entered(project, bench.place("7", 1, all), Phase.CODING)) {
            assertThat(Bench.sh(environment, look)).contains(".maestro", "host.docker.internal");
            String image = environment.now().orElseThrow().image().id();
            String seen = environment.throwaway(
                    Phase.CODING,
                    image,
                    true,
                    executor -> executor.executor()
                            .run(ExecRequest.shell(look).build())
                            .stdout()
                            .text());
            assertThat(seen).contains("localhost").doesNotContain(".maestro", "host.docker.internal", "a\n\n");
            environment.remove();
        }
        try (StoryEnvironment environment = entered(project, bench.place("7", 1, all), Phase.ARCHITECT)) {
            assertThat(Bench.sh(environment, look)).doesNotContain(".maestro", "host.docker.internal");
            assertThat(bench.volumes(project)).isEmpty();
        }
        try (StoryEnvironment environment = entered(project, bench.place("7", 1, Equipment.NONE), Phase.CODING)) {
            assertThat(environment.stateDirectory()).isEmpty();
            assertThat(environment.socketDirectory()).isEmpty();
            assertThat(environment.hostRoute()).isEmpty();
            assertThat(Bench.sh(environment, look)).doesNotContain(".maestro", "host.docker.internal");
            assertThat(bench.volumes(project)).isEmpty();
        }
    }

    @Test
    @Full("theStateOutlastsEveryContainer writes as a user that no image knows")
    void anyUserOfAnImageCanWrite() throws IOException {
        Files.setPosixFilePermissions(bench.workspace, PosixFilePermissions.fromString("rwxrwxrwx"));
        String image = images.build(
                "named",
                "FROM " + images.busybox() + "\nCOPY passwd group /etc/\n",
                Map.of("passwd", "agent:x:777:778::/:/bin/sh\n", "group", "agent:x:778:\n"));
        try (StoryEnvironment environment =
                entered(life("image", image, "user", "agent"), bench.place("7", 1, KEEPS), Phase.CODING)) {
            assertThat(environment.now().orElseThrow().problem()).isEmpty();
            keep(environment, "named");
            assertThat(Bench.sh(environment, "id -u")).isEqualTo("777");
        }
    }

    @Test
    @Full("a life that was not closed leaves the same: anotherAttemptStoryOrUserFindsNothing")
    void aKilledLifeIsFollowedByOneThatFindsTheState() throws Exception {
        Process host = ChildJvm.of(StateHost.class, bench.directory.toString(), base, USER)
                .redirectErrorStream(true)
                .redirectOutput(bench.directory.resolve("host.log").toFile())
                .start();
        Path kept = bench.directory.resolve("kept");
        try {
            TestEngine.await(() -> Files.exists(kept) && !read(kept).isEmpty() || !host.isAlive());
        } finally {
            host.destroyForcibly().waitFor();
        }
        assertThat(kept).as(read(bench.directory.resolve("host.log"))).exists();

        DockerProject project = life();
        assertThat(bench.containers(project)).isEmpty();
        assertThat(bench.volumes(project)).hasSize(1);
        try (StoryEnvironment environment = entered(project, bench.place("7", 1, KEEPS), Phase.CODING)) {
            assertThat(state(environment)).isEqualTo("killed");
            environment.remove();
        }
        assertThat(bench.volumes(project)).isEmpty();
    }

    @Test
    void whatIsKeptIsOfOneAttempt() {
        DockerProject project = life();
        StoryEnvironment environment = Bench.environment(project, bench.place("7", 1, KEEPS));
        environment
                .engine()
                .createVolume(
                        project.instance().lastingName("coder-001", "state"),
                        "coder-001",
                        "state",
                        Map.of(Labels.KEEP, "state", Labels.STORY, "7", Labels.ATTEMPT, "1", Labels.OWNER, USER));
        assertThat(StateVolume.isOn(environment.engine(), bench.place("7", 1, KEEPS)))
                .isTrue();
        assertThat(StateVolume.isOn(environment.engine(), bench.place("7", 2, KEEPS)))
                .isFalse();
        assertThat(StateVolume.isOn(environment.engine(), bench.place("8", 1, KEEPS)))
                .isFalse();
        environment.close();
        assertThat(bench.volumes(project)).hasSize(1);
        environment.remove();
        assertThat(bench.volumes(project)).isEmpty();
    }

    /** The environments of lives that are never closed are left as a kill leaves them. */
    @Test
    @Full("five containers; whatIsKeptIsOfOneAttempt compares the labels")
    void anotherAttemptStoryOrUserFindsNothing() {
        keep(entered(life(), bench.place("7", 1, KEEPS), Phase.CODING), "one");
        // Once more, and the label of an earlier life is no reason to remove it.
        StoryEnvironment same = entered(life(), bench.place("7", 1, KEEPS), Phase.PLANNING);
        assertThat(state(same)).isEqualTo("one");
        assertThat(StateVolume.isOn(same.engine(), bench.place("7", 1, KEEPS))).isTrue();
        assertThat(StateVolume.isOn(same.engine(), bench.place("7", 2, KEEPS))).isFalse();
        assertThat(StateVolume.isOn(same.engine(), bench.place("8", 1, KEEPS))).isFalse();

        StoryEnvironment second = entered(life(), bench.place("7", 2, KEEPS), Phase.PLANNING);
        assertThat(state(second)).contains("No such file");
        keep(second, "two");
        bench.openAttempts = Map.of("7", 2);
        TestEngine.chown(bench.workspace, 2345, 2346);
        DockerProject last = life("user", "2345:2346");
        StoryEnvironment stranger = entered(last, bench.place("7", 2, KEEPS), Phase.CODING);
        assertThat(state(stranger)).contains("No such file");
        keep(stranger, "three");
        assertThat(bench.volumes(last)).hasSize(1);
    }

    @Full("one more container; anotherAttemptStoryOrUserFindsNothing compares the story by the labels")
    @Test
    void anotherStoryFindsNothing() {
        keep(entered(life(), bench.place("7", 1, KEEPS), Phase.CODING), "one");
        StoryEnvironment other = entered(life(), bench.place("8", 1, KEEPS), Phase.PLANNING);
        assertThat(state(other)).contains("No such file");
        keep(other, "two");
    }

    @Test
    @Full("EnvironmentContract has the same for every environment")
    void whatWasKeptGoesWithAnEndThatCameBeforeTheFirstCommand() {
        keep(entered(life(), bench.place("7", 1, KEEPS), Phase.CODING), "one");
        DockerProject second = life();
        StoryEnvironment unplaced = Bench.environment(second, bench.place("7", 1, KEEPS));
        assertThat(bench.volumes(second)).hasSize(1);
        unplaced.remove();
        assertThat(bench.volumes(second)).isEmpty();

        StoryEnvironment next = entered(second, bench.place("8", 1, KEEPS), Phase.CODING);
        keep(next, "two");
        // Not again: the agent has something new by now.
        unplaced.remove();
        assertThat(state(next)).isEqualTo("two");
    }

    /** Of others nobody but they know which attempts are open; without its workspace none can go on. */
    @Test
    @Full("two projects; SweepTest has what else is dead")
    void whatADeadProjectsAttemptsKeepStaysWithTheirWorkspaces() throws IOException {
        DockerProject dead = life();
        Engine engine = Bench.environment(dead, bench.place("7", 1, KEEPS)).engine();
        for (String agent : List.of("coder-001", "coder-002")) {
            engine.createVolume(
                    dead.instance().lastingName(agent, "state"),
                    agent,
                    "state",
                    Map.of(Labels.KEEP, "state", Labels.STORY, "7", Labels.ATTEMPT, "1", Labels.OWNER, USER));
        }
        dead.close();
        assertThat(bench.volumes(dead)).hasSize(2);
        Files.setLastModifiedTime(
                bench.directory.resolve(".maestro/heartbeat"),
                FileTime.from(Instant.now().minus(Duration.ofMinutes(5))));
        try (Bench other = new Bench(Files.createTempDirectory(parent, "other").toRealPath(), images, base)) {
            other.open(Map.of()).endLeftovers(Map.of());
            assertThat(bench.volumes(dead)).singleElement().asString().contains("coder-001");
        }
    }

    @Test
    @Full("theStateOutlastsEveryContainer gives one away")
    void aVolumeThatWasNotGivenAwayYetIs() {
        DockerProject project = life();
        StoryEnvironment environment = Bench.environment(project, bench.place("7", 1, KEEPS));
        environment
                .engine()
                .createVolume(
                        project.instance().lastingName("coder-001", "state"),
                        "coder-001",
                        "state",
                        Map.of(Labels.KEEP, "state", Labels.STORY, "7", Labels.ATTEMPT, "1", Labels.OWNER, USER));
        environment.enter(Phase.CODING);
        keep(environment, "one");
        environment.close();
    }

    @Test
    void somebodyElsesVolumeIsNeitherUsedNorRemoved() {
        DockerProject project = life();
        String name = project.instance().lastingName("coder-001", "state");
        String label = Labels.INSTANCE + "=" + UUID.randomUUID();
        bench.cli().output("volume", "create", "--label", label, "--label", Labels.KEEP + "=state", name);
        try {
            StoryEnvironment environment = Bench.environment(project, bench.place("7", 1, KEEPS));
            assertThatThrownBy(() -> environment.enter(Phase.CODING))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("was not made by this instance");
            assertThat(bench.containers(project)).isEmpty();
            environment.close();
            project.close();
            assertThat(bench.cli().output("volume", "ls", "--quiet", "--filter", "label=" + label))
                    .isEqualTo(name);
        } finally {
            bench.cli().output("volume", "rm", name);
        }
    }

    /** For a network with a subnet docker lists no gateway, if none was given. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Full("serversOnTheBridgeAreReached has the other kind of network")
    void serversAreReachedFromANetworkOfTheHosts(boolean subnet) throws Exception {
        String network = "maestro-test-" + UUID.randomUUID();
        List<String> create = new ArrayList<>(List.of("network", "create", network));
        if (subnet) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            create.addAll(List.of("--subnet", "10." + random.nextInt(256) + "." + random.nextInt(256) + ".0/24"));
        }
        bench.cli().output(create.toArray(String[]::new));
        try {
            DockerProject project = life("network", network);
            try (StoryEnvironment environment = entered(project, bench.place("7", 1, REACHES), Phase.CODING)) {
                requireAnswer(environment);
            }
        } finally {
            bench.cli().output("network", "rm", network);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
