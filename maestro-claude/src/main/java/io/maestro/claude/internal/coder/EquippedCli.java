package io.maestro.claude.internal.coder;

import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ApiAccess;
import io.maestro.claude.ApiGateway;
import io.maestro.claude.ClaudeCode;
import io.maestro.claude.ClaudeFinder;
import io.maestro.claude.ClaudeOptions;
import io.maestro.claude.ClaudeRun;
import io.maestro.claude.McpWay;
import io.maestro.claude.SocketDirectory;
import io.maestro.claude.internal.proxy.McpProxy;
import io.maestro.claude.internal.way.ApiWay;
import io.maestro.claude.internal.way.ClaudeModels;
import io.maestro.claude.internal.way.Ways;
import io.maestro.environment.Environment;
import io.maestro.environment.HostRoute;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import io.maestro.tools.ToolResult;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CLI of one coder in one state with all that it needs: the program itself, a gateway that keeps the key, and a server with
 * the coder's tools. Made when it is first started; what belongs to the container is made anew after a change of it.
 */
final class EquippedCli implements Cli {
    private static final Logger LOG = LoggerFactory.getLogger(EquippedCli.class);

    /** Over HTTP the CLI has as many as it makes calls at a time; each may hold a message. */
    private static final int MOST_CONNECTIONS = 24;

    /** What the names of its own tools begin with in a policy. */
    private static final String OWN = "claude__";

    private final Parts parts;
    private final AgentContext task;
    private final ClaudeOptions options;
    private final String model;
    private final Supplier<Path> socketFile;
    private final McpServer server;
    private final CliMeter meter;
    private final @Nullable ApiGateway gateway;

    private @Nullable String program;
    private @Nullable ApiAccess socketAccess;
    private @Nullable ApiAccess httpAccess;
    private @Nullable McpEndpoint http;
    private @Nullable McpEndpoint tcp;

    /**
     * A CLI that is not there yet.
     *
     * @param client asks the API
     * @param socketFile where the gateway may listen
     */
    EquippedCli(Parts parts, ClaudeOptions options, HttpClient client, Supplier<Path> socketFile) {
        this.parts = parts;
        this.task = parts.task();
        this.options = options;
        this.model = options.model(task.state()).orElseThrow();
        this.socketFile = socketFile;
        this.meter = new CliMeter(parts, model);
        this.server = McpServer.builder(parts.tools())
                .maxConnections(MOST_CONNECTIONS)
                .build();
        this.gateway = options.keyInEnvironment()
                ? null
                : ApiGateway.builder(options.apiKey().orElseThrow())
                        .upstream(options.baseUrl())
                        .httpClient(client)
                        .client(meter)
                        .models(ClaudeModels.asked(model))
                        .build();
    }

    @Override
    public ClaudeRun start(String sessionId, String message) {
        return claude().start(sessionId, message);
    }

    @Override
    public ClaudeRun resume(String sessionId, String message) {
        return claude().resume(sessionId, message);
    }

    private ClaudeCode claude() {
        meter.begin();
        Environment environment = task.environment();
        Executor executor = environment.executor();
        String state = environment
                .stateDirectory()
                .orElseThrow(
                        () -> new MaestroException("Claude Code needs a place for its sessions, which the environment"
                                + " of " + task.agentId() + " does not have: Environment.stateDirectory() is empty"));
        ClaudeCode.Builder claude = ClaudeCode.builder(executor)
                .program(program(executor, environment))
                .model(model)
                .workingDirectory(executor.workingDirectory())
                .stateDirectory(state)
                .systemPrompt(task.instructions())
                .builtInTools(options.tools(task.state()).stream()
                        .filter(tool -> task.offersOwnTool(OWN + tool))
                        .toList())
                .maxTurns(Math.max(1, parts.turnsLeft().getAsInt()))
                .totalLimit(options.totalLimit())
                .inactivityLimit(options.inactivityLimit());
        if (task.decidesOnOwnTools()) {
            OwnToolPaths paths = new OwnToolPaths(executor);
            claude.toolGate((id, tool, input) -> paths.refusal(
                            tool,
                            input,
                            reason -> task.refuse(id, OWN + tool, input, reason),
                            () -> task.decideOnOwnTool(id, OWN + tool, input))
                    .map(ToolResult::text));
        }
        ClaudeModels.environment(model).forEach(claude::environment);
        task.traceVariables().forEach(claude::environment);
        if (!state.endsWith("/.claude")) {
            // On the host: what it keeps in a home directory is not the host's.
            claude.home(state);
        }
        connect(claude, environment, executor, state);
        return claude.build();
    }

    private String program(Executor executor, Environment environment) {
        String known = program;
        if (known != null) {
            return known;
        }
        ClaudeFinder.Builder finder = finder(options, executor);
        environment.programDirectory().ifPresent(finder::boundAt);
        ClaudeFinder.Installed found = finder.build().ensure();
        LOG.debug("{}: {}", task.agentId(), found.report());
        program = found.program();
        return found.program();
    }

    /** Looks for the program that the options name. */
    static ClaudeFinder.Builder finder(ClaudeOptions options, Executor executor) {
        ClaudeFinder.Builder finder = ClaudeFinder.on(executor);
        options.program().ifPresent(finder::program);
        options.hostProgram().ifPresent(finder::hostProgram);
        return finder;
    }

    private void connect(ClaudeCode.Builder claude, Environment environment, Executor executor, String state) {
        if (options.keyInEnvironment()) {
            requireMoney();
            claude.api(
                    new ApiAccess(options.baseUrl().toString(), options.apiKey().orElseThrow(), Optional.empty()));
            claude.listener(new ResultUsage(parts.listener(), meter::used));
            connectTools(
                    claude, options.way().orElse(McpWay.CONTROL_CHANNEL), environment.hostRoute(), executor, state);
            return;
        }
        Ways ways = Ways.choose(options.way(), Optional.empty(), environment);
        claude.api(ways.api() == ApiWay.SOCKET ? overSocket(ways) : overHttp(ways));
        claude.listener(parts.listener());
        connectTools(claude, ways.mcp(), ways.route(), executor, state);
    }

    private void connectTools(
            ClaudeCode.Builder claude, McpWay way, Optional<HostRoute> route, Executor executor, String state) {
        switch (way) {
            case CONTROL_CHANNEL -> claude.mcpOverControlChannel(server);
            case HTTP -> {
                HostRoute there = required(route, way);
                McpEndpoint endpoint = http == null ? server.http(there.address()) : http;
                http = endpoint;
                claude.mcpOverHttp(endpoint, there.name());
            }
            case PROXY -> {
                HostRoute there = required(route, way);
                McpEndpoint endpoint = tcp == null ? server.tcp(there.address()) : tcp;
                tcp = endpoint;
                claude.mcpByProxy(
                        List.of("sh", McpProxy.install(executor, state)),
                        McpProxy.environment(there.name(), endpoint.address().getPort(), endpoint.token()));
            }
        }
    }

    private static HostRoute required(Optional<HostRoute> route, McpWay way) {
        return route.orElseThrow(() -> new MaestroException("Claude Code cannot reach the tools by the way " + way
                + " without a network that reaches the host; use " + McpWay.CONTROL_CHANNEL));
    }

    private ApiAccess overSocket(Ways ways) {
        ApiAccess known = socketAccess == null ? requireGateway().overSocket(socketFile.get()) : socketAccess;
        socketAccess = known;
        return known.withSocket(ways.socketDirectory().orElseThrow() + "/" + SocketDirectory.SOCKET);
    }

    private ApiAccess overHttp(Ways ways) {
        HostRoute route = ways.route().orElseThrow();
        ApiAccess known = httpAccess == null ? requireGateway().overHttp(route.address()) : httpAccess;
        httpAccess = known;
        String port = known.baseUrl().substring(known.baseUrl().lastIndexOf(':'));
        return new ApiAccess("http://" + route.name() + port, known.key(), Optional.empty());
    }

    private ApiGateway requireGateway() {
        if (gateway == null) {
            throw new IllegalStateException("there is no gateway");
        }
        return gateway;
    }

    @Override
    public void moved() {
        program = null;
    }

    @Override
    public Optional<String> refusedBudget() {
        if (gateway != null) {
            return meter.refusedBudget();
        }
        // Nobody is asked before a request: a turn that has ended is the first chance.
        requireMoney();
        return parts.spent();
    }

    @Override
    public Optional<Duration> retryAfter() {
        return meter.retryAfter();
    }

    /** A turn costs what it costs; but none is begun when a hard limit is reached. */
    private void requireMoney() {
        task.reserve(model, 0, 0).failed(false);
    }

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            if (gateway != null) {
                gateway.close();
            }
        }
    }
}
