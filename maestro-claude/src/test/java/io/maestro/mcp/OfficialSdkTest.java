package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client on the official SDK, which those who wrote the server have not written. */
class OfficialSdkTest {
    private final LabTools tools = new LabTools();
    private final List<McpSchema.ProgressNotification> progress = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private McpServer server;
    private McpEndpoint endpoint;
    private McpSyncClient client;

    @BeforeEach
    void connect() {
        server =
                McpServer.builder(tools).progressInterval(Duration.ofMillis(20)).build();
        endpoint = server.http(InetAddress.getLoopbackAddress());
        client = client("Bearer " + endpoint.token());
    }

    private McpSyncClient client(String authorization) {
        return McpClient.sync(HttpClientStreamableHttpTransport.builder(
                                "http://localhost:" + endpoint.address().getPort())
                        .endpoint("/mcp")
                        .httpRequestCustomizer((request, method, uri, body, context) ->
                                request.setHeader("Authorization", authorization))
                        .build())
                .requestTimeout(Duration.ofSeconds(60))
                .progressConsumer(progress::add)
                .build();
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        client.close();
        server.close();
    }

    @Test
    void listsAndCalls() {
        McpSchema.InitializeResult begun = client.initialize();

        assertThat(begun.protocolVersion()).isEqualTo("2025-11-25");
        assertThat(client.listTools().tools()).extracting(McpSchema.Tool::name).contains("echo", "fail", "wait");
        assertThat(text(client.callTool(call("echo", "hi")))).isEqualTo("echo: hi");
        assertThat(client.callTool(call("fail", "bad")).isError()).isTrue();
        assertThat(client.callTool(new McpSchema.CallToolRequest("structured", Map.of(), Map.of()))
                        .structuredContent())
                .isEqualTo(Map.of("text", "text part", "a", 1));
        client.ping();
    }

    @Test
    void callsRunAtTheSameTime() throws Exception {
        client.initialize();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String gate = "gate-" + i;
            answers.add(CompletableFuture.supplyAsync(() -> text(client.callTool(call("wait", gate))), threads));
        }

        Messages.until("all calls to run", () -> tools.running.get() == 8);
        for (int i = 7; i >= 0; i--) {
            tools.open("gate-" + i);
            assertThat(answers.get(i).get(30, TimeUnit.SECONDS)).isEqualTo("waited for gate-" + i);
        }
    }

    @Test
    void hearsOfProgress() throws Exception {
        client.initialize();
        McpSchema.CallToolRequest request =
                new McpSchema.CallToolRequest("wait", Map.of("text", "gate"), Map.of("progressToken", "p-1"));

        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> text(client.callTool(request)), threads);
        Messages.until("notifications", () -> progress.size() >= 3);
        tools.open("gate");

        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("waited for gate");
        assertThat(progress).allMatch(note -> note.progressToken().equals("p-1"));
    }

    @Test
    void leavingCancelsWhatRuns() {
        client.initialize();
        var unused = CompletableFuture.supplyAsync(() -> client.callTool(call("wait", "gate")), threads);
        Messages.until("the call to run", () -> tools.running.get() == 1);

        client.closeGracefully();

        Messages.until("the interrupt", () -> tools.interrupted.contains("gate"));
        assertThat(unused).isNotNull();
    }

    @Test
    void aWrongTokenIsRefused() {
        try (McpSyncClient stranger = client("Bearer wrong")) {
            assertThatThrownBy(stranger::initialize).isInstanceOf(RuntimeException.class);
        }
        assertThat(tools.calls).isEmpty();
    }

    private static McpSchema.CallToolRequest call(String tool, String text) {
        return new McpSchema.CallToolRequest(tool, Map.of("text", text), Map.of());
    }

    private static String text(McpSchema.CallToolResult result) {
        return ((McpSchema.TextContent) result.content().get(0)).text();
    }
}
