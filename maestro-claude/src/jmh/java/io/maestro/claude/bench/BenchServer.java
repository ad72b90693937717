package io.maestro.claude.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;

/** One of the servers that {@link McpBench} compares. Says where it is; then it serves until its standard input ends. */
public final class BenchServer {
    private BenchServer() {}

    /**
     * Serves.
     *
     * @param args which
     * @throws Exception when it cannot
     */
    public static void main(String[] args) throws Exception {
        McpServer ours = McpServer.builder(new Echo()).build();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        switch (args[0]) {
            case "maestro-http" -> say(ours.http(loopback));
            case "maestro-tcp" -> say(ours.tcp(loopback));
            case "sdk-http" -> say(SdkServers.http(), "");
            case "sdk-http-stateless" -> say(SdkServers.stateless(), "");
            case "sdk-tcp" -> say(SdkServers.tcp(), "");
            default -> throw new IllegalArgumentException("no server " + args[0]);
        }
        while (System.in.read() >= 0) {
            // Nothing is said.
        }
        Runtime.getRuntime().halt(0);
    }

    private static void say(McpEndpoint endpoint) {
        say(endpoint.address().getPort(), endpoint.token());
    }

    private static void say(int port, String token) {
        System.out.println(port + " " + token);
    }

    private static final class Echo implements McpTools {
        private static final ObjectMapper JSON = new ObjectMapper();

        @Override
        public List<ToolDefinition> list() {
            return List.of(ToolDefinition.builder("echo")
                    .description("Says the same")
                    .input(InputSchema.of(schema -> schema.requiredString("text", "what to say")))
                    .build());
        }

        @Override
        public ToolResult call(McpCall call) {
            try {
                return ToolResult.ok(
                        "echo: " + JSON.readTree(call.input()).path("text").asText());
            } catch (IOException e) {
                return ToolResult.error("no JSON");
            }
        }
    }
}
