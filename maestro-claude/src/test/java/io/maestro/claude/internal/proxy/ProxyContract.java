package io.maestro.claude.internal.proxy;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.Executor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What the script must do with each of its programs. */
final class ProxyContract {
    static final String TOKEN = "token-0123456789abcdef";
    private static final Duration LONG = Duration.ofMinutes(2);

    private final Executor executor;
    private final String script;
    private final InetAddress address;

    ProxyContract(Executor executor, String script, InetAddress address) {
        this.executor = executor;
        this.script = script;
        this.address = address;
    }

    private ExecProcess start(String tool, int port) {
        ExecRequest.Builder request = ExecRequest.command("sh", script).timeLimit(LONG);
        McpProxy.environment(address.getHostAddress(), port, TOKEN).forEach(request::environment);
        return executor.start(request.environment("MAESTRO_MCP_TOOL", tool).build());
    }

    private static BufferedReader reader(ExecProcess process) {
        return new BufferedReader(new InputStreamReader(process.stdout(), StandardCharsets.UTF_8));
    }

    private static void send(ExecProcess process, String line) throws IOException {
        OutputStream out = process.stdin();
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    void holds(String tool) throws Exception {
        carriesLines(tool);
        carriesBigLines(tool, !Set.of("nc", "busybox").contains(tool));
        endsWithItsInput(tool);
        endsWithTheServer(tool);
        failsWithoutAServer(tool);
    }

    private void carriesLines(String tool) throws Exception {
        try (LineServer server = new LineServer(address, line -> "<" + line + ">");
                ExecProcess process = start(tool, server.port());
                BufferedReader out = reader(process)) {
            for (String line : new String[] {"{\"id\":1}", "Zürich 東京 🚀", "back\\slash %s $HOME `id`", "-n"}) {
                send(process, line);
                assertThat(out.readLine()).as(tool).isEqualTo("<" + line + ">");
            }
            assertThat(server.tokens).as(tool).containsExactly(TOKEN);
        }
    }

    /**
     * More than all buffers hold.
     *
     * @param atOnce whether the next line is sent while the one before comes back: a program that does one thing at a time, as
     *     busybox's nc, stands still then when the system gives it small buffers
     */
    private void carriesBigLines(String tool, boolean atOnce) throws Exception {
        String big = "ä0123456789".repeat(100_000);
        try (LineServer server = new LineServer(address, line -> line);
                ExecProcess process = start(tool, server.port());
                BufferedReader out = reader(process)) {
            Semaphore mayBeSent = new Semaphore(atOnce ? 8 : 1);
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < 8; i++) {
                        mayBeSent.acquireUninterruptibly();
                        send(process, i + big);
                    }
                } catch (IOException e) {
                    // The reader finds out.
                }
            });
            writer.start();
            for (int i = 0; i < 8; i++) {
                String line = out.readLine();
                assertThat(line != null && line.equals(i + big))
                        .as("%s: line %s", tool, i)
                        .isTrue();
                mayBeSent.release();
            }
            writer.join();
        }
    }

    private void endsWithItsInput(String tool) throws Exception {
        try (LineServer server = new LineServer(address, line -> line);
                ExecProcess process = start(tool, server.port());
                BufferedReader out = reader(process)) {
            send(process, "one");
            assertThat(out.readLine()).as(tool).isEqualTo("one");
            process.stdin().close();

            assertThat(process.await(LONG)).as(tool).isPresent();
            assertThat(server.ended.await(1, TimeUnit.MINUTES)).as(tool).isTrue();
        }
    }

    void endsWithTheServer(String tool) throws Exception {
        try (LineServer server = new LineServer(address, line -> LineServer.BYE);
                ExecProcess process = start(tool, server.port());
                BufferedReader out = reader(process)) {
            send(process, "go");
            assertThat(out.readLine()).as(tool).isEqualTo(LineServer.BYE);

            // Its input is still open.
            assertThat(process.await(LONG).map(end -> end.ending().name()))
                    .as(tool)
                    .hasValue("EXITED");
        }
    }

    void failsWithoutAServer(String tool) throws Exception {
        int port;
        try (LineServer server = new LineServer(address, line -> line)) {
            port = server.port();
        }
        try (ExecProcess process = start(tool, port)) {
            ExecProcess.End end =
                    process.await(LONG).orElseThrow(() -> new AssertionError(tool + " does not end without a server"));
            String said = new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(end.succeeded()).as(tool).isFalse();
            assertThat(said).as(tool).doesNotContain(TOKEN);
        }
    }
}
