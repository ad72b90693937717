package io.maestro.claude.internal.coder;

import io.maestro.agent.spi.AgentProject;
import io.maestro.claude.McpWay;
import io.maestro.claude.internal.way.ClaudeModels;
import io.maestro.error.MaestroException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a host has set in code; null where it has set nothing. Not safe for use by several threads. */
public final class HostWishes {
    private static final Duration TOTAL = Duration.ofHours(1);
    /** The CLI itself gives up a request after up to 361 s of silence, and asks again: that is no stall. */
    private static final Duration SHORTEST_SILENCE = Duration.ofMinutes(7);

    /** Looking, and asking others to look; there is nothing to write to in PLANNING. */
    private static final List<String> PLANNING_TOOLS = List.of("Task", "Bash", "Read", "Glob", "Grep");

    private static final List<String> CODING_TOOLS =
            List.of("Task", "Bash", "Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit");

    /** No pattern, no server's tool and no list. */
    private static final Pattern TOOL = Pattern.compile("[A-Za-z][A-Za-z0-9]{0,99}");

    private static final Duration INACTIVITY = Duration.ofMinutes(10);

    private static final String KEY = "ANTHROPIC_API_KEY";
    private static final String URL = "ANTHROPIC_BASE_URL";
    /** Hosts whose services need no key: a stub, or a gateway that has its own. */
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

    private static final String NO_KEY = "no-key";
    private static final String NO_ADDRESS =
            " must be http:// or https:// and a host, without a user, a query or a fragment";
    private static final String VENDORS_URL = "https://api.anthropic.com";

    public @Nullable String model;
    public @Nullable String planningModel;
    public @Nullable String codingModel;
    public @Nullable List<String> planningTools;
    public @Nullable List<String> codingTools;
    public @Nullable String program;
    public @Nullable Path hostProgram;
    public @Nullable McpWay way;
    public @Nullable String apiKey;
    public @Nullable URI baseUrl;
    public @Nullable Boolean keyInEnvironment;
    public @Nullable Duration totalLimit;
    public @Nullable Duration inactivityLimit;

    /** Nothing is set. */
    public HostWishes() {}

    /** A copy. */
    public HostWishes copy() {
        HostWishes copy = new HostWishes();
        copy.model = model;
        copy.planningModel = planningModel;
        copy.codingModel = codingModel;
        copy.planningTools = planningTools;
        copy.codingTools = codingTools;
        copy.program = program;
        copy.hostProgram = hostProgram;
        copy.way = way;
        copy.apiKey = apiKey;
        copy.baseUrl = baseUrl;
        copy.keyInEnvironment = keyInEnvironment;
        copy.totalLimit = totalLimit;
        copy.inactivityLimit = inactivityLimit;
        return copy;
    }

    /** Refuses a limit that is none. */
    public static Duration positive(String name, Duration limit) {
        if (limit.isZero() || limit.isNegative()) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + limit);
        }
        return limit;
    }

    /** Refuses a limit of silence that healthy runs overstep. */
    public static Duration silence(String name, Duration limit) {
        if (limit.compareTo(SHORTEST_SILENCE) < 0) {
            throw new IllegalArgumentException(name + " must be at least " + SHORTEST_SILENCE.toSeconds() + " s, is "
                    + limit.toMillis() / 1000.0
                    + " s: Claude Code asks a silent API again by itself after up to 361 s");
        }
        return limit;
    }

    /** Refuses a path that would name another program in another directory, such as one that a repository brings. */
    public static String absolute(String name, String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(name + " must be an absolute path, is '" + path + "'");
        }
        return path;
    }

    /**
     * What holds for a project: what is set here, else what its configuration says, else the default.
     *
     * @throws MaestroException when something is missing or wrong
     */
    public ModeSettings over(AgentProject project) {
        Map<String, Object> set = project.settings();
        URI api = baseUrl != null ? baseUrl : url(project.variables().getOrDefault(URL, VENDORS_URL));
        return new ModeSettings(
                new StateSettings(
                        model(project, "planning", planningModel),
                        tools(set, "planning_tools", planningTools, PLANNING_TOOLS)),
                new StateSettings(
                        model(project, "coding", codingModel), tools(set, "coding_tools", codingTools, CODING_TOOLS)),
                Optional.ofNullable(program != null ? program : (String) set.get("program")),
                Optional.ofNullable(hostProgram).or(() -> hostProgram(project, set)),
                Optional.ofNullable(way).or(() -> way(set)),
                keyInEnvironment != null ? keyInEnvironment : "environment".equals(set.get("key")),
                totalLimit != null ? totalLimit : seconds(set, "total_seconds", TOTAL),
                inactivityLimit != null ? inactivityLimit : seconds(set, "inactivity_seconds", INACTIVITY),
                api,
                key(project, api));
    }

    private String model(AgentProject project, String state, @Nullable String own) {
        if (own != null) {
            return ClaudeModels.require(state + "Model(…)", own);
        }
        if (model != null) {
            return ClaudeModels.require("model(…)", model);
        }
        if (project.settings().get(state + "_model") instanceof String name) {
            return ClaudeModels.require("claude_code." + state + "_model", name);
        }
        return ClaudeModels.require(
                "agents.coder_model",
                project.model()
                        .orElseThrow(() -> new MaestroException("coder_mode claude-code needs a model: set"
                                + " agents.coder_model, or ClaudeCodeMode.builder().model(…)")));
    }

    private static List<String> tools(
            Map<String, Object> set, String name, @Nullable List<String> own, List<String> unless) {
        if (own != null) {
            return own;
        }
        return set.get(name) instanceof List<?> names
                ? tools(
                        "claude_code." + name,
                        names.stream().map(String::valueOf).toList())
                : unless;
    }

    /** Refuses what is no name of a tool of the CLI's own. */
    public static List<String> tools(String setting, List<String> names) {
        for (String name : names) {
            if (!TOOL.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        setting + ": '" + name + "' is no tool of Claude Code's own; write names such as Bash or Read");
            }
        }
        return List.copyOf(names);
    }

    private static Optional<Path> hostProgram(AgentProject project, Map<String, Object> set) {
        return Optional.ofNullable((String) set.get("host_program"))
                .map(path -> project.directory().resolve(path))
                .or(() -> onPath(project.variables().getOrDefault("PATH", "")));
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

    private static Optional<McpWay> way(Map<String, Object> set) {
        return switch (String.valueOf(set.get("way"))) {
            case "control" -> Optional.of(McpWay.CONTROL_CHANNEL);
            case "http" -> Optional.of(McpWay.HTTP);
            case "proxy" -> Optional.of(McpWay.PROXY);
            default -> Optional.empty();
        };
    }

    private static Duration seconds(Map<String, Object> set, String name, Duration unless) {
        return set.get(name) instanceof Number seconds
                ? Duration.ofMillis(Math.round(seconds.doubleValue() * 1000))
                : unless;
    }

    private static URI url(String text) {
        try {
            return webAddress("", new URI(text));
        } catch (URISyntaxException | IllegalArgumentException e) {
            // Neither the text nor the cause, which has it: it may hold a password.
            throw new MaestroException("the address of the Anthropic API" + NO_ADDRESS
                    + "; correct models.anthropic.base_url or the variable " + URL);
        }
    }

    /** Refuses what is no address of an API, without showing it: it may hold a password. */
    public static URI webAddress(String name, URI url) {
        boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
        boolean more = url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null;
        if (!web || url.getHost() == null || more) {
            throw new IllegalArgumentException(name + NO_ADDRESS);
        }
        return url;
    }

    private String key(AgentProject project, URI api) {
        String key = apiKey != null ? apiKey : project.variables().getOrDefault(KEY, "");
        if (key.isBlank() && THIS_MACHINE.contains(api.getHost())) {
            return NO_KEY;
        }
        if (key.isBlank()) {
            throw new MaestroException("coder_mode claude-code needs a key of the Anthropic API: set the variable "
                    + KEY + ", or give it to ClaudeCodeMode.builder().apiKey(…)");
        }
        return key.strip();
    }
}
