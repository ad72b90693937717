package io.maestro.docker.bench;

import io.maestro.docker.DockerExecutor;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One small command, in each of the ways. Each thread is an agent with a container of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class RoundTrips {
    private static final String IMAGE = "maestro-test/debian:latest";

    /** What every way runs. */
    private static final String LINE = "echo hello";

    private final List<String> containers = new ArrayList<>();
    private final List<DockerExecutor> fast = new ArrayList<>();
    private final List<DockerExecutor> slow = new ArrayList<>();
    private final LocalExecutor local = LocalExecutor.builder(Path.of("/tmp")).build();

    /** The agent that a thread is. */
    @State(Scope.Thread)
    public static class Agent {
        private static final AtomicInteger NEXT = new AtomicInteger();
        private final int index = NEXT.getAndIncrement();
    }

    /** Starts a container for each agent. */
    @Setup
    public void setUp() throws Exception {
        for (int i = 0; i < Integer.getInteger("agents", 1); i++) {
            String name = startContainer();
            containers.add(name);
            fast.add(DockerExecutor.builder(name).workingDirectory("/tmp").build());
            slow.add(DockerExecutor.builder(name)
                    .workingDirectory("/tmp")
                    .fastPath(false)
                    .build());
        }
    }

    /** Removes the containers. */
    @TearDown
    public void tearDown() throws Exception {
        fast.forEach(DockerExecutor::close);
        slow.forEach(DockerExecutor::close);
        List<String> remove = new ArrayList<>(List.of("docker", "rm", "-f"));
        remove.addAll(containers);
        call(remove.toArray(new String[0]));
    }

    private static String startContainer() throws Exception {
        String name = "maestro-bench-" + UUID.randomUUID();
        call(
                "docker",
                "run",
                "-d",
                "--init",
                "--name",
                name,
                "--label",
                "io.maestro.test=true",
                IMAGE,
                "sh",
                "-c",
                "while :; do sleep 86400 & wait; done");
        return name;
    }

    /** A bare {@code docker exec}, as a program would start it. */
    @Benchmark
    public String dockerExec(Agent agent) throws Exception {
        return call("docker", "exec", containers.get(agent.index % containers.size()), "sh", "-c", LINE);
    }

    /** The executor with an exec per command. */
    @Benchmark
    public String slowPath(Agent agent) {
        return run(slow.get(agent.index % slow.size()));
    }

    /** The executor with channels. */
    @Benchmark
    public String fastPath(Agent agent) {
        return run(fast.get(agent.index % fast.size()));
    }

    /** The floor: a shell on this machine, without an executor. */
    @Benchmark
    public String localShell() throws Exception {
        return call("sh", "-c", LINE);
    }

    /** The executor on this machine. */
    @Benchmark
    public String localExecutor() {
        return run(local);
    }

    /** From nothing to the result of the first command, and the removal. */
    @Benchmark
    public String containerStart() throws Exception {
        String name = startContainer();
        try (DockerExecutor executor =
                DockerExecutor.builder(name).workingDirectory("/tmp").build()) {
            return run(executor);
        } finally {
            call("docker", "rm", "-f", name);
        }
    }

    private static String run(Executor executor) {
        ExecResult result = executor.run(ExecRequest.shell(LINE).build());
        if (!result.succeeded()) {
            throw new IllegalStateException(result.toString());
        }
        return result.stdout().text();
    }

    private static String call(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IllegalStateException(Arrays.toString(command) + ": " + text);
        }
        return text;
    }
}
