package io.maestro.claude;

import io.maestro.claude.internal.proxy.McpProxy;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/** The ways from the CLI to the library's server that need a port. */
final class Ways {
    private Ways() {}

    static void http(ClaudeCode.Builder claude, McpServer server) {
        claude.mcpOverHttp(server.http(InetAddress.getLoopbackAddress()), "127.0.0.1");
    }

    /** By the library's own script, which is put into this directory. */
    static void proxy(ClaudeCode.Builder claude, McpServer server, Path directory) {
        String script = McpProxy.install(
                LocalExecutor.builder(directory).build(),
                directory.resolve("proxy").toString());
        McpEndpoint endpoint = server.tcp(InetAddress.getLoopbackAddress());
        claude.mcpByProxy(
                List.of("sh", script),
                McpProxy.environment("127.0.0.1", endpoint.address().getPort(), endpoint.token()));
    }
}
