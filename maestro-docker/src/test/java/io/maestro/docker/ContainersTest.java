package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that needs containers and nothing else of Maestro. */
@RequiresEngine
class ContainersTest {
    private static final String IMAGE = "maestro-test/busybox:latest";

    @TempDir
    Path directory;

    private Containers open() {
        return Containers.on(DockerHost.local())
                .projectDirectory(directory.resolve("project"))
                .open();
    }

    @Test
    void aProgramUsesContainersAndLeavesNone() throws Exception {
        RunningContainer container;
        try (Containers containers = open()) {
            assertThat(containers.hasImage(IMAGE)).isTrue();
            assertThat(containers.hasImage("maestro-test/none:1")).isFalse();
            assertThat(containers.list()).isEmpty();

            Path files = Files.createDirectories(directory.resolve("files"));
            Files.writeString(files.resolve("Dockerfile"), "FROM " + IMAGE + "\nRUN echo built > /by\n");
            String image = containers.build(ImageBuild.builder(files).build());
            try {
                container = containers.start(ContainerSpec.builder(image, "build")
                        .command(List.of("sh", "-c", "cat /by; while :; do sleep 1000; done"))
                        .build());
                assertThat(container.role()).isEqualTo("build");
                assertThat(container.imageId()).isEqualTo(image);
                assertThat(container.name()).startsWith("maestro-").contains("-program-build-");
                assertThat(container.isRunning()).isTrue();
                TestEngine.await(() -> container.logs(5).equals("built\n"));
                assertThat(containers.list()).containsExactly(container);
                container.stop();
                assertThat(container.isRunning()).isFalse();
                assertThat(containers.list()).containsExactly(container);
                container.remove();
                container.remove();
                assertThat(containers.list()).isEmpty();
            } finally {
                containers.removeImage(image);
            }
            assertThat(containers.hasImage(image)).isFalse();
        }
    }

    @Test
    @Full("anImageIsBuiltTestedSwitchedToAndPinned builds in the same way")
    void aProgramWorksInAnImageThatItHasBuilt() throws Exception {
        Path files = Files.createDirectories(directory.resolve("files"));
        Files.writeString(files.resolve("greeting"), "hello\n");
        Files.writeString(files.resolve("Dockerfile"), "FROM " + IMAGE + "\nCOPY greeting /srv/greeting\n");
        String id;
        DockerExecutor executor;
        String image;
        try (Containers containers = open()) {
            image = containers.build(ImageBuild.builder(files).build());
            RunningContainer container = containers.start(ContainerSpec.builder(image, "work")
                    .workingDirectory("/srv")
                    .environment("COLOUR", "blue")
                    .build());
            id = container.id();
            executor = container.executor();
            assertThat(executor.workingDirectory()).isEqualTo("/srv");
            ExecResult read =
                    executor.run(ExecRequest.command("cat", "greeting").build());
            assertThat(read.stdout().text()).isEqualTo("hello\n");
            ExecResult failed = executor.run(ExecRequest.shell("echo $COLOUR $SHADE; pwd; exit 3")
                    .environment("SHADE", "dark")
                    .workingDirectory("/tmp")
                    .build());
            assertThat(failed.exitCode()).hasValue(3);
            assertThat(failed.stdout().text()).isEqualTo("blue dark\n/tmp\n");

            try (ExecProcess talk = executor.start(ExecRequest.shell("while read -r line; do echo \"got $line\"; done")
                    .build())) {
                BufferedReader answers =
                        new BufferedReader(new InputStreamReader(talk.stdout(), StandardCharsets.UTF_8));
                for (String word : List.of("one", "two")) {
                    talk.stdin().write((word + "\n").getBytes(StandardCharsets.UTF_8));
                    talk.stdin().flush();
                    assertThat(answers.readLine()).isEqualTo("got " + word);
                }
                talk.stdin().close();
                assertThat(answers.readLine()).isNull();
            }

            // Whoever did not start the container gets at it too, and as another user.
            try (DockerExecutor other = containers
                    .list()
                    .get(0)
                    .executor(settings -> settings.workingDirectory("/").user("1000"))) {
                assertThat(other.run(ExecRequest.shell("pwd; id -u").build())
                                .stdout()
                                .text())
                        .isEqualTo("/\n1000\n");
            }
        }
        assertThat(isThere(id)).isFalse();
        assertThatThrownBy(() -> executor.run(ExecRequest.command("true").build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("is closed");
        try (Containers containers = open()) {
            containers.removeImage(image);
            assertThat(containers.hasImage(image)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = true)
    void anExecutorEndsWithItsContainer(boolean stop) {
        try (Containers containers = open()) {
            RunningContainer container =
                    containers.start(ContainerSpec.builder(IMAGE, "work").build());
            DockerExecutor executor = container.executor();
            ExecRequest request = ExecRequest.command("true").build();
            assertThat(executor.run(request).succeeded()).isTrue();
            if (stop) {
                container.stop();
            } else {
                container.remove();
            }
            assertThatThrownBy(() -> executor.run(request))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining("is closed");
        }
    }

    @Test
    @Full("anExecutorEndsWithItsContainer stops one")
    void anExecutorEndsWhenItsContainerIsRemoved() {
        anExecutorEndsWithItsContainer(false);
    }

    @Test
    void aCloseRemovesAllAndEndsIt() {
        Containers containers = open();
        RunningContainer container =
                containers.start(ContainerSpec.builder(IMAGE, "build").build());
        containers.close();
        containers.close();
        assertThat(container.isRunning()).isFalse();
        assertThatThrownBy(containers::list)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        open().close();
    }

    @Test
    void aDirectoryIsUsedOnce() {
        try (Containers containers = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("is in use by another program, or twice in this one");
            assertThat(containers.list()).isEmpty();
        }
        assertThatThrownBy(() -> Containers.on(DockerHost.local()).open())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("set a project directory");
    }

    /** Makes a container and waits to be killed. */
    static final class OtherProgram {
        public static void main(String[] arguments) throws Exception {
            Containers containers = Containers.on(DockerHost.local())
                    .projectDirectory(Path.of(arguments[0]))
                    .open();
            System.out.println(containers
                    .start(ContainerSpec.builder(IMAGE, "build").build())
                    .id());
            System.in.read();
        }
    }

    @Test
    @Full("a JVM; SweepTest has what a killed JVM leaves")
    void whatAKilledProgramLeftGoesWhenItStartsAgain() throws Exception {
        Process process = new ProcessBuilder(ChildJvm.command(
                        List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=off"),
                        OtherProgram.class,
                        directory.resolve("project").toString()))
                .start();
        String id;
        try {
            id = new String(process.getInputStream().readNBytes(64), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
        }
        TestEngine.await(() -> isThere(id));
        try (Containers containers = open()) {
            assertThat(containers.list()).isEmpty();
            assertThat(containers.sweep()).doesNotContain(id);
        }
        assertThat(isThere(id)).isFalse();
    }

    private static boolean isThere(String id) {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            return test.engine.cli().run("container", "inspect", id).succeeded();
        }
    }

    @Test
    void anEngineThatIsDownLeavesTheDirectoryFree() {
        DockerHost nobody = DockerHost.builder()
                .url("unix://" + directory.resolve("none.sock"))
                .build();
        Path project = directory.resolve("project");
        for (int again = 0; again < 2; again++) {
            assertThatThrownBy(() ->
                            Containers.on(nobody).projectDirectory(project).open())
                    .isInstanceOf(DockerUnavailableException.class);
        }
        open().close();
    }
}
