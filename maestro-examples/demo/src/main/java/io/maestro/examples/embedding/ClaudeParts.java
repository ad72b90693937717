package io.maestro.examples.embedding;

import io.maestro.claude.ApiGateway;
import io.maestro.claude.ClaudeCode;
import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeRun;
import io.maestro.claude.GatewayClient;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.Usage;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** A program that needs only the parts of Claude Code mode. */
public final class ClaudeParts {
    private ClaudeParts() {}

    /** Tools of the program's own. */
    static final class Tickets implements McpTools {
        @Override
        public List<ToolDefinition> list() {
            return List.of(ToolDefinition.builder("ticket_read")
                    .description("Reads a ticket of the issue tracker")
                    .input(schema -> schema.requiredString("key", "Ticket key, for example APP-42"))
                    .readOnly()
                    .build());
        }

        @Override
        public ToolResult call(McpCall call) {
            return ToolResult.ok("APP-42: the export loses the last line");
        }
    }

    /** Refuses when a million tokens are used up. */
    static final class Budget implements GatewayClient {
        private final AtomicLong tokens = new AtomicLong();

        @Override
        public Optional<String> refusal() {
            return tokens.get() < 1_000_000 ? Optional.empty() : Optional.of("a million tokens are used up");
        }

        @Override
        public void used(String model, Usage usage) {
            tokens.addAndGet(usage.totalTokens());
        }
    }

    /**
     * Serves the tools until somebody presses a key.
     *
     * @throws Exception when nobody can
     */
    static void serve() throws Exception {
        try (McpServer server = McpServer.builder(new Tickets()).name("tickets").build()) {
            McpEndpoint endpoint = server.http(InetAddress.getLoopbackAddress());
            System.out.println("http://" + endpoint.address().getHostString() + ":"
                    + endpoint.address().getPort() + "/mcp, with the header Authorization: Bearer " + endpoint.token());
            System.in.read();
        }
    }

    /**
     * Asks Claude Code, which gets the tools over its own input and output, and the API through the gateway.
     *
     * @param program the CLI
     * @param directory where it works
     * @param api where the API is
     * @param key of the API
     * @param question what it is asked
     * @return how that ended
     */
    static ClaudeResult ask(String program, Path directory, URI api, String key, String question) {
        LocalExecutor executor = LocalExecutor.builder(directory).build();
        try (ApiGateway gateway = ApiGateway.builder(key)
                        .upstream(api)
                        .client(new Budget())
                        .build();
                McpServer server = McpServer.builder(new Tickets()).build();
                ClaudeRun run = ClaudeCode.builder(executor)
                        .program(program)
                        .model("sonnet")
                        .stateDirectory(directory.resolve(".claude-state").toString())
                        .api(gateway.overHttp(InetAddress.getLoopbackAddress()))
                        .mcpOverControlChannel(server)
                        .builtInTools(List.of("Read", "Grep"))
                        .build()
                        .start(UUID.randomUUID().toString(), question)) {
            return run.await(Duration.ofMinutes(10)).orElseThrow();
        }
    }

    /**
     * Asks a question, or serves the tools when there is none.
     *
     * @param args the CLI's program and a question, or nothing
     * @throws Exception when it cannot be done
     */
    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            serve();
            return;
        }
        URI api = URI.create(System.getenv().getOrDefault("ANTHROPIC_BASE_URL", "https://api.anthropic.com"));
        ClaudeResult result =
                ask(args[0], Path.of("").toAbsolutePath(), api, System.getenv("ANTHROPIC_API_KEY"), args[1]);
        System.out.println(result.ending() + ": " + result.text());
    }
}
