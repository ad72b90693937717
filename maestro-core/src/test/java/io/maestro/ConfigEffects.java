package io.maestro;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.command.CommandTool;
import io.maestro.llm.Usage;
import io.maestro.mcpclient.McpConsent;
import io.maestro.mcpclient.McpSource;
import io.maestro.record.CostScope;
import io.maestro.settings.Settings;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.web.WebAccess;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** For each setting of the schema: a value that is not the default, and what comes of it. */
final class ConfigEffects {
    /** Where there is no setting, but something that says what a file is. */
    static final Set<String> NO_SETTING = Set.of("$schema");

    /** What a sandbox gets; {@code ContainerSettingsTest} tries each. */
    static final String CONTAINER = "container.";

    /** What is shown by what happens, in {@code ConfigBehaviourTest}. */
    static final Set<String> BEHAVIOUR = Set.of(
            "models.anthropic.base_url",
            "models.openai.base_url",
            "models.anthropic.bearer_token",
            "models.openai.bearer_token",
            "models.anthropic.headers.*",
            "models.openai.headers.*",
            "models.max_retries",
            "models.attempt_seconds",
            "models.call_seconds",
            "models.requests_per_minute",
            "models.tokens_per_minute",
            "models.max_failures",
            "redaction.patterns[].name",
            "redaction.patterns[].keywords[]",
            "redaction.patterns[].pattern",
            "tools.policy.allow[]",
            "tools.policy.deny[]",
            "tools.policy.rules[].tools[]",
            "tools.policy.rules[].roles[]",
            "tools.policy.rules[].states[]",
            "tools.policy.rules[].argument",
            "tools.policy.rules[].matches",
            "tools.policy.rules[].glob",
            "tools.policy.rules[].effect",
            "tools.policy.rules[].reason",
            "prompts.directory");

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Map<String, String> KEYS = Map.of("ANTHROPIC_API_KEY", "a-key", "OPENAI_API_KEY", "o-key");

    /**
     * A setting.
     *
     * @param value as JSON
     * @param read what it has an effect on
     * @param expected what comes of it, and of nothing else
     */
    record Effect(String value, Function<Settings, Object> read, Object expected) {}

    private static final String ARGUMENT = "\"type\": \"string\", \"description\": \"d\"";
    private static final String PLACE = ", \"command\": [\"p\", \"--m={m}\"]";

    static final Map<String, Effect> ALL = new LinkedHashMap<>();

    static {
        effect("agents.max_coders", "7", s -> s.agents().maxCoders(), 7);
        effect(
                "agents.coder_model",
                "\"claude-x-1\"",
                s -> s.agents().coderModel().orElseThrow().model(),
                "claude-x-1");
        effect(
                "agents.architect_model",
                "\"openai:x\"",
                s -> s.agents().architectModel().model(),
                "x");
        effect("agents.coder_mode", "\"claude-code\"", s -> "built", "refused: needs the module maestro-claude");
        for (String state : List.of("planning", "coding", "answering", "scoping", "editing")) {
            effect(
                    "agents.temperatures." + state,
                    "0.25",
                    s -> s.agents().temperature(state.toUpperCase(java.util.Locale.ROOT)),
                    OptionalDouble.of(0.25));
        }
        for (String of : List.of("input", "output", "cache_read", "cache_write")) {
            boolean first = of.equals("input");
            Usage usage = new Usage(
                    first ? 1_000_000 : 0,
                    of.equals("output") ? 1_000_000 : 0,
                    of.equals("cache_read") ? 1_000_000 : 0,
                    of.equals("cache_write") ? 1_000_000 : 0);
            effect(
                    "models.prices.*." + of,
                    "7.5",
                    s -> s.agents()
                            .prices()
                            .cost("m", usage)
                            .map(BigDecimal::stripTrailingZeros)
                            .orElse(BigDecimal.ZERO),
                    new BigDecimal("7.5"));
        }
        limit("turns_per_state", "7", Limits::turnsPerState, 7);
        limit("tokens_per_story", "70000000000", Limits::tokensPerStory, 70_000_000_000L);
        limit("time_per_story_seconds", "7.5", Limits::timePerStory, Duration.ofMillis(7500));
        limit("cost_per_story_dollars", "7.05", l -> l.costPerStory().orElse(null), new BigDecimal("7.05"));
        limit("reminders", "7", Limits::reminders, 7);
        limit("rounds", "7", Limits::rounds, 7);
        limit("budget_reviews", "0", Limits::budgetReviews, 0);
        limit("answer_tokens", "7", Limits::answerTokens, 7);
        limit("context_tokens", "4007", Limits::contextTokens, 4007);
        limit("test_time_seconds", "7", Limits::testTime, Duration.ofSeconds(7));
        limit("suspend_time_seconds", "7", Limits::suspendTime, Duration.ofSeconds(7));
        limit("park_after_seconds", "7", Limits::parkAfter, Duration.ofSeconds(7));
        limit("suspend_interval_seconds", "7", Limits::suspendInterval, Duration.ofSeconds(7));
        limit(
                "reply_time_seconds",
                "7",
                l -> Stream.of(Architect.Kind.values()).map(l::replyTime).collect(Collectors.toSet()),
                Set.of(Duration.ofSeconds(7)));
        for (CostScope scope : CostScope.values()) {
            limit(
                    "cost_cap_dollars." + scope.name().toLowerCase(java.util.Locale.ROOT),
                    "7.05",
                    l -> l.costCap(scope).orElse(null),
                    new BigDecimal("7.05"));
        }
        limit("story_retries", "0", Limits::storyRetries, 0);
        effect("git.repository", "\"/srv/a.git\"", Settings::repository, "/srv/a.git");
        effect("git.target_branch", "\"next\"", s -> s.git().targetBranch(), Optional.of("next"));
        effect("git.user_name", "\"Bot {AGENT_ID}\"", set -> set.git().userName(), "Bot {AGENT_ID}");
        effect("git.user_email", "\"bot@x.org\"", set -> set.git().userEmail(), "bot@x.org");
        effect("git.block_tokens", "false", s -> s.git().blockTokens(), false);
        effect("git.sign_commits", "true", set -> set.git().signCommits(), true);
        effect(
                "git.sparse_directories[]",
                "\"services/a\"",
                set -> set.git().sparseDirectories(),
                List.of("services/a"));
        effect("people.decide[]", "\"merge\"", s -> s.people().decided(), Set.of(Architect.Kind.MERGE));
        effect("people.four_eyes[]", "\"merge\"", s -> "built", "refused: two people are to approve each MERGE");
        effect("git.conflict_guidance", "true", s -> s.git().conflictGuidance(), true);
        effect("git.conventional_commits", "true", s -> s.git().conventionalCommits(), true);
        effect("forge.kind", "\"github\"", set -> set.forge().id(), "github");
        forge("repository", "\"acme/shop\"", "repository=acme/shop");
        forge("base_url", "\"https://git.example.org/api/v3\"", "baseUrl=https://git.example.org/api/v3");
        forge("merge", "\"by_people\"", "merge=BY_PEOPLE");
        forge("method", "\"squash\"", "method=SQUASH");
        forge("labels[]", "\"bot\"", "labels=[bot]");
        forge("reviewers[]", "\"ann\"", "reviewers=[ann]");
        forge("checks_appear_within_seconds", "7", "checksAppearWithin=PT7S");
        forge("answer_by_comments", "true", "answersByComments=true");
        effect("setup.command", "\"npm ci\"", s -> s.commands().setup(), Optional.of("npm ci"));
        effect("build.command", "\"make all\"", s -> s.commands().build(), Optional.of("make all"));
        effect("lint.command", "\"make style\"", s -> s.commands().lint(), Optional.of("make style"));
        effect("tests.command", "\"make check\"", s -> s.commands().test(), Optional.of("make check"));
        effect("tests.at_once", "7", s -> s.commands().testsAtOnce(), 7);
        effect("tests.ahead", "3", s -> s.commands().testsAhead(), 3);
        effect("environment.pass[]", "\"PROXY\"", s -> s.commands().passedVariables(), List.of("PROXY"));
        effect(
                "tools.limits.*.seconds",
                "0.5",
                s -> s.tools().timeLimits().values().stream().toList(),
                List.of(Duration.ofMillis(500)));
        effect(
                "tools.limits.*.characters",
                "2000",
                s -> s.tools().resultLimits().values().stream().toList(),
                List.of(2_000));
        effect("web.fetch", "true", s -> s.web().fetch(), Optional.of(WebAccess.defaults()));
        access("allow", "\"*.example.org\"", access -> access.allow("*.example.org"));
        access("deny", "\"example.org\"", access -> access.deny("example.org"));
        access("ports", "8443", access -> access.ports(8443));
        access("addresses", "\"10.1.0.0/16\"", access -> access.addresses("10.1.0.0/16"));
        mcp("command[]", "\"p\"", McpSource::command, List.of("p"));
        mcp("url", "\"https://x.org/mcp\"", McpSource::endpoint, Optional.of(URI.create("https://x.org/mcp")));
        mcp("pass[]", "\"PROXY\"", McpSource::passedOn, Set.of("PROXY"));
        mcp("headers.*", "\"OPENAI_API_KEY\"", McpSource::headers, Map.of("m", "o-key"));
        mcp("bearer_token", "\"OPENAI_API_KEY\"", McpSource::headers, Map.of("Authorization", "Bearer o-key"));
        mcp("tools[]", "\"read\"", McpSource::tools, Set.of("read"));
        mcp("audiences[]", "\"architect\"", McpSource::audiences, Set.of(ToolAudience.ARCHITECT));
        mcp("call_seconds", "7", McpSource::timeLimit, Duration.ofSeconds(7));
        mcp("start_seconds", "7", McpSource::startLimit, Duration.ofSeconds(7));
        mcp("consent", "\"never\"", McpSource::consent, McpConsent.NEVER);
        mcp("pins", "\"/etc/pins.json\"", McpSource::pins, Optional.of(Path.of("/etc/pins.json")));
        command("description", "\"Deploys it\"", ToolDefinition::description, "Deploys it");
        commandLine("command[]", "\"./deploy\"", "m ./deploy");
        command("arguments.*.*", "\"n\"", of -> property(of).get("m"), "n");
        command("optional[]", "\"m\"", of -> of.input().asMap().containsKey("required"), false);
        command("read_only", "true", ToolDefinition::readOnly, true);
        command("audiences[]", "\"architect\"", ToolDefinition::audiences, Set.of(ToolAudience.ARCHITECT));
        command("seconds", "7", ToolDefinition::timeLimit, Duration.ofSeconds(37));
        effect("tools.discover", "false", s -> s.tools().discover(), false);
        effect("prompts.repository_instructions", "false", s -> s.prompts().repositoryInstructions(), false);
    }

    private ConfigEffects() {}

    private static void mcp(String name, String value, Function<McpSource, Object> read, Object expected) {
        effect(
                "tools.mcp.*." + name,
                value,
                s -> s.tools().mcpSources().stream().map(read).toList(),
                List.of(expected));
    }

    private static void command(String name, String value, Function<ToolDefinition, Object> read, Object expected) {
        effect(
                "tools.commands.*." + name,
                value,
                s -> s.tools().commands().stream()
                        .map(tool -> read.apply(tool.definition()))
                        .toList(),
                List.of(expected));
    }

    private static void commandLine(String name, String value, String expected) {
        effect(
                "tools.commands.*." + name,
                value,
                s -> s.tools().commands().stream().map(CommandTool::toString).toList(),
                List.of(expected));
    }

    private static Map<?, ?> property(ToolDefinition of) {
        return (Map<?, ?>) ((Map<?, ?>) of.input().asMap().get("properties")).get("m");
    }

    private static void effect(String path, String value, Function<Settings, Object> read, Object expected) {
        ALL.put(path, new Effect(value, read, expected));
    }

    private static void forge(String name, String value, String shown) {
        effect("forge." + name, value, set -> set.forge().toString().contains(shown), true);
    }

    private static void limit(String name, String value, Function<Limits, Object> read, Object expected) {
        effect("budgets." + name, value, settings -> read.apply(settings.limits()), expected);
    }

    private static void access(String name, String value, UnaryOperator<WebAccess.Builder> set) {
        effect(
                "web." + name + "[]",
                value,
                s -> s.web().fetch(),
                Optional.of(set.apply(WebAccess.builder()).build()));
    }

    /** A configuration with this setting alone, and what must be beside it. */
    static String json(String path, String value) {
        String json = value;
        String[] steps = path.replace("*", "m").split("\\.");
        for (int i = steps.length - 1; i >= 0; i--) {
            boolean list = steps[i].endsWith("[]");
            String name = list ? steps[i].substring(0, steps[i].length() - 2) : steps[i];
            String beside = name.startsWith("cache_") ? ", \"input\": 0, \"output\": 0" : "";
            beside = path.startsWith("container.hosts[].") && name.matches("context|url|tls_directory")
                    ? ", \"name\": \"beside\""
                    : beside;
            beside = path.startsWith("forge.") && i == 1 && !name.equals("kind") ? ", \"kind\": \"github\"" : beside;
            beside = path.startsWith("web.") && i == 1 && !name.equals("fetch") ? ", \"fetch\": true" : beside;
            if (i == 3 && path.startsWith("tools.mcp.") && !name.matches("command|url")) {
                beside = name.matches("headers|bearer_token")
                        ? ", \"url\": \"https://x.org\""
                        : ", \"command\": [\"p\"]";
            }
            if (path.startsWith("tools.commands.") && i == 3) {
                beside = (name.equals("description") ? "" : ", \"description\": \"d\"")
                        + (name.equals("command")
                                ? ""
                                : name.matches("arguments|optional") ? PLACE : ", \"command\": [\"p\"]")
                        + (name.equals("optional") ? ", \"arguments\": {\"m\": {" + ARGUMENT + "}}" : "");
            }
            beside = path.startsWith("tools.commands.") && i == 5 ? ", " + ARGUMENT : beside;
            beside = name.equals("input") ? ", \"output\": 0" : name.equals("output") ? ", \"input\": 0" : beside;
            json = "{\"" + name + "\": " + (list ? "[" + json + "]" : json) + beside + "}";
        }
        return json;
    }

    /** What holds with a configuration, beside what must always be set. */
    static Settings settings(Path directory, String path, String json) {
        MaestroBuilder builder =
                Maestro.builder().projectDirectory(directory).config(json).environment(KEYS);
        if (!path.equals("git.repository")) {
            builder.repository("repository-of-the-code");
        }
        if (!path.equals("agents.coder_model")) {
            builder.coderModel(ScriptedLlm.builder("model-of-the-code").build());
        }
        return builder.settings(directory);
    }

    /** The paths of all settings: {@code []} stands for the items of a list, {@code *} for any name. */
    static Set<String> leaves() throws JsonProcessingException {
        Set<String> leaves = new TreeSet<>();
        collect("", JSON.readTree(Maestro.configSchema()), leaves);
        return leaves;
    }

    private static void collect(String path, JsonNode schema, Set<String> leaves) {
        if (schema.path("type").asText().equals("array")) {
            collect(path + "[]", schema.path("items"), leaves);
        } else if (schema.path("type").asText().equals("object")) {
            schema.path("properties")
                    .properties()
                    .forEach(property -> collect(
                            path.isEmpty() ? property.getKey() : path + "." + property.getKey(),
                            property.getValue(),
                            leaves));
            if (schema.path("additionalProperties").isObject()) {
                collect(path + ".*", schema.path("additionalProperties"), leaves);
            }
        } else {
            leaves.add(path);
        }
    }
}
