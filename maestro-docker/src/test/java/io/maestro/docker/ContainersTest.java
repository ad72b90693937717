package io.maestro.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void whatAKilledProgramLeftGoesWhenItStartsAgain() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherProgram.class.getName(),
                        directory.resolve("project").toString())
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
        try (TestEngine test = TestEngine.Kind.DOCKER.open()) {
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
