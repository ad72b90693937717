package io.maestro.claude;

import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/** The ways from the CLI to the library's server that need a port. */
final class Ways {
    private Ways() {}

    static void http(ClaudeCode.Builder claude, McpServer server) {
        claude.mcpOverHttp(server.http(InetAddress.getLoopbackAddress()), "127.0.0.1");
    }

    static void proxy(ClaudeCode.Builder claude, McpServer server) {
        McpEndpoint endpoint = server.tcp(InetAddress.getLoopbackAddress());
        String script = "exec 3<>/dev/tcp/127.0.0.1/$PROXY_PORT; printf '%s\\n' \"$PROXY_TOKEN\" >&3;"
                + " cat <&3 & exec cat >&3";
        claude.mcpByProxy(
                List.of("bash", "-c", script),
                Map.of("PROXY_PORT", Integer.toString(endpoint.address().getPort()), "PROXY_TOKEN", endpoint.token()));
    }
}
