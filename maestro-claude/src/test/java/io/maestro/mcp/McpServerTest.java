package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class McpServerTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final LabTools tools = new LabTools();

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void neverListensOnAllInterfaces(String address) throws IOException {
        try (McpServer server = McpServer.builder(tools).build()) {
            InetAddress all = InetAddress.getByName(address);
            assertThatThrownBy(() -> server.http(all))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("all interfaces");
            assertThatThrownBy(() -> server.tcp(all)).isInstanceOf(MaestroException.class);
        }
    }

    @Test
    void saysWhichAddressItCannotListenOn() throws IOException {
        try (McpServer server = McpServer.builder(tools).build()) {
            InetAddress foreign = InetAddress.getByName("192.0.2.1");
            assertThatThrownBy(() -> server.http(foreign))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("192.0.2.1");
        }
    }

    @Test
    void eachEndpointHasATokenOfItsOwn() {
        try (McpServer server = McpServer.builder(tools).build()) {
            McpEndpoint http = server.http(LOOPBACK);
            McpEndpoint tcp = server.tcp(LOOPBACK);

            assertThat(Base64.getUrlDecoder().decode(http.token())).hasSize(32);
            assertThat(http.token()).isNotEqualTo(tcp.token()).matches("[A-Za-z0-9_-]{43}");
            assertThat(http.address().getAddress()).isEqualTo(LOOPBACK);
            assertThat(http.toString()).doesNotContain(http.token());
        }
    }

    @Test
    void whatIsClosedLeavesNoPortAndNoThread() throws Exception {
        McpServer server = McpServer.builder(tools).name("closing").build();
        McpEndpoint http = server.http(LOOPBACK);
        McpEndpoint tcp = server.tcp(LOOPBACK);
        try (TestClient first = new HttpTestClient(http);
                RawConnection second = new RawConnection(tcp).send(tcp.token() + "\n");
                TestClient third = Way.STDIO.connect(server);
                TestClient fourth = Way.CONTROL.connect(server)) {
            first.begin("2025-11-25");
            for (TestClient client : List.of(first, third, fourth)) {
                client.send(Messages.waiting(1, "gate"));
            }
            second.send(Messages.waiting(1, "gate") + "\n");
            Messages.until("the calls to run", () -> tools.running.get() == 4);

            server.close();
            server.close();

            assertThat(tools.interrupted).hasSize(4);
            assertThat(second.rest()).isEmpty();
        }
        for (McpEndpoint endpoint : List.of(http, tcp)) {
            assertThatThrownBy(() -> new Socket(LOOPBACK, endpoint.address().getPort()).close())
                    .isInstanceOf(ConnectException.class);
        }
        Messages.until(
                "its threads to end",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("maestro-mcp")));
        assertThatThrownBy(() -> server.http(LOOPBACK))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> server.connect(text -> {})).isInstanceOf(MaestroException.class);
    }

    @Test
    void aToolMayCloseTheServerItIsCalledBy() {
        CompletableFuture<McpServer> server = new CompletableFuture<>();
        McpTools closing = new McpTools() {
            @Override
            public List<ToolDefinition> list() {
                return tools.list();
            }

            @Override
            public ToolResult call(McpCall call) {
                server.join().close();
                return ToolResult.ok("closed");
            }
        };
        server.complete(McpServer.builder(closing).build());
        McpConnection connection = server.join().connect(text -> {});

        connection.receive(Messages.call(1, "echo", "{}").toString());

        Messages.until("the server to be closed", () -> {
            try {
                server.join().connect(text -> {}).close();
                return false;
            } catch (MaestroException e) {
                return true;
            }
        });
    }

    @Test
    void aStuckToolHoldsUpTheEndForAWhileOnly() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<ToolResult> enough = new CompletableFuture<>();
        McpTools deaf = new McpTools() {
            @Override
            public List<ToolDefinition> list() {
                return List.of();
            }

            @Override
            public ToolResult call(McpCall call) {
                running.countDown();
                return enough.join(); // an interrupt does not disturb this
            }
        };
        McpServer server = McpServer.builder(deaf).build();
        McpConnection connection = server.connect(text -> {});
        connection.receive(Messages.call(1, "x", "{}").toString());
        assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();

        server.close();

        enough.complete(ToolResult.ok(""));
    }

    @Test
    void stdioEndsWithItsThread() throws Exception {
        try (McpServer server = McpServer.builder(tools).build()) {
            Pipe toServer = Pipe.open();
            AtomicReference<Boolean> interrupted = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                server.stdio(Channels.newInputStream(toServer.source()), OutputStream.nullOutputStream());
                interrupted.set(Thread.currentThread().isInterrupted());
            });
            thread.start();
            thread.interrupt();
            thread.join(TimeUnit.SECONDS.toMillis(30));

            assertThat(interrupted.get()).isTrue();
            toServer.sink().close();
        }
    }

    /** A JVM whose charset cannot say what is sent. */
    @Test
    void aRealProcessSpeaksUtf8WhateverItsCharset() throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Dfile.encoding=US-ASCII",
                        "-Dsun.jnu.encoding=US-ASCII",
                        "-cp",
                        System.getProperty("java.class.path")
                                + File.pathSeparator
                                + System.getProperty("jdk.module.path", ""),
                        StdioMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (Way.LineClient client = new Way.LineClient(process.getInputStream(), process.getOutputStream(), () -> {
            process.getOutputStream().close();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        })) {
            client.begin("2025-11-25");
            client.raw((Messages.call(1, "echo", "{\"text\":\"grün 漢字\"}") + "\n").getBytes(StandardCharsets.UTF_8));

            assertThat(client.answer(1)
                            .path("result")
                            .path("content")
                            .path(0)
                            .path("text")
                            .asText())
                    .isEqualTo("echo: grün 漢字");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void settingsHaveRanges() {
        McpServer.Builder builder = McpServer.builder(tools);
        assertThatThrownBy(() -> builder.maxMessageBytes(1023)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.maxMessageBytes(1 << 25)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.maxCalls(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.maxConnections(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.progressInterval(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.name(" ")).isInstanceOf(IllegalArgumentException.class);
    }
}
