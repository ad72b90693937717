package io.maestro.claude.internal.proxy;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script on this machine, with each program that is there. */
class McpProxyTest {
    @TempDir
    Path directory;

    private Executor executor;

    @BeforeEach
    void executor() {
        executor = LocalExecutor.builder(directory).build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "python3", "perl", "node", "socat", "nc", "busybox"})
    void itHolds(String tool) throws Exception {
        if (tool.equals("nc")) {
            executor = netcat("traditional");
        }
        String script = McpProxy.install(executor, directory.resolve("bin").toString());
        boolean there = executor.run(ExecRequest.command("sh", script, "--check")
                        .environment("MAESTRO_MCP_TOOL", tool)
                        .build())
                .succeeded();
        assumeTrue(there || Boolean.getBoolean("maestro.claude.required"), tool + " is not there");

        new ProxyContract(executor, script, InetAddress.getLoopbackAddress()).holds(tool);
    }

    @Test
    void bashMissesNoEndOfItsServer() throws Exception {
        endServers(Campaign.number(96));
    }

    @Test
    @Full("bashMissesNoEndOfItsServer tries some ends")
    void bashMissesNoneOfManyEndsOfItsServer() throws Exception {
        endServers(400);
    }

    /** Of 1,200 with {@code wait -n} in the script 21 went on, on a busy machine. */
    private void endServers(int number) throws Exception {
        String script = McpProxy.install(executor, directory.resolve("bin").toString());
        ProxyContract contract = new ProxyContract(executor, script, InetAddress.getLoopbackAddress());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                ends.add(threads.submit(() -> {
                    contract.endsWithTheServer("bash");
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** On a busy machine a program may have failed before the writer is the program that it becomes. */
    @ParameterizedTest
    @ValueSource(strings = {"socat", "nc", "busybox"})
    void itEndsWithoutAServerHoweverSlowItsWriterIs(String tool) throws Exception {
        if (tool.equals("nc")) {
            executor = netcat("traditional");
        }
        Path script =
                Path.of(McpProxy.install(executor, directory.resolve("bin").toString()));
        String slow = Files.readString(script).replace("exec cat'", "read -r nothing; exec cat'");
        assertThat(slow).contains("read -r nothing");
        Path changed = Files.writeString(directory.resolve("slow.sh"), slow);
        boolean there = executor.run(ExecRequest.command("sh", changed.toString(), "--check")
                        .environment("MAESTRO_MCP_TOOL", tool)
                        .build())
                .succeeded();
        assumeTrue(there || Boolean.getBoolean("maestro.claude.required"), tool + " is not there");

        new ProxyContract(executor, changed.toString(), InetAddress.getLoopbackAddress()).failsWithoutAServer(tool);
    }

    @Test
    void theNetcatThatDoesNotEndWithItsServerIsNotTaken() throws Exception {
        Executor openBsd = netcat("openbsd");
        String script = McpProxy.install(openBsd, directory.resolve("bin").toString());

        ExecResult chosen = openBsd.run(ExecRequest.command("sh", script, "--check")
                .environment("MAESTRO_MCP_TOOL", "nc")
                .build());

        assertThat(chosen.succeeded()).isFalse();
    }

    /** Where {@code nc} is this one of Debian's two. */
    private Executor netcat(String kind) throws IOException {
        Path there = Path.of("/bin/nc." + kind);
        assumeTrue(Files.exists(there) || Boolean.getBoolean("maestro.claude.required"), there + " is not there");
        Path bin = Files.createDirectories(directory.resolve("netcat"));
        Files.createSymbolicLink(bin.resolve("nc"), there);
        return LocalExecutor.builder(directory)
                .variable("PATH", bin + ":" + System.getenv("PATH"))
                .build();
    }

    @Test
    void itIsInstalledOnce() throws Exception {
        Path bin = directory.resolve("bin");
        Path script = Path.of(McpProxy.install(executor, bin.toString()));
        Object key = Files.getAttribute(script, "unix:ino");

        assertThat(McpProxy.install(executor, bin.toString())).isEqualTo(script.toString());
        assertThat(Files.getAttribute(script, "unix:ino")).isEqualTo(key);
        try (Stream<Path> files = Files.list(bin)) {
            assertThat(files.toList()).containsExactly(script);
        }
    }

    @Test
    void whereNothingCanCarryLinesItIsSaid() throws Exception {
        Path bin = Files.createDirectories(directory.resolve("poor"));
        for (String program : List.of("sh", "cat", "mkdir", "mv", "rm")) {
            Files.createSymbolicLink(bin.resolve(program), Path.of("/bin", program));
        }
        Executor poor = LocalExecutor.builder(directory)
                .variable("PATH", bin.toString())
                .build();

        assertThatThrownBy(() -> McpProxy.install(poor, directory.resolve("bin").toString()))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("there is no bash, python3, perl, node, socat or nc");
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "x");

        assertThatThrownBy(() -> McpProxy.install(executor, file + "/bin"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(file + "/bin")
                .hasMessageContaining("name a directory");
    }
}
