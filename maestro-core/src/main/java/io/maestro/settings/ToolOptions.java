package io.maestro.settings;

import io.maestro.command.CommandTool;
import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.mcpclient.McpSource;
import io.maestro.runtime.ToolPolicy;
import io.maestro.tools.ToolFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The tools that agents can call, their limits and the policy for them. Immutable: each setter returns changed options. */
public final class ToolOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<List<ToolFactory>> FACTORIES = GROUP.inCode(List.of());
    private static final Setting<Map<Class<?>, Object>> SERVICES = GROUP.inCode(Map.of());
    private static final Setting<ClassLoader> LOADER = GROUP.inCode(null);
    private static final Setting<Boolean> DISCOVER = GROUP.flag("tools.discover", true);
    private static final Setting<Map<String, Duration>> TIME_LIMITS = limits((limit, name) -> limit.seconds("seconds"));
    private static final Setting<Map<String, Integer>> RESULT_LIMITS =
            limits((limit, name) -> limit.integer("characters"));
    /** Of the file those that code does not name are added, by {@link ConfiguredMcp}, which needs the environment. */
    private static final Setting<List<McpSource>> MCP_SOURCES = GROUP.inCode(List.of());

    private static final Setting<List<CommandTool>> COMMANDS =
            GROUP.value("tools.commands", List.of(), (file, key) -> Optional.of(ConfiguredCommands.of(file)));
    private static final Setting<List<ToolPolicy>> POLICIES = GROUP.<List<ToolPolicy>>value(
                    "tools.policy", List.of(), (file, key) -> Optional.of(ConfiguredPolicy.of(file)))
            .merged((code, file) -> Stream.concat(file.stream(), code.stream()).toList());

    private static final ToolOptions DEFAULTS = new ToolOptions(GROUP.none());

    private final SettingValues values;

    private ToolOptions(SettingValues values) {
        this.values = values;
    }

    private static <T> Setting<Map<String, T>> limits(BiFunction<Config, String, Optional<T>> limit) {
        return GROUP.<Map<String, T>>value("tools.limits", Map.of(), (file, key) -> {
                    Map<String, T> all = new HashMap<>();
                    file.object(key)
                            .members()
                            .forEach((tool, member) ->
                                    limit.apply(member, tool).ifPresent(value -> all.put(tool, value)));
                    return Optional.of(Map.copyOf(all));
                })
                .merged((code, file) -> {
                    Map<String, T> all = new HashMap<>(file);
                    all.putAll(code);
                    return Map.copyOf(all);
                });
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static ToolOptions defaults() {
        return DEFAULTS;
    }

    ToolOptions under(Config file, Map<String, String> environment) {
        SettingValues all = values.under(file);
        return new ToolOptions(all.with(MCP_SOURCES, ConfiguredMcp.sources(all.get(MCP_SOURCES), file, environment)));
    }

    private <T> ToolOptions with(Setting<T> setting, T value) {
        return new ToolOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    private <T> ToolOptions plus(Setting<List<T>> setting, Collection<? extends T> more) {
        List<T> all = new ArrayList<>(values.get(setting));
        all.addAll(more);
        return with(setting, List.copyOf(all));
    }

    /**
     * Adds a tool, whether or not tools are discovered.
     *
     * @param factory makes the tool
     * @return changed options
     */
    public ToolOptions add(ToolFactory factory) {
        return plus(FACTORIES, List.of(factory));
    }

    /**
     * Adds tools, such as those of an object with annotated methods ({@link io.maestro.tools.typed.TypedTools}), or of a {@link
     * io.maestro.tools.ToolProvider}.
     *
     * @param factories make the tools
     * @return changed options
     */
    public ToolOptions add(Collection<? extends ToolFactory> factories) {
        return plus(FACTORIES, factories);
    }

    /**
     * The tools that code has added.
     *
     * @return unmodifiable, in their order
     */
    public List<ToolFactory> factories() {
        return values.get(FACTORIES);
    }

    /**
     * Gives the tools an object of the host, such as a client of its issue tracker; a tool gets it from its context.
     *
     * @param <T> the type under which tools ask for it
     * @param type the type under which tools ask for it
     * @param instance safe for use by several threads
     * @return changed options
     */
    public <T> ToolOptions service(Class<T> type, T instance) {
        Map<Class<?>, Object> all = new HashMap<>(values.get(SERVICES));
        all.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(instance, "instance"));
        return with(SERVICES, Map.copyOf(all));
    }

    /**
     * The objects of the host that tools get.
     *
     * @return unmodifiable, by the type under which tools ask for them
     */
    public Map<Class<?>, Object> services() {
        return values.get(SERVICES);
    }

    /**
     * Sets where tools, environments and coder modes are looked for.
     *
     * @param loader a class loader, which sees Maestro
     * @return changed options
     */
    public ToolOptions classLoader(ClassLoader loader) {
        return with(LOADER, loader);
    }

    /**
     * Where tools, environments and coder modes are looked for. The context class loader of a build tool or a plugin container
     * often does not see Maestro, and then no jar that was written for it; the loader that has both is Maestro's.
     *
     * @return unless set, the context class loader of the calling thread where it sees Maestro, else Maestro's
     */
    public ClassLoader classLoader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return values.find(LOADER).orElse(sees(context) ? context : ToolOptions.class.getClassLoader());
    }

    private static boolean sees(ClassLoader other) {
        try {
            return other != null && Class.forName(ToolOptions.class.getName(), false, other) == ToolOptions.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /**
     * Switches the discovery of tools in jars ({@link java.util.ServiceLoader}) on or off. A tool jar on the class path is offered
     * to the agents without another word; a host that must know exactly what its agents can call switches it off and {@linkplain
     * #add adds} tools.
     *
     * @param on whether to look for tools
     * @return changed options
     */
    public ToolOptions discover(boolean on) {
        return with(DISCOVER, on);
    }

    /**
     * Whether tools are looked for in jars.
     *
     * @return true unless set
     */
    public boolean discover() {
        return values.get(DISCOVER);
    }

    /**
     * Sets how long a call of a tool may take, instead of the tool's own limit. {@code shell} ends its
     * command a little before, so that the output so far arrives.
     *
     * @param tool its name; the build refuses one that no tool has
     * @param limit more than zero
     * @return changed options
     */
    public ToolOptions timeLimit(String tool, Duration limit) {
        if (limit.isZero() || limit.isNegative()) {
            throw new IllegalArgumentException(
                    "the time limit of the tool '" + tool + "' must be more than zero, is " + limit);
        }
        return with(TIME_LIMITS, put(timeLimits(), tool, limit));
    }

    /**
     * How long calls of tools may take, where that is not the tool's own limit.
     *
     * @return unmodifiable, by the tool's name
     */
    public Map<String, Duration> timeLimits() {
        return values.get(TIME_LIMITS);
    }

    /**
     * Sets how long an answer of a tool may be, instead of the tool's own limit. A longer one is cut: its beginning and its end
     * are kept.
     *
     * @param tool its name; the build refuses one that no tool has
     * @param characters from 1,024 to 4,194,304
     * @return changed options
     */
    public ToolOptions resultLimit(String tool, int characters) {
        if (characters < 1024 || characters > 4 * 1024 * 1024) {
            throw new IllegalArgumentException("the result limit of the tool '" + tool
                    + "' must be from 1024 to 4194304 characters, is " + characters);
        }
        return with(RESULT_LIMITS, put(resultLimits(), tool, characters));
    }

    /**
     * How many characters answers of tools may have, where that is not the tool's own limit.
     *
     * @return unmodifiable, by the tool's name
     */
    public Map<String, Integer> resultLimits() {
        return values.get(RESULT_LIMITS);
    }

    private static <T> Map<String, T> put(Map<String, T> before, String name, T value) {
        Map<String, T> all = new HashMap<>(before);
        all.put(Objects.requireNonNull(name), value);
        return Map.copyOf(all);
    }

    /**
     * Borrows the tools of an MCP server. The server is started by the build, which fails when it can't be used, and ended with
     * the Maestro or the agent; a tool of it that can't be offered is one of {@code Maestro.toolProblems()}. One of the same name
     * in the file is passed over.
     *
     * @param source the server; needs the official SDK of MCP on the class path
     * @return changed options
     */
    public ToolOptions mcp(McpSource source) {
        return plus(MCP_SOURCES, List.of(source));
    }

    /**
     * The MCP servers whose tools are borrowed.
     *
     * @return unmodifiable
     */
    public List<McpSource> mcpSources() {
        return values.get(MCP_SOURCES);
    }

    /**
     * The commands of the file that are tools. In code, {@linkplain #add add} a {@link CommandTool}.
     *
     * @return unmodifiable, ordered by name
     */
    public List<CommandTool> commands() {
        return values.get(COMMANDS);
    }

    /**
     * Adds a policy that decides on every call of a tool, beside the rules of the file and those that were added before. Where a program works that has such a
     * way (Claude Code has), it decides on the calls of the program's own tools, too.
     *
     * @param policy asked before each call
     * @return changed options
     */
    public ToolOptions policy(ToolPolicy policy) {
        return plus(POLICIES, List.of(policy));
    }

    /**
     * The policies: a call must be allowed by each.
     *
     * @return unmodifiable; empty unless set
     */
    public List<ToolPolicy> policies() {
        return values.get(POLICIES);
    }
}
