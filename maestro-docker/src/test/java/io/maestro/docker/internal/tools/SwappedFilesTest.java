package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.FileSwap;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import io.maestro.tools.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file of the workspace is a pipe, or becomes one or a link while a tool reads it: no tool waits, and nothing is read. */
@Full("ComposeEscapeTest has pipes in compose files, SafeDirectoryTest swaps files without tools")
@RequiresEngine
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwappedFilesTest {
    private static final String CANARY = "canary-61c2d0f7a94e";
    private static final String USE_COPY = "use COPY for files";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration ATTACK = Duration.ofMillis(200);
    private static final Duration CLOSING = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    private TestImages images;
    private Bench bench;
    private DockerProject project;
    private StoryEnvironment environment;
    private Path canary;

    /** A tool, the file that it reads, and what it says when that is a pipe. None of these calls builds or starts anything. */
    private record Read(String file, String tool, Map<String, Object> arguments, String refusal) {}

    private static final List<Read> READS = List.of(
            new Read("Dockerfile", "container_build", Map.of(), "there is no Dockerfile"),
            new Read("part/file", "container_build", Map.of(), USE_COPY),
            new Read("compose.yaml", "compose_up", Map.of("path", "compose.yaml"), "no regular file"),
            new Read("a.env", "compose_up", Map.of("path", "compose.yaml"), "no regular file"),
            new Read("part/Dockerfile", "compose_up", Map.of("path", "build.yaml"), "no regular file"));

    @BeforeEach
    void open() throws Exception {
        images = TestImages.ofDocker();
        canary = Files.writeString(directory.resolve("canary"), CANARY + "\n");
        bench = new Bench(Files.createDirectory(directory.resolve("project")), images, images.base());
        project = bench.open(Map.of("network", "none"), DockerEnvironments.builder(), Map.of("API_TOKEN", CANARY));
        environment = Bench.environment(project, bench.place("7"));
        environment.enter(Phase.CODING);
        // Refused when all is copied and read.
        String dockerfile = "FROM " + images.busybox() + "\nADD http://127.0.0.1:1/x /x\n";
        bench.write("Dockerfile", dockerfile);
        bench.write("part/file", "harmless\n");
        bench.write("part/Dockerfile", dockerfile);
        bench.write("build.yaml", "services:\n  a: {build: part}\n");
        bench.write("compose.yaml", "services:\n  a: {image: x, privileged: true, env_file: a.env}\n");
        bench.write("a.env", "A=1\n");
    }

    @AfterEach
    void close() {
        long begin = System.nanoTime();
        bench.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(CLOSING);
        TestEngine.await(() -> !FileSwap.isWaitedFor());
    }

    private ToolResult call(Read read) {
        long begin = System.nanoTime();
        ToolResult answer = new ToolCaller(project, false).call(read.tool, read.arguments);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("%s: %s", read, answer)
                .isLessThan(LIMIT);
        assertThat(answer.text()).as("%s", read).doesNotContain(CANARY, directory.toString(), "holds a secret");
        assertThat(answer.isError()).isTrue();
        return answer;
    }

    @Test
    void aPipeThatIsThereIsRefusedOrLeftOut() throws Exception {
        for (Read read : READS) {
            Path file = bench.workspace.resolve(read.file);
            String text = Files.readString(file);
            Files.delete(file);
            Bench.sh(environment, "mkfifo " + read.file);
            ToolResult answer = call(read);
            assertThat(answer.text()).contains(read.refusal);
            Files.delete(file);
            Files.writeString(file, text);
        }
        closed();
    }

    @Test
    void aFileThatBecomesAPipeOrALinkIsNotWaitedForNorFollowed() throws Exception {
        try (TestContainer agents = FileSwap.container(bench.workspace)) {
            for (Read read : READS) {
                try (FileSwap swap = new FileSwap(agents, bench.workspace, read.file, canary)) {
                    long end = System.nanoTime() + ATTACK.toNanos();
                    while (System.nanoTime() < end) {
                        call(read);
                    }
                }
            }
        }
        assertThat(call(READS.get(0)).text()).contains(USE_COPY);
        closed();
    }

    private void closed() {
        long begin = System.nanoTime();
        environment.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(CLOSING);
    }
}
