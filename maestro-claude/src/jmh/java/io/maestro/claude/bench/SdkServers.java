package io.maestro.claude.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.servlet.Servlet;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogManager;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Servers with the same tool on the official SDK; each gives the port. */
final class SdkServers {
    private static final McpJsonMapper JSON = new JacksonMcpJsonMapper(new JsonMapper());
    private static final McpSchema.ServerCapabilities TOOLS =
            McpSchema.ServerCapabilities.builder().tools(false).build();
    private static final McpSchema.Tool ECHO = McpSchema.Tool.builder(
                    "echo",
                    Map.of(
                            "type",
                            "object",
                            "properties",
                            Map.of("text", Map.of("type", "string", "description", "what to say")),
                            "required",
                            List.of("text")))
            .description("Says the same")
            .build();

    private SdkServers() {}

    private static McpSchema.CallToolResult echo(McpSchema.CallToolRequest request) {
        return McpSchema.CallToolResult.builder()
                .addTextContent("echo: " + request.arguments().get("text"))
                .isError(false)
                .build();
    }

    static int http() throws IOException, LifecycleException {
        var transport = HttpServletStreamableServerTransportProvider.builder()
                .jsonMapper(JSON)
                .mcpEndpoint("/mcp")
                .build();
        var unused = McpServer.sync(transport)
                .jsonMapper(JSON)
                .capabilities(TOOLS)
                .validateToolInputs(false)
                .immediateExecution(true)
                .toolCall(ECHO, (exchange, request) -> echo(request))
                .build();
        return tomcat(transport);
    }

    static int stateless() throws IOException, LifecycleException {
        var transport = HttpServletStatelessServerTransport.builder()
                .jsonMapper(JSON)
                .messageEndpoint("/mcp")
                .build();
        var unused = McpServer.sync(transport)
                .jsonMapper(JSON)
                .capabilities(TOOLS)
                .validateToolInputs(false)
                .immediateExecution(true)
                .toolCall(ECHO, (context, request) -> echo(request))
                .build();
        return tomcat(transport);
    }

    private static int tomcat(Servlet servlet) throws IOException, LifecycleException {
        LogManager.getLogManager().getLogger("").setLevel(Level.SEVERE);
        // In the module's directory: it is not removed at the end.
        Path base = Files.createDirectories(Path.of("target", "mcp-bench")).toAbsolutePath();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        // By default it ends a connection after a hundred requests.
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", base.toString());
        Wrapper wrapper = Tomcat.addServlet(context, "mcp", servlet);
        wrapper.setAsyncSupported(true);
        context.addServletMappingDecoded("/*", "mcp");
        tomcat.start();
        return connector.getLocalPort();
    }

    static int tcp() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> accept(server), "accept");
        thread.setDaemon(true);
        thread.start();
        return server.getLocalPort();
    }

    private static void accept(ServerSocket server) {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                var unused = McpServer.sync(new StdioServerTransportProvider(
                                JSON, socket.getInputStream(), new BufferedOutputStream(socket.getOutputStream())))
                        .jsonMapper(JSON)
                        .capabilities(TOOLS)
                        .validateToolInputs(false)
                        .immediateExecution(true)
                        .toolCall(ECHO, (exchange, request) -> echo(request))
                        .build();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
