package io.maestro.mcpclient.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.mcpclient.McpSource;
import io.maestro.mcpclient.internal.BorrowedServer.TransportFactory;
import io.maestro.runtime.ToolRegistry;
import io.maestro.secrets.Redactor;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The MCP servers of one Maestro or agent, and their tools. */
public final class McpTools implements AutoCloseable {
    /** The file with what the host has agreed to. */
    public static final String PINS = "mcp-pins.json";

    private static final int MOST_TOOLS = 128;
    private static final int DEEPEST = 100;

    /** Of a message: a list of ten thousand tools has fewer, and a tree of so many takes some 20 megabytes. */
    private static final int MOST_TOKENS = 250_000;

    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final McpJsonMapper JSON = new JacksonMcpJsonMapper(JsonMapper.builder(JsonFactory.builder()
                    // Names come from the other side: not for ever into the memory of the JVM.
                    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxTokenCount(MOST_TOKENS)
                            .maxNestingDepth(DEEPEST)
                            .maxStringLength(McpSession.LARGEST_MESSAGE)
                            .build())
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build());

    private final Map<McpSource, BorrowedServer> servers = new LinkedHashMap<>();
    private final Path directory;
    private final boolean agrees;
    private final Map<String, String> environment;
    private final Redactor redactor;

    private McpTools(Path directory, boolean agrees, Map<String, String> environment, Redactor redactor) {
        this.directory = directory;
        this.agrees = agrees;
        this.environment = environment;
        this.redactor = redactor;
    }

    /**
     * Starts the servers, and registers those of their tools that the host agrees to. What is wrong with others becomes a problem
     * of the registry.
     *
     * @param sources the servers
     * @param registry gets the tools
     * @param directory nobody else's, and the same in the next life of the host: programs run in {@code mcp/<name>}, and {@code
     *     mcp-pins.json} keeps what the host has agreed to
     * @param agrees whether what is seen for the first time is agreed to, and kept; else no file of pins is written
     * @param environment the host's
     * @param redactor takes secrets out of logs and messages
     * @return to be closed
     * @throws MaestroException when a server can't be started or has too many tools, or two have one name
     */
    public static McpTools open(
            List<McpSource> sources,
            ToolRegistry registry,
            Path directory,
            boolean agrees,
            Map<String, String> environment,
            Redactor redactor) {
        McpTools tools = new McpTools(directory, agrees, environment, redactor);
        boolean good = false;
        try {
            tools.start(sources).forEach((source, listed) -> tools.register(source, listed, registry));
            good = true;
            return tools;
        } finally {
            if (!good) {
                tools.close();
            }
        }
    }

    private Map<McpSource, List<Map<?, ?>>> start(List<McpSource> sources) {
        for (McpSource source : sources) {
            if (servers.keySet().stream().anyMatch(other -> other.name().equalsIgnoreCase(source.name()))) {
                throw new MaestroException(
                        "two MCP sources have the name '" + source.name() + "': give each a name of its own");
            }
            servers.put(source, new BorrowedServer(source, connector(source), redactor));
        }
        ExecutorService threads = Threads.newWaitingExecutor("maestro-mcp-start");
        try {
            Map<McpSource, Future<List<Map<?, ?>>>> starting = new LinkedHashMap<>();
            servers.forEach((source, server) -> starting.put(source, threads.submit(server::open)));
            Map<McpSource, List<Map<?, ?>>> listed = new LinkedHashMap<>();
            for (Map.Entry<McpSource, Future<List<Map<?, ?>>>> one : starting.entrySet()) {
                listed.put(one.getKey(), listed(one.getKey(), one.getValue()));
            }
            return listed;
        } finally {
            // Those that are still being started end, too, before the servers are closed.
            threads.shutdownNow();
            Uninterrupted.until(
                    System.nanoTime() + STOP_LIMIT.toNanos(),
                    nanos -> threads.awaitTermination(nanos, TimeUnit.NANOSECONDS));
        }
    }

    private List<Map<?, ?>> listed(McpSource source, Future<List<Map<?, ?>>> starting) {
        try {
            return starting.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String check = source.endpoint()
                    .map(url -> url.getScheme() + "://" + url.getAuthority() + " is an MCP server that answers")
                    .orElseGet(() -> "'" + source.command().get(0) + "' starts an MCP server here");
            throw new MaestroException(
                    "the MCP server '" + source.name() + "' can't be used: "
                            + redactor.redact(String.valueOf(cause.getMessage())) + "; see that " + check
                            + ", give it more time by startLimit(…), or leave it out",
                    cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MaestroException("interrupted while the MCP server '" + source.name() + "' was started", e);
        }
    }

    private void register(McpSource source, List<Map<?, ?>> listed, ToolRegistry registry) {
        String origin = "the MCP server '" + source.name() + "'";
        Offers offers = Offers.of(source, listed);
        if (offers.good().size() > MOST_TOOLS) {
            throw new MaestroException(origin + " has " + offers.good().size() + " tools, at most " + MOST_TOOLS
                    + " can be offered: name those that agents need by tools(…) or tools.mcp." + source.name()
                    + ".tools");
        }
        offers.faults().forEach((tool, fault) -> registry.problem("the tool '" + tool + "' of " + origin, fault));
        Pins pins = Pins.read(source.pins().orElse(directory.resolve(PINS)));
        boolean seen = pins.knows(source);
        BorrowedServer server = Objects.requireNonNull(servers.get(source));
        List<ToolListing> agreed = new ArrayList<>();
        for (ToolListing offer : offers.good()) {
            pins.refusal(source, offer, seen)
                    .ifPresentOrElse(
                            why -> registry.problem("the tool '" + offer.tool() + "' of " + origin, why),
                            () -> agreed.add(offer));
        }
        if (agrees) {
            pins.write();
        }
        server.offer(agreed);
        registry.borrow(
                origin,
                agreed.stream()
                        .map(offer -> new BorrowedTool(source, server, offer))
                        .toList());
    }

    private TransportFactory connector(McpSource source) {
        return source.endpoint().isPresent()
                ? broken -> new HttpTransport(source, source.endpoint().get(), JSON)
                : broken -> new StdioTransport(program(source), source.name(), JSON, redactor, broken);
    }

    private ExecProcess program(McpSource source) {
        Path place = directory.resolve("mcp").resolve(source.name());
        try {
            PrivateFiles.makeMissing(place);
        } catch (IOException e) {
            throw new MaestroException("the directory " + place + " of an MCP server can't be made: " + e, e);
        }
        LocalExecutor.Builder executor = LocalExecutor.builder(place);
        source.passedOn().forEach(name -> {
            String value = environment.get(name);
            if (value != null) {
                executor.variable(name, value);
            }
        });
        LocalExecutor programs = executor.build();
        programs.endLeftovers(); // of a host that was killed; nobody else uses the directory
        return programs.start(
                ExecRequest.command(source.command()).timeLimit(FOREVER).build());
    }

    /** Waits until nothing is left of the programs. */
    @Override
    public void close() {
        servers.values().forEach(BorrowedServer::close);
    }
}
