package io.maestro.claude.internal.proxy;

import static io.maestro.testing.AssertThat.assertThat;
import static io.maestro.testkit.api.ApiScript.call;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real CLI calls a tool through the script. */
@RequiresClaude
@Full("ClaudeCodeMcpTest.byAProxy calls a tool through the same script")
class ProxiedClaudeTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    @Test
    void theCliCallsAToolThroughTheScript() throws Exception {
        Executor executor = LocalExecutor.builder(directory).build();
        String script = McpProxy.install(executor, directory.resolve("bin").toString());
        try (LineServer server = new LineServer(InetAddress.getLoopbackAddress(), ProxiedClaudeTest::answer);
                StubApi api =
                        StubApi.start(ApiScript.calls("all done", call("mcp__maestro__echo", "text", "Zürich 🚀")))) {
            Path config = Files.writeString(
                    directory.resolve("mcp.json"),
                    JSON.writeValueAsString(Map.of(
                            "mcpServers",
                            Map.of(
                                    "maestro",
                                    Map.of(
                                            "type",
                                            "stdio",
                                            "command",
                                            "sh",
                                            "args",
                                            List.of(script),
                                            "alwaysLoad",
                                            true)))));
            ExecRequest.Builder request = RealClaude.request(
                    directory.resolve("home"),
                    api.baseUrl(),
                    List.of(
                            "-p",
                            "--model",
                            "claude-sonnet-4-5",
                            "--strict-mcp-config",
                            "--mcp-config",
                            config.toString(),
                            "--allowedTools",
                            "mcp__maestro__echo",
                            "--",
                            "say it"));
            McpProxy.environment("127.0.0.1", server.port(), ProxyContract.TOKEN)
                    .forEach(request::environment);
            request.environment("MCP_CONNECTION_NONBLOCKING", "0").environment("MCP_CONNECT_TIMEOUT_MS", "30000");

            ExecResult result = executor.run(request.build());

            assertThat(result.succeeded()).as(result.toString()).isTrue();
            assertThat(server.tokens).containsOnly(ProxyContract.TOKEN);
            assertThat(api.conversations().get(1).answers())
                    .singleElement()
                    .extracting(ApiRequest.Answer::text)
                    .isEqualTo("echo: Zürich 🚀");
        }
    }

    private static String answer(String line) {
        try {
            JsonNode message = JSON.readTree(line);
            if (!message.has("id")) {
                return "";
            }
            Object result = switch (message.path("method").asText()) {
                case "initialize" ->
                    Map.of(
                            "protocolVersion",
                            message.path("params").path("protocolVersion").asText(),
                            "capabilities",
                            Map.of("tools", Map.of()),
                            "serverInfo",
                            Map.of("name", "maestro", "version", "1"));
                case "tools/list" ->
                    Map.of(
                            "tools",
                            List.of(Map.of(
                                    "name", "echo", "description", "Echoes", "inputSchema", Map.of("type", "object"))));
                case "tools/call" ->
                    Map.of(
                            "content",
                            List.of(Map.of(
                                    "type",
                                    "text",
                                    "text",
                                    "echo: "
                                            + message.path("params")
                                                    .path("arguments")
                                                    .path("text")
                                                    .asText())));
                default -> Map.of();
            };
            return JSON.writeValueAsString(Map.of("jsonrpc", "2.0", "id", message.get("id"), "result", result));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
