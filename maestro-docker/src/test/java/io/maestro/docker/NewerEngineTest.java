package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.testing.ChosenTests;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A story and the attacks on builds, on an engine that builds by BuildKit, answers in other words, and starts containers in a
 * newer way: in a process of its own beside that engine, as its bridges are not those of this machine.
 */
@RequiresEngine
@Full("the short tier runs the same tests on the machine's engine")
class NewerEngineTest {
    @RegisterExtension
    static final SecondEngine NEWER = SecondEngine.newer("maestro-test/busybox:latest");

    private static final Duration LIMIT = Duration.ofMinutes(12);

    private static final List<String> TESTS = List.of(
            "io.maestro.docker.DockerStoryTest#anUpdatedImageIsCheckedMergedAndThenTheProjectsOwn",
            "io.maestro.docker.internal.ImagesTest#cachesOfOthersAreNotUsed",
            "io.maestro.docker.internal.environment.BuildSettingsTest",
            "io.maestro.docker.internal.environment.DiskTest#aBuildThatWritesMoreIsEnded",
            "io.maestro.docker.internal.environment.KilledBuildTest",
            "io.maestro.docker.internal.tools.BuildEscapeTest",
            "io.maestro.docker.internal.tools.PrivateImagesTest#areNeitherReadNorChanged",
            "io.maestro.docker.internal.tools.ContainerToolsTest#anImageIsBuiltTestedSwitchedToAndPinned");

    @TempDir
    Path directory;

    @Test
    void whatHoldsOnTheMachinesEngineHoldsThere() throws Exception {
        List<String> options = new ArrayList<>();
        Properties properties = System.getProperties();
        properties.stringPropertyNames().stream()
                .filter(name -> name.startsWith("maestro.") || name.startsWith("junit."))
                .forEach(name -> options.add("-D" + name + "=" + properties.getProperty(name)));
        // Much of them waits for the engine, and each has images and projects of its own.
        options.add("-Djunit.jupiter.execution.parallel.mode.classes.default=concurrent");
        List<String> command = ChildJvm.command(options, ChosenTests.class, TESTS.toArray(String[]::new));
        // A file, since what a test has left may keep a pipe open.
        Path out = directory.resolve("out");
        ProcessBuilder builder = new ProcessBuilder(NEWER.besideIt(command.toArray(String[]::new)))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("DOCKER_HOST", NEWER.socketUrl());
        Process process = builder.start();
        process.getOutputStream().close();
        boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (!ended) {
            new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            process.waitFor(5, TimeUnit.SECONDS);
            process.destroyForcibly();
        }
        String said = Files.readString(out);

        assertThat(ended).as(said).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        assertThat(said).doesNotContain("SKIPPED");
    }
}
