package io.maestro.claude;

import io.maestro.claude.internal.run.CliLaunch;
import io.maestro.claude.internal.run.CliRun;
import io.maestro.claude.internal.run.CliSession;
import io.maestro.claude.internal.run.McpLink;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.exec.Executor;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
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

    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<String> PROGRAM = GROUP.inCode("claude").checked(notBlank("program"));
    private static final Setting<String> MODEL = GROUP.<String>inCode(null).checked(notBlank("model"));
    private static final Setting<String> USER = GROUP.<String>inCode(null).checked(notBlank("user"));
    private static final Setting<String> WORKING_DIRECTORY =
            GROUP.<String>inCode(null).checked(notBlank("workingDirectory"));
    private static final Setting<String> STATE_DIRECTORY =
            GROUP.<String>inCode(null).checked(notBlank("stateDirectory"));
    private static final Setting<String> HOME = GROUP.<String>inCode(null).checked(notBlank("home"));
    private static final Setting<String> SYSTEM_PROMPT = GROUP.inCode(null);
    private static final Setting<List<String>> BUILT_IN_TOOLS = GROUP.inCode(null);
    private static final Setting<List<String>> DISALLOWED_TOOLS = GROUP.inCode(List.of());
    private static final Setting<ClaudeToolGate> TOOL_GATE = GROUP.inCode(null);
    private static final Setting<ApiAccess> API = GROUP.inCode(null);
    private static final Setting<Integer> MAX_TURNS = GROUP.<Integer>inCode(null)
            .checked(turns -> {
                if (turns < 1) {
                    throw new IllegalArgumentException("maxTurns must be 1 or more, is " + turns);
                }
            });
    private static final Setting<BigDecimal> MAX_BUDGET = GROUP.<BigDecimal>inCode(null)
            .checked(dollars -> {
                if (dollars.signum() <= 0) {
                    throw new IllegalArgumentException("maxBudget must be more than zero, is " + dollars);
                }
            });
    private static final Setting<Duration> TOTAL_LIMIT =
            GROUP.inCode(Duration.ofHours(2)).checked(limit -> ClaudeOptions.requirePositive("totalLimit", limit));
    private static final Setting<Duration> INACTIVITY_LIMIT = GROUP.inCode(Duration.ofMinutes(10))
            .checked(limit -> ClaudeOptions.requirePositive("inactivityLimit", limit));
    private static final Setting<Duration> END_LIMIT =
            GROUP.inCode(Duration.ofSeconds(10)).checked(limit -> ClaudeOptions.requirePositive("endLimit", limit));
    private static final Setting<Map<String, String>> ENVIRONMENT = GROUP.inCode(Map.of());
    private static final Setting<ClaudeListener> LISTENER = GROUP.inCode(event -> {});

    private final Executor executor;
    private final SettingValues values;
    private final McpLink mcp;
    private final LongSupplier clock;

    private ClaudeCode(Builder builder) {
        this.executor = builder.executor;
        this.values = builder.values;
        this.mcp = builder.mcp;
        this.clock = builder.clock;
    }

    private static Consumer<String> notBlank(String name) {
        return value -> requireText(value, name);
    }

    private static String requireText(String value, String name) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank");
        }
        return value;
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
        return CliRun.start(new CliLaunch(this, new CliSession(sessionId, false), mcp, clock), message);
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
        return CliRun.start(new CliLaunch(this, new CliSession(sessionId, true), mcp, clock), message);
    }

    /**
     * Where the CLI runs.
     *
     * @return the executor
     */
    public Executor executor() {
        return executor;
    }

    /**
     * The CLI.
     *
     * @return {@code claude} unless set
     */
    public String program() {
        return values.get(PROGRAM);
    }

    /**
     * The model.
     *
     * @return empty unless set
     */
    public Optional<String> model() {
        return values.find(MODEL);
    }

    /**
     * As whom the CLI runs.
     *
     * @return empty unless set
     */
    public Optional<String> user() {
        return values.find(USER);
    }

    /**
     * Where the CLI works.
     *
     * @return empty unless set
     */
    public Optional<String> workingDirectory() {
        return values.find(WORKING_DIRECTORY);
    }

    /**
     * Where the CLI keeps its sessions.
     *
     * @return empty unless set
     */
    public Optional<String> stateDirectory() {
        return values.find(STATE_DIRECTORY);
    }

    /**
     * The home directory.
     *
     * @return empty unless set
     */
    public Optional<String> home() {
        return values.find(HOME);
    }

    /**
     * What is added to the CLI's own system prompt.
     *
     * @return empty unless set
     */
    public Optional<String> systemPrompt() {
        return values.find(SYSTEM_PROMPT);
    }

    /**
     * The CLI's own tools.
     *
     * @return empty unless set: the CLI's default
     */
    public Optional<List<String>> builtInTools() {
        return values.find(BUILT_IN_TOOLS);
    }

    /**
     * The tools that are taken away.
     *
     * @return none unless set
     */
    public List<String> disallowedTools() {
        return values.get(DISALLOWED_TOOLS);
    }

    /**
     * Decides on uses of the CLI's own tools.
     *
     * @return empty unless set: all may run
     */
    public Optional<ClaudeToolGate> toolGate() {
        return values.find(TOOL_GATE);
    }

    /**
     * How the CLI reaches the API.
     *
     * @return empty unless set
     */
    public Optional<ApiAccess> api() {
        return values.find(API);
    }

    /**
     * How many turns the model may have for one message.
     *
     * @return empty unless set
     */
    public Optional<Integer> maxTurns() {
        return values.find(MAX_TURNS);
    }

    /**
     * What a run may cost.
     *
     * @return in US dollars; empty unless set
     */
    public Optional<BigDecimal> maxBudget() {
        return values.find(MAX_BUDGET);
    }

    /**
     * How long a run may take.
     *
     * @return 2 hours unless set
     */
    public Duration totalLimit() {
        return values.get(TOTAL_LIMIT);
    }

    /**
     * How long the CLI may say nothing.
     *
     * @return 10 minutes unless set
     */
    public Duration inactivityLimit() {
        return values.get(INACTIVITY_LIMIT);
    }

    /**
     * How long the CLI may take to end when it is told to.
     *
     * @return 10 seconds unless set
     */
    public Duration endLimit() {
        return values.get(END_LIMIT);
    }

    /**
     * Further variables for the CLI and what it runs.
     *
     * @return unmodifiable; may hold secrets
     */
    public Map<String, String> environment() {
        return values.get(ENVIRONMENT);
    }

    /**
     * Watches the runs.
     *
     * @return one that does nothing unless set
     */
    public ClaudeListener listener() {
        return values.get(LISTENER);
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "ClaudeCode[" + program() + model().map(name -> " with " + name).orElse("") + " by " + executor + "]";
    }

    /** Collects the settings. Not safe for use by several threads. */
    public static final class Builder {
        private final Executor executor;
        private SettingValues values = GROUP.none();
        private McpLink mcp = new McpLink.None();
        private LongSupplier clock = System::nanoTime;

        private Builder(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
        }

        private <T> Builder with(Setting<T> setting, T value) {
            values = values.with(setting, Objects.requireNonNull(value));
            return this;
        }

        /**
         * Names the CLI.
         *
         * @param name its name on the executor's PATH, or its path there; {@code claude} unless set
         * @return this
         */
        public Builder program(String name) {
            return with(PROGRAM, name);
        }

        /**
         * Chooses the model.
         *
         * @param name a model's name or one of the CLI's short names; the CLI's default unless set
         * @return this
         */
        public Builder model(String name) {
            return with(MODEL, name);
        }

        /**
         * Says as whom the CLI runs.
         *
         * @param name in the executor's notation; the executor's own user unless set
         * @return this
         */
        public Builder user(String name) {
            return with(USER, name);
        }

        /**
         * Says where the CLI works. A session can be resumed in the same directory only.
         *
         * @param path in the executor's notation; the executor's own directory unless set
         * @return this
         */
        public Builder workingDirectory(String path) {
            return with(WORKING_DIRECTORY, path);
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
            return with(STATE_DIRECTORY, path);
        }

        /**
         * Names the home directory.
         *
         * @param path in the executor's notation; what the executor says unless set
         * @return this
         */
        public Builder home(String path) {
            return with(HOME, path);
        }

        /**
         * Adds to the CLI's own system prompt. It reaches the CLI as a file, and may be long.
         *
         * @param text what is added; nothing unless set
         * @return this
         */
        public Builder systemPrompt(String text) {
            if (text.isBlank()) {
                values = values.without(SYSTEM_PROMPT);
                return this;
            }
            return with(SYSTEM_PROMPT, text);
        }

        /**
         * Limits the CLI's own tools. Those of the MCP server are not concerned.
         *
         * @param names for example Bash, Read and Grep; empty for none; the CLI's default unless set
         * @return this
         */
        public Builder builtInTools(List<String> names) {
            return with(BUILT_IN_TOOLS, List.copyOf(names));
        }

        /**
         * Takes tools away, whoever offers them.
         *
         * @param names tools, or rules in the CLI's notation; none unless set
         * @return this
         */
        public Builder disallowedTools(List<String> names) {
            return with(DISALLOWED_TOOLS, List.copyOf(names));
        }

        /**
         * Has each use of a tool of the CLI's own decided on.
         *
         * @param decider called before each; all may run unless it is set
         * @return this
         */
        public Builder toolGate(ClaudeToolGate decider) {
            return with(TOOL_GATE, decider);
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
            String name = host.indexOf(':') >= 0 ? "[" + host + "]" : requireText(host, "host");
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
            requireText(String.join("", command), "command");
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
            return with(API, access);
        }

        /**
         * Limits the turns of the model for one message.
         *
         * @param turns 1 or more; no limit unless set
         * @return this
         */
        public Builder maxTurns(int turns) {
            return with(MAX_TURNS, turns);
        }

        /**
         * Limits what a run may cost, as far as the CLI knows it.
         *
         * @param dollars in US dollars, more than zero; no limit unless set
         * @return this
         */
        public Builder maxBudget(BigDecimal dollars) {
            return with(MAX_BUDGET, dollars);
        }

        /**
         * Limits the time of a run, whatever is in flight, unless the limits are {@linkplain ClaudeRun#suspendLimits suspended}.
         *
         * @param limit more than zero; 2 hours unless set
         * @return this
         */
        public Builder totalLimit(Duration limit) {
            return with(TOTAL_LIMIT, limit);
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
            return with(INACTIVITY_LIMIT, limit);
        }

        /**
         * Limits the time in which the CLI may end when it is told to; then it is killed.
         *
         * @param limit more than zero; 10 seconds unless set
         * @return this
         */
        public Builder endLimit(Duration limit) {
            return with(END_LIMIT, limit);
        }

        /**
         * Sets a variable for the CLI and what it runs.
         *
         * @param name its name; one that is set by another setting is replaced
         * @param value its value
         * @return this
         */
        public Builder environment(String name, String value) {
            Map<String, String> all = new HashMap<>(values.get(ENVIRONMENT));
            all.put(requireText(name, "name"), Objects.requireNonNull(value, "value"));
            return with(ENVIRONMENT, Map.copyOf(all));
        }

        /**
         * Watches the runs.
         *
         * @param watcher called for each event; what it throws is logged
         * @return this
         */
        public Builder listener(ClaudeListener watcher) {
            return with(LISTENER, watcher);
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
            return new ClaudeCode(this);
        }
    }
}
