package io.maestro.docker.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Campaign;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A host with containers is killed by SIGKILL in every phase and started again: the story is done, and nothing is left. Each test
 * has a project of its own.
 */
@RequiresEngine
@Execution(ExecutionMode.CONCURRENT)
class KilledContainersTest {
    /** A life takes a minute on a slow machine, and several beside other tests. */
    private static final long LIFE_LIMIT_SECONDS = 900;

    @TempDir
    Path directory;

    /** The image that the story has chosen is the project's, and stays as long as that. */
    @AfterEach
    void removeImages() throws Exception {
        String instance = Files.readString(directory.resolve("project/.maestro/instance"))
                .lines()
                .findFirst()
                .orElseThrow();
        List<String> images = run(List.of(
                        "docker",
                        "images",
                        "--quiet",
                        "--no-trunc",
                        "--filter",
                        "label=io.maestro.built-by=" + instance))
                .lines()
                .distinct()
                .toList();
        assertThat(images).isNotEmpty();
        List<String> command = new ArrayList<>(List.of("docker", "rmi", "--force"));
        command.addAll(images);
        run(command);
    }

    /**
     * One story, killed after tools, with what was there before, and what the tool has made: after the one that has volumes, and
     * one of the others that is drawn anew each time, or as many as a number says.
     */
    @Test
    @Full("three JVMs; SweepTest and ComposeCrashTest have what a kill leaves")
    void killsAfterToolsLeaveNothing() throws Exception {
        ContainerStory.repository(directory);
        List<String> others = new ArrayList<>(List.of("container_build", "container_switch", "container_update"));
        Collections.shuffle(others, new Random(Campaign.seed("kills after tools")));
        // In this order: a life goes on behind the tool that the one before it has called.
        List<String> tools =
                new ArrayList<>(List.of("container_build", "container_switch", "compose_up", "container_update"));
        tools.removeAll(others.subList(Math.min(others.size(), Campaign.number(1)), others.size()));
        for (String tool : tools) {
            assertThat(live(ContainerHost.IN_TOOL, tool)).isFalse();
            assertThat(objects()).as(tool).isNotEmpty();
            assertThat(objects().stream().anyMatch(object -> object.startsWith("volume")))
                    .as("%s: only services have one", tool)
                    .isEqualTo(tool.equals("compose_up"));
        }
        assertThat(live()).isTrue();
        assertDone();
    }

    @Full("many JVMs and containers")
    @Test
    void killsAtChangesOfStateLeaveNothing() throws Exception {
        ContainerStory.repository(directory);
        // In the full tier at each second one.
        boolean each = Campaign.number(0) > 0;
        int kills = 0;
        int leftByKills = 0;
        while (!live(ContainerHost.AT_TRANSITION, each ? "1" : "2")) {
            kills++;
            leftByKills += objects().size();
        }
        System.out.println("kills: " + kills + ", objects left by them: " + leftByKills + ", at the end: " + objects());
        assertThat(kills).isGreaterThanOrEqualTo(each ? 8 : 4);
        assertThat(leftByKills).as("a kill that leaves nothing tries nothing").isPositive();
        assertDone();
    }

    private void assertDone() throws Exception {
        assertThat(objects()).isEmpty();
        TestRepository repository = TestRepository.existing(directory);
        assertThat(repository.show("main", "work.txt")).isEqualTo("good");
        assertThat(repository
                        .git("log", "--first-parent", "--merges", "--format=%s", "main")
                        .lines())
                .hasSize(1);
    }

    /** Containers, volumes and networks of the project, whatever instance and life they belong to. */
    private List<String> objects() throws Exception {
        String label = "label=io.maestro.project=" + directory.resolve("project");
        List<String> objects = new ArrayList<>();
        for (List<String> command : List.of(
                List.of("docker", "ps", "-a", "--format", "container {{.Names}}"),
                List.of("docker", "volume", "ls", "--format", "volume {{.Name}}"),
                List.of("docker", "network", "ls", "--format", "network {{.Name}}"))) {
            List<String> words = new ArrayList<>(command);
            words.addAll(List.of("--filter", label));
            objects.addAll(run(words).lines().toList());
        }
        return objects;
    }

    /** One life; false when it was killed. */
    private boolean live(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(ChildJvm.command(
                List.of("-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp"))),
                ContainerHost.class,
                directory.toString()));
        command.addAll(List.of(arguments));
        Path log = directory.resolve("host.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = process.waitFor(LIFE_LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                // The JVM writes its threads into the log.
                run(List.of("kill", "-QUIT", Long.toString(process.pid())));
                ended = process.waitFor(2, TimeUnit.SECONDS);
            }
            assertThat(ended)
                    .as(() -> "a life has ended; it said:\n" + text(log))
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        if (process.exitValue() == ContainerHost.KILLED) {
            return false;
        }
        assertThat(process.exitValue()).as(text(log)).isZero();
        assertThat(text(log)).contains("outcome MERGED");
        return true;
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
