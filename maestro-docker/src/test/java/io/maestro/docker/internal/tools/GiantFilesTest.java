package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import com.sun.management.ThreadMXBean;
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
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files with holes that are larger than the disk, and a tree that is deeper than a path: refused at once, and not read. */
@Full("six calls of tools; they read through one class, which has a limit of bytes")
@RequiresEngine
class GiantFilesTest {
    private static final long GIB = 1L << 30;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** What a call may allocate, in bytes. */
    private static final long MOST_ALLOCATED = 64 << 20;

    private static final Map<String, Object> BUILD = Map.of();
    private static final Map<String, Object> UP = Map.of("path", "compose.yaml");

    @TempDir
    Path directory;

    private DockerProject project;

    @Test
    void areRefusedAtOnce() throws Exception {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base())) {
            project = bench.open(Map.of("network", "none"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                String from = "FROM " + images.busybox() + "\n";
                String compose = "services:\n  a: {build: part, env_file: a.env}\n";
                bench.write("a.env", "A=1\n");
                bench.write("compose.yaml", compose);

                sparse(bench.write("Dockerfile", from), GIB);
                sparse(bench.write("part/Dockerfile", from), GIB);
                refused("container_build", BUILD, "more than the 262144 bytes");
                refused("container_build", Map.of("context", "part"), "more than the 262144 bytes");
                refused("compose_up", UP, "more than the 262144 bytes");
                Files.writeString(bench.workspace.resolve("Dockerfile"), from);
                Files.writeString(bench.workspace.resolve("part/Dockerfile"), from);

                Path big = sparse(bench.write("part/big", ""), 1024 * GIB);
                refused("container_build", BUILD, "name a smaller directory");
                refused("compose_up", UP, "name a smaller directory");
                Files.delete(big);

                sparse(bench.workspace.resolve("a.env"), GIB);
                refused("compose_up", UP, "bytes that are allowed");
                sparse(bench.workspace.resolve("compose.yaml"), GIB);
                refused("compose_up", UP, "bytes that are allowed");
                bench.write("a.env", "A=1\n");
                Files.writeString(bench.workspace.resolve("compose.yaml"), compose);

                try (TestContainer agents = FileSwap.container(bench.workspace)) {
                    agents.cli("exec", "--workdir", "/workspace/part", agents.name(), "perl", "-e", """
                            for (1..5000) { mkdir "d" or die; chdir "d" or die }""");
                    refused("container_build", BUILD, "nested too deeply");
                    refused("compose_up", UP, "nested too deeply");
                    // The test's own directory is deleted along paths.
                    agents.sh("rm -rf /workspace/part");
                }
            }
        }
    }

    private static Path sparse(Path file, long size) throws IOException {
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(size);
        }
        return file;
    }

    private void refused(String tool, Map<String, Object> arguments, String reason) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        long begin = System.nanoTime();
        ToolResult answer = new ToolCaller(project, false).call(tool, arguments);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("%s: %s", tool, answer)
                .isLessThan(LIMIT);
        assertThat(threads.getThreadAllocatedBytes(thread) - before)
                .as("bytes allocated by %s", tool)
                .isLessThan(MOST_ALLOCATED);
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).contains(reason);
    }
}
