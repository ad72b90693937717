package io.maestro.claude;

import io.maestro.claude.internal.coder.HostWishes;
import io.maestro.claude.internal.run.CliRun;
import io.maestro.claude.internal.run.CliSession;
import io.maestro.claude.internal.run.McpLink;
import io.maestro.claude.internal.run.RunSettings;
import io.maestro.exec.Executor;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Runs the Claude Code CLI. Immutable, and safe for use by several threads; each run is a process of its own.
 *
 * <p>The CLI may use all of its tools unless a {@linkplain Builder#toolGate gate} refuses: what holds it is where its {@link Executor}
 * runs it. What a repository or an image brings for it (MCP servers, hooks, settings, variables) is never run. Secrets reach it by its environment only.
 */
public final class ClaudeCode {
    /** How the MCP server is called in the CLI: its tools are {@code mcp__maestro__TOOL} there. */
    public static final String MCP_SERVER = McpLink.SERVER;

    /**
     * Where the CLI looks for <em>managed</em> settings, which it obeys whatever else it is told: the second one where it takes
     * the machine for Windows' Linux. In a container they must be missing or empty, and nobody may write there; else no run is
     * started. On this machine they are its owner's.
     */
    public static final Set<String> MANAGED_DIRECTORIES = Set.of("/etc/claude-code", "/mnt/c");

    private final RunSettings settings;

    private ClaudeCode(RunSettings settings) {
        this.settings = settings;
    }

    /**
     * Begins to describe how the CLI is run.
     *
     * @param executor where it runs; must be able to {@link Executor#start start} commands
     * @return a builder
     */
    public static Builder builder(Executor executor) {
        return new Builder(executor);
    }

    /**
     * Begins a conversation.
     *
     * @param sessionId a UUID that was not used in the same working and state directory before; otherwise the first turn is {@link
     *     ClaudeResult.Ending#SESSION_EXISTS}
     * @param message what the user says first
     * @return the run; close it
     * @throws io.maestro.error.MaestroException when the CLI cannot be started, or its state directory not be written
     */
    public ClaudeRun start(String sessionId, String message) {
        return CliRun.start(settings, new CliSession(sessionId, false), message);
    }

    /**
     * Goes on with a conversation of an earlier run in the same working and state directory, which must have ended.
     *
     * @param sessionId its id; when it is not there the first turn is {@link ClaudeResult.Ending#UNKNOWN_SESSION}
     * @param message what the user says now
     * @return the run; close it
     * @throws io.maestro.error.MaestroException when the CLI cannot be started, or its state directory not be written
     */
    public ClaudeRun resume(String sessionId, String message) {
        return CliRun.start(settings, new CliSession(sessionId, true), message);
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "ClaudeCode[" + settings + "]";
    }

    /** Collects the settings. Not safe for use by several threads. */
    public static final class Builder {
        private final Executor executor;
        private String program = "claude";
        private Optional<String> model = Optional.empty();
        private Optional<String> user = Optional.empty();
        private Optional<String> workingDirectory = Optional.empty();
        private Optional<String> stateDirectory = Optional.empty();
        private Optional<String> home = Optional.empty();
        private Optional<String> systemPrompt = Optional.empty();
        private Optional<List<String>> builtInTools = Optional.empty();
        private List<String> disallowedTools = List.of();
        private Optional<ClaudeToolGate> gate = Optional.empty();
        private McpLink mcp = new McpLink.None();
        private Optional<ApiAccess> api = Optional.empty();
        private OptionalInt maxTurns = OptionalInt.empty();
        private Optional<BigDecimal> maxBudget = Optional.empty();
        private Duration totalLimit = Duration.ofHours(2);
        private Duration inactivityLimit = Duration.ofMinutes(10);
        private Duration grace = Duration.ofSeconds(10);
        private final Map<String, String> environment = new LinkedHashMap<>();
        private ClaudeListener listener = event -> {};
        private LongSupplier clock = System::nanoTime;

        private Builder(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
        }

        /**
         * Names the CLI.
         *
         * @param name its name on the executor's PATH, or its path there; {@code claude} unless set
         * @return this
         */
        public Builder program(String name) {
            program = notBlank(name, "program");
            return this;
        }

        /**
         * Chooses the model.
         *
         * @param name a model's name or one of the CLI's short names; the CLI's default unless set
         * @return this
         */
        public Builder model(String name) {
            model = Optional.of(notBlank(name, "model"));
            return this;
        }

        /**
         * Says as whom the CLI runs.
         *
         * @param name in the executor's notation; the executor's own user unless set
         * @return this
         */
        public Builder user(String name) {
            user = Optional.of(notBlank(name, "user"));
            return this;
        }

        /**
         * Says where the CLI works. A session can be resumed in the same directory only.
         *
         * @param path in the executor's notation; the executor's own directory unless set
         * @return this
         */
        public Builder workingDirectory(String path) {
            workingDirectory = Optional.of(notBlank(path, "workingDirectory"));
            return this;
        }

        /**
         * Says where the CLI keeps its sessions. What it keeps there of its own settings ({@code .claude.json}, {@code
         * .config.json}) is removed before each run, as an agent can write to it.
         *
         * @param path in the executor's notation, writable by the run's user, made when missing; unless set {@code ~/.claude},
         *     of which nothing is removed
         * @return this
         */
        public Builder stateDirectory(String path) {
            stateDirectory = Optional.of(notBlank(path, "stateDirectory"));
            return this;
        }

        /**
         * Names the home directory.
         *
         * @param path in the executor's notation; what the executor says unless set
         * @return this
         */
        public Builder home(String path) {
            home = Optional.of(notBlank(path, "home"));
            return this;
        }

        /**
         * Adds to the CLI's own system prompt. It reaches the CLI as a file, and may be long.
         *
         * @param text what is added; nothing unless set
         * @return this
         */
        public Builder systemPrompt(String text) {
            systemPrompt = Optional.of(text).filter(prompt -> !prompt.isBlank());
            return this;
        }

        /**
         * Limits the CLI's own tools. Those of the MCP server are not concerned.
         *
         * @param names for example Bash, Read and Grep; empty for none; the CLI's default unless set
         * @return this
         */
        public Builder builtInTools(List<String> names) {
            builtInTools = Optional.of(List.copyOf(names));
            return this;
        }

        /**
         * Takes tools away, whoever offers them.
         *
         * @param names tools, or rules in the CLI's notation; none unless set
         * @return this
         */
        public Builder disallowedTools(List<String> names) {
            disallowedTools = List.copyOf(names);
            return this;
        }

        /**
         * Has each use of a tool of the CLI's own decided on.
         *
         * @param decider called before each; all may run unless it is set
         * @return this
         */
        public Builder toolGate(ClaudeToolGate decider) {
            gate = Optional.of(decider);
            return this;
        }

        /**
         * Gives the CLI the tools of a server over its own standard input and output ({@link McpWay#CONTROL_CHANNEL}). The last
         * of the {@code mcp} methods counts; without one there is no server.
         *
         * @param server the server, which the caller closes after the runs
         * @return this
         */
        public Builder mcpOverControlChannel(McpServer server) {
            mcp = new McpLink.Channel(server::connect);
            return this;
        }

        /**
         * Gives the CLI the tools of a server over HTTP ({@link McpWay#HTTP}).
         *
         * @param endpoint where the server listens, see {@link McpServer#http}
         * @param host the name or address by which the CLI reaches that address
         * @return this
         */
        public Builder mcpOverHttp(McpEndpoint endpoint, String host) {
            String name = host.indexOf(':') >= 0 ? "[" + host + "]" : notBlank(host, "host");
            mcp = new McpLink.Http("http://" + name + ":" + endpoint.address().getPort() + "/mcp", endpoint.token());
            return this;
        }

        /**
         * Gives the CLI the tools of a server through a program that it starts and speaks with over standard input and output
         * ({@link McpWay#PROXY}).
         *
         * @param command the program and its arguments where the CLI runs; at least one element
         * @param variables what the program finds in its environment: the token, where to go with it
         * @return this
         */
        public Builder mcpByProxy(List<String> command, Map<String, String> variables) {
            notBlank(String.join("", command), "command");
            mcp = new McpLink.Proxy(List.copyOf(command), Map.copyOf(variables));
            return this;
        }

        /**
         * Says how the CLI reaches the API.
         *
         * @param access where, and with what
         * @return this
         */
        public Builder api(ApiAccess access) {
            api = Optional.of(access);
            return this;
        }

        /**
         * Limits the turns of the model for one message.
         *
         * @param turns 1 or more; no limit unless set
         * @return this
         */
        public Builder maxTurns(int turns) {
            if (turns < 1) {
                throw new IllegalArgumentException("maxTurns must be 1 or more, is " + turns);
            }
            maxTurns = OptionalInt.of(turns);
            return this;
        }

        /**
         * Limits what a run may cost, as far as the CLI knows it.
         *
         * @param dollars in US dollars, more than zero; no limit unless set
         * @return this
         */
        public Builder maxBudget(BigDecimal dollars) {
            if (dollars.signum() <= 0) {
                throw new IllegalArgumentException("maxBudget must be more than zero, is " + dollars);
            }
            maxBudget = Optional.of(dollars);
            return this;
        }

        /**
         * Limits the time of a run, whatever is in flight, unless the limits are {@linkplain ClaudeRun#suspendLimits suspended}.
         *
         * @param limit more than zero; 2 hours unless set
         * @return this
         */
        public Builder totalLimit(Duration limit) {
            totalLimit = HostWishes.positive("totalLimit", limit);
            return this;
        }

        /**
         * Limits the time in which the CLI says nothing. It does not count while a tool runs, while the CLI waits before it
         * asks the API again, while it shortens its conversation, and between turns. The CLI itself asks an API again that has
         * been silent for 5 to 6 minutes.
         *
         * @param limit more than zero; 10 minutes unless set
         * @return this
         */
        public Builder inactivityLimit(Duration limit) {
            inactivityLimit = HostWishes.positive("inactivityLimit", limit);
            return this;
        }

        /**
         * Limits the time in which the CLI may end when it is told to; then it is killed.
         *
         * @param limit more than zero; 10 seconds unless set
         * @return this
         */
        public Builder endLimit(Duration limit) {
            grace = HostWishes.positive("endLimit", limit);
            return this;
        }

        /**
         * Sets a variable for the CLI and what it runs.
         *
         * @param name its name; one that is set by another setting is replaced
         * @param value its value
         * @return this
         */
        public Builder environment(String name, String value) {
            environment.put(notBlank(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Watches the runs.
         *
         * @param watcher called for each event; what it throws is logged
         * @return this
         */
        public Builder listener(ClaudeListener watcher) {
            listener = Objects.requireNonNull(watcher, "listener");
            return this;
        }

        Builder mcp(McpLink link) {
            mcp = link;
            return this;
        }

        /** For tests. */
        Builder clock(LongSupplier nanos) {
            clock = nanos;
            return this;
        }

        /**
         * Makes the runner.
         *
         * @return the runner
         */
        public ClaudeCode build() {
            return new ClaudeCode(new RunSettings(
                    executor,
                    program,
                    model,
                    user,
                    workingDirectory,
                    stateDirectory,
                    home,
                    systemPrompt,
                    builtInTools,
                    disallowedTools,
                    gate,
                    mcp,
                    api,
                    maxTurns,
                    maxBudget,
                    totalLimit,
                    inactivityLimit,
                    grace,
                    Map.copyOf(environment),
                    listener,
                    clock));
        }

        private static String notBlank(String value, String name) {
            if (value.isBlank()) {
                throw new IllegalArgumentException(name + " must not be blank");
            }
            return value;
        }
    }
}
