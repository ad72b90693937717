package io.maestro.claude;

import io.maestro.agent.spi.AgentProject;
import io.maestro.claude.internal.way.ClaudeModels;
import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.error.MaestroException;
import io.maestro.story.CoderState;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How Claude Code works as a coder: the object {@code claude_code} of the configuration. Immutable: each setter returns changed
 * options.
 *
 * <pre>{@code ClaudeCodeMode.builder().options(all -> all.way(McpWay.HTTP).totalLimit(Duration.ofHours(2)))}</pre>
 */
public final class ClaudeOptions {
    private static final String SECTION = "claude_code";
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<String> MODEL = GROUP.inCode(null);
    private static final Setting<String> PLANNING_MODEL = GROUP.text("claude_code.planning_model");
    private static final Setting<String> CODING_MODEL = GROUP.text("claude_code.coding_model");
    /** Looking, and asking others to look; there is nothing to write to in PLANNING. */
    private static final Setting<List<String>> PLANNING_TOOLS = GROUP.value(
                    "claude_code.planning_tools",
                    List.of("Task", "Bash", "Read", "Glob", "Grep"),
                    ClaudeOptions::textsThatMayBeNone)
            .checked(names -> requireTools("planningTools", names));

    private static final Setting<List<String>> CODING_TOOLS = GROUP.value(
                    "claude_code.coding_tools",
                    List.of("Task", "Bash", "Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit"),
                    ClaudeOptions::textsThatMayBeNone)
            .checked(names -> requireTools("codingTools", names));
    private static final Setting<String> PROGRAM =
            GROUP.text("claude_code.program").checked(ClaudeOptions::requireAbsolute);
    private static final Setting<Path> HOST_PROGRAM = GROUP.value(
            "claude_code.host_program", null, (file, key) -> file.text(key).map(Path::of));
    private static final Setting<McpWay> WAY =
            GROUP.value("claude_code.way", null, (file, key) -> file.text(key).flatMap(ClaudeOptions::way));
    private static final Setting<Boolean> KEY_IN_ENVIRONMENT =
            GROUP.value("claude_code.key", false, (file, key) -> file.text(key).map("environment"::equals));
    private static final Setting<Duration> TOTAL_LIMIT = GROUP.seconds("claude_code.total_seconds", Duration.ofHours(1))
            .checked(limit -> requirePositive("totalLimit", limit));
    private static final Setting<Duration> INACTIVITY_LIMIT =
            GROUP.seconds("claude_code.inactivity_seconds", Duration.ofMinutes(10));
    private static final Setting<String> API_KEY = GROUP.inCode(null);
    private static final Setting<URI> BASE_URL =
            GROUP.inCode(URI.create("https://api.anthropic.com")).checked(url -> requireWebAddress("baseUrl", url));

    private static final ClaudeOptions DEFAULTS = new ClaudeOptions(GROUP.none());

    /** The CLI itself gives up a request after up to 361 s of silence, and asks again: that is no stall. */
    private static final Duration SHORTEST_SILENCE = Duration.ofMinutes(7);

    /** No pattern, no server's tool and no list. */
    private static final Pattern TOOL = Pattern.compile("[A-Za-z][A-Za-z0-9]{0,99}");

    private static final String KEY_VARIABLE = "ANTHROPIC_API_KEY";
    private static final String URL_VARIABLE = "ANTHROPIC_BASE_URL";
    /** Hosts whose services need no key: a stub, or a gateway that has its own. */
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

    private static final String NO_KEY = "no-key";
    private static final String NO_ADDRESS =
            " must be http:// or https:// and a host, without a user, a query or a fragment";

    private final SettingValues values;

    private ClaudeOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static ClaudeOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Takes from a project what is not set: from its configuration, then from its variables. The models, the key and the address of
     * the API are set in the result.
     *
     * @param project whose settings are valid by {@code Maestro.configSchema()}
     * @return options in which the values of these win
     * @throws MaestroException when something is missing or wrong
     */
    public ClaudeOptions under(AgentProject project) {
        SettingValues file = values.under(Config.of(Map.of(SECTION, project.settings())));
        SettingValues all = hostProgram(file, project)
                .with(PLANNING_MODEL, model("planningModel", PLANNING_MODEL, file, project))
                .with(CODING_MODEL, model("codingModel", CODING_MODEL, file, project));
        String url = project.variables().get(URL_VARIABLE);
        all = url == null || values.has(BASE_URL) ? all : all.with(BASE_URL, url(url));
        return new ClaudeOptions(all.with(API_KEY, key(project, all.get(BASE_URL))));
    }

    /** What code says of one state or of both wins over the file. */
    private String model(String setter, Setting<String> ofState, SettingValues file, AgentProject project) {
        if (values.has(ofState)) {
            return ClaudeModels.require(setter + "(…)", values.get(ofState));
        }
        if (values.has(MODEL)) {
            return ClaudeModels.require("model(…)", values.get(MODEL));
        }
        if (file.has(ofState)) {
            return ClaudeModels.require(ofState.key().orElseThrow(), file.get(ofState));
        }
        return ClaudeModels.require(
                "agents.coder_model",
                project.model()
                        .orElseThrow(() -> new MaestroException("coder_mode claude-code needs a model: set"
                                + " agents.coder_model, or ClaudeCodeMode.builder().model(…)")));
    }

    private SettingValues hostProgram(SettingValues all, AgentProject project) {
        if (values.has(HOST_PROGRAM)) {
            return all;
        }
        return all.find(HOST_PROGRAM)
                .map(path -> project.directory().resolve(path))
                .or(() -> onPath(project.variables().getOrDefault("PATH", "")))
                .map(path -> all.with(HOST_PROGRAM, path))
                .orElse(all);
    }

    /** The host's own {@code claude}; a relative directory could be that of a repository. */
    private static Optional<Path> onPath(String directories) {
        return Arrays.stream(directories.split(":"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, "claude"))
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .findFirst();
    }

    private static URI url(String text) {
        try {
            URI url = new URI(text);
            requireWebAddress("", url);
            return url;
        } catch (URISyntaxException | IllegalArgumentException e) {
            // Neither the text nor the cause, which has it: it may hold a password.
            throw new MaestroException("the address of the Anthropic API" + NO_ADDRESS
                    + "; correct models.anthropic.base_url or the variable " + URL_VARIABLE);
        }
    }

    private String key(AgentProject project, URI api) {
        String key = apiKey().orElse(project.variables().getOrDefault(KEY_VARIABLE, ""));
        if (key.isBlank() && THIS_MACHINE.contains(api.getHost())) {
            return NO_KEY;
        }
        if (key.isBlank()) {
            throw new MaestroException("coder_mode claude-code needs a key of the Anthropic API: set the variable "
                    + KEY_VARIABLE + ", or give it to ClaudeCodeMode.builder().apiKey(…)");
        }
        return key.strip();
    }

    private static Optional<McpWay> way(String name) {
        return switch (name) {
            case "control" -> Optional.of(McpWay.CONTROL_CHANNEL);
            case "http" -> Optional.of(McpWay.HTTP);
            case "proxy" -> Optional.of(McpWay.PROXY);
            default -> Optional.empty();
        };
    }

    /** An empty list says that there are none, and is no default. */
    private static Optional<List<String>> textsThatMayBeNone(Config file, String key) {
        boolean set = file.object(SECTION).names().contains(key.substring(SECTION.length() + 1));
        return set ? Optional.of(file.texts(key)) : Optional.empty();
    }

    private static void requireTools(String setter, List<String> names) {
        for (String name : names) {
            if (!TOOL.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        setter + ": '" + name + "' is no tool of Claude Code's own; write names such as Bash or Read");
            }
        }
    }

    /** Refuses a path that would name another program in another directory, such as one that a repository brings. */
    private static void requireAbsolute(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("program must be an absolute path, is '" + path + "'");
        }
    }

    static void requirePositive(String name, Duration limit) {
        if (limit.isZero() || limit.isNegative()) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + limit);
        }
    }

    /** Refuses what is no address of an API, without showing it: it may hold a password. */
    private static void requireWebAddress(String name, URI url) {
        boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
        boolean more = url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null;
        if (!web || url.getHost() == null || more) {
            throw new IllegalArgumentException(name + NO_ADDRESS);
        }
    }

    private <T> ClaudeOptions with(Setting<T> setting, T value) {
        return new ClaudeOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /**
     * Sets the coders' model in both states, in the place of all that the configuration says of models.
     *
     * @param name a name that begins with {@code claude-}, or {@code sonnet}, {@code opus} or {@code haiku}
     * @return changed options
     */
    public ClaudeOptions model(String name) {
        return with(MODEL, name);
    }

    /**
     * Sets the model in PLANNING.
     *
     * @param name as in {@link #model(String)}; that model unless set
     * @return changed options
     */
    public ClaudeOptions planningModel(String name) {
        return with(PLANNING_MODEL, name);
    }

    /**
     * Sets the model in CODING.
     *
     * @param name as in {@link #model(String)}; that model unless set
     * @return changed options
     */
    public ClaudeOptions codingModel(String name) {
        return with(CODING_MODEL, name);
    }

    /**
     * The model in a state.
     *
     * @param state PLANNING or CODING
     * @return empty unless set: {@code agents.coder_model}
     */
    public Optional<String> model(CoderState state) {
        return values.find(state == CoderState.PLANNING ? PLANNING_MODEL : CODING_MODEL)
                .or(() -> values.find(MODEL));
    }

    /**
     * Sets all tools of the CLI's own that a model is offered in PLANNING, beside Maestro's. What a newer CLI brings is not offered
     * unless it is named.
     *
     * @param names letters and digits; empty for none; by default {@code Task}, {@code Bash}, {@code Read}, {@code Glob} and {@code
     *     Grep}
     * @return changed options
     */
    public ClaudeOptions planningTools(List<String> names) {
        return with(PLANNING_TOOLS, List.copyOf(names));
    }

    /**
     * Sets all tools of the CLI's own that a model is offered in CODING, beside Maestro's.
     *
     * @param names as in {@link #planningTools}; by default those, {@code Edit}, {@code Write} and {@code NotebookEdit}
     * @return changed options
     */
    public ClaudeOptions codingTools(List<String> names) {
        return with(CODING_TOOLS, List.copyOf(names));
    }

    /**
     * All tools of the CLI's own that a model is offered in a state.
     *
     * @param state PLANNING or CODING
     * @return unmodifiable
     */
    public List<String> tools(CoderState state) {
        return values.get(state == CoderState.PLANNING ? PLANNING_TOOLS : CODING_TOOLS);
    }

    /**
     * Sets the CLI's program where the coders' commands run.
     *
     * @param path absolute, as the commands see it; by default the binary of this machine, then {@code claude} on the {@code PATH}
     *     there
     * @return changed options
     */
    public ClaudeOptions program(String path) {
        return with(PROGRAM, path);
    }

    /**
     * The CLI's program where the coders' commands run.
     *
     * @return empty unless set
     */
    public Optional<String> program() {
        return values.find(PROGRAM);
    }

    /**
     * Names a binary of this machine, or the npm package with it: see {@link ClaudeFinder.Builder#hostProgram}. It is bound into the
     * coder's containers, read-only; without containers it is run where it is.
     *
     * @param path a native binary, or a directory of npm; by default {@code claude} on this machine's {@code PATH}
     * @return changed options
     */
    public ClaudeOptions hostProgram(Path path) {
        return with(HOST_PROGRAM, path);
    }

    /**
     * The binary of this machine, or the npm package with it.
     *
     * @return empty unless set
     */
    public Optional<Path> hostProgram() {
        return values.find(HOST_PROGRAM);
    }

    /**
     * Sets how the CLI reaches Maestro's tools.
     *
     * @param how by default the control channel, which needs no network
     * @return changed options
     */
    public ClaudeOptions way(McpWay how) {
        return with(WAY, how);
    }

    /**
     * How the CLI reaches Maestro's tools.
     *
     * @return empty unless set
     */
    public Optional<McpWay> way() {
        return values.find(WAY);
    }

    /**
     * Sets the key of the API, in the place of the variable {@code ANTHROPIC_API_KEY}.
     *
     * @param key the key; it stays on this machine unless {@link #keyInEnvironment(boolean)} says otherwise
     * @return changed options
     */
    public ClaudeOptions apiKey(String key) {
        return with(API_KEY, key);
    }

    /**
     * The key of the API.
     *
     * @return empty unless set
     */
    public Optional<String> apiKey() {
        return values.find(API_KEY);
    }

    /**
     * Sets where the API is, in the place of {@code models.anthropic.base_url}.
     *
     * @param url an http or https address without a user, a query or a fragment
     * @return changed options
     */
    public ClaudeOptions baseUrl(URI url) {
        return with(BASE_URL, url);
    }

    /**
     * Where the API is.
     *
     * @return {@code https://api.anthropic.com} unless set
     */
    public URI baseUrl() {
        return values.get(BASE_URL);
    }

    /**
     * Sets whether the CLI itself is given the key, in the environment of its process, where whatever the agent runs can read it. The
     * CLI talks to the API directly then, so that it needs a network in PLANNING, too, and budgets are looked at only when a turn of
     * it has ended.
     *
     * @param given with false, which is the default, a gateway keeps the key
     * @return changed options
     */
    public ClaudeOptions keyInEnvironment(boolean given) {
        return with(KEY_IN_ENVIRONMENT, given);
    }

    /**
     * Whether the CLI itself is given the key.
     *
     * @return false unless set
     */
    public boolean keyInEnvironment() {
        return values.get(KEY_IN_ENVIRONMENT);
    }

    /**
     * Sets how long a run of the CLI may take; the time in which the architect thinks about a question does not count.
     *
     * @param limit more than zero
     * @return changed options
     */
    public ClaudeOptions totalLimit(Duration limit) {
        return with(TOTAL_LIMIT, limit);
    }

    /**
     * How long a run of the CLI may take.
     *
     * @return 1 hour unless set
     */
    public Duration totalLimit() {
        return values.get(TOTAL_LIMIT);
    }

    /**
     * Sets how long the CLI may say nothing while no tool is in flight, and it has not said that it waits. It asks an API again that
     * has been silent for 301 s (2.1.197) to 361 s (2.1.330), so that less would end healthy runs.
     *
     * @param limit 7 minutes or more, as the schema has it for the file
     * @return changed options
     */
    public ClaudeOptions inactivityLimit(Duration limit) {
        if (limit.compareTo(SHORTEST_SILENCE) < 0) {
            throw new IllegalArgumentException("inactivityLimit must be at least " + SHORTEST_SILENCE.toSeconds()
                    + " s, is " + limit.toMillis() / 1000.0
                    + " s: Claude Code asks a silent API again by itself after up to 361 s");
        }
        return with(INACTIVITY_LIMIT, limit);
    }

    /**
     * How long the CLI may say nothing.
     *
     * @return 10 minutes unless set
     */
    public Duration inactivityLimit() {
        return values.get(INACTIVITY_LIMIT);
    }
}
