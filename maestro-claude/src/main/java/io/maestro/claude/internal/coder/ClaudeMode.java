package io.maestro.claude.internal.coder;

import io.maestro.agent.Agent;
import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.claude.ClaudeCode;
import io.maestro.claude.ClaudeFinder;
import io.maestro.claude.ClaudeOptions;
import io.maestro.claude.SocketDirectory;
import io.maestro.environment.Equipment;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claude Code as the coder of one Maestro. Safe for use by several threads. */
public final class ClaudeMode implements AgentProvider {
    private static final Logger LOG = LoggerFactory.getLogger(ClaudeMode.class);

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(30);

    private final ClaudeOptions options;
    private final Path runs;
    /** One for all coders: before Java 21 each would keep a thread until the JVM collects garbage. */
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECT_LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    private final EndedSessions endedSessions = new EndedSessions();
    private final Map<String, SocketDirectory> sockets = new ConcurrentHashMap<>();
    private final Set<ClaudeWork> open = ConcurrentHashMap.newKeySet();

    /**
     * The mode of a project, whose directory is held by the caller.
     *
     * @throws MaestroException when what an earlier life has left cannot be removed
     */
    public ClaudeMode(AgentProject project, ClaudeOptions options) {
        this.options = options;
        this.runs = project.directory().resolve(".maestro").resolve("run");
        removeLeftovers();
    }

    /** Sockets of a life that was killed; nobody listens there any more. */
    private void removeLeftovers() {
        if (!Files.isDirectory(runs)) {
            return;
        }
        try (Stream<Path> left = Files.list(runs)) {
            left.toList().forEach(SocketDirectory::remove);
        } catch (IOException e) {
            throw new MaestroException("what an earlier run has left in " + runs + " cannot be read: " + e, e);
        }
    }

    @Override
    public Equipment equipment(String agentId) {
        Optional<Path> mounted = options.keyInEnvironment()
                ? Optional.empty()
                : Optional.of(sockets(agentId).mounted());
        return new Equipment(
                true,
                mounted,
                true,
                options.hostProgram().map(ClaudeFinder::boundFiles).orElse(Map.of()),
                ClaudeCode.MANAGED_DIRECTORIES);
    }

    private SocketDirectory sockets(String agentId) {
        return sockets.computeIfAbsent(agentId, agent -> SocketDirectory.open(runs.resolve(agent)));
    }

    @Override
    public Optional<String> check(Optional<Executor> executor) {
        return executor.map(here -> {
            ClaudeFinder.Installed found =
                    EquippedCli.finder(options, here).build().ensure();
            return "Claude Code " + found.version() + " at " + found.program();
        });
    }

    /** The API does not know the CLI's own short names. */
    @Override
    public List<LlmClient> services() {
        return Stream.of(CoderState.PLANNING, CoderState.CODING)
                .map(state -> options.model(state).orElseThrow().replace("[1m]", ""))
                .filter(model -> model.startsWith("claude-"))
                .distinct()
                .<LlmClient>map(model -> AnthropicClient.builder(model)
                        .baseUrl(options.baseUrl())
                        .apiKey(options.apiKey().orElseThrow())
                        .build())
                .toList();
    }

    @Override
    public Agent open(AgentContext task) {
        ClaudeWork work = new ClaudeWork(
                task,
                endedSessions,
                parts -> new EquippedCli(
                        parts, options, http, () -> sockets(task.agentId()).socket()),
                open::remove);
        open.add(work);
        return work;
    }

    @Override
    public void close() {
        for (ClaudeWork work : List.copyOf(open)) {
            attempt(work::close);
        }
        sockets.values().forEach(directory -> attempt(directory::close));
        sockets.clear();
        try {
            // Only when no other thing is in it.
            Files.deleteIfExists(runs);
        } catch (IOException e) {
            LOG.debug("{} stays: {}", runs, e.toString());
        }
    }

    /** The others are closed all the same. */
    private static void attempt(Runnable closing) {
        try {
            closing.run();
        } catch (RuntimeException e) {
            LOG.warn("something of Claude Code could not be closed: {}", e.getMessage());
        }
    }
}
