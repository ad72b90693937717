package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.agent.Limits;
import io.maestro.agent.ModelState;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.error.MaestroException;
import io.maestro.git.GitOptions;
import io.maestro.prompt.internal.PromptTemplate;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.schema.internal.InputValidator;
import io.maestro.settings.AgentOptions;
import io.maestro.settings.CommandOptions;
import io.maestro.settings.EnvironmentOptions;
import io.maestro.settings.PeopleOptions;
import io.maestro.settings.PromptOptions;
import io.maestro.settings.RecordOptions;
import io.maestro.settings.Settings;
import io.maestro.settings.ToolOptions;
import io.maestro.settings.WebOptions;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.InputSchema;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration by file and by code. */
class ConfigTest {
    /** Settings of a file that are set in code on the object that they are about. */
    private static final Map<String, String> ON_AN_OBJECT = Map.ofEntries(
            Map.entry("claude_code", "the factory of the mode, given to coderMode"),
            Map.entry("models.anthropic", "AnthropicClient.builder(…), given to coderModel or architectModel"),
            Map.entry("models.openai", "OpenAiClient.builder(…), given to coderModel or architectModel"),
            Map.entry("models.max_retries", "the same, or LlmClients.decorate(…)"),
            Map.entry("models.attempt_seconds", "the same"),
            Map.entry("models.call_seconds", "the same"),
            Map.entry("models.requests_per_minute", "LlmClients.decorate(…)"),
            Map.entry("models.tokens_per_minute", "LlmClients.decorate(…)"),
            Map.entry("models.max_failures", "LlmClients.decorate(…)"),
            Map.entry("tools.commands", "CommandTool.builder(…), given to tool"));

    @TempDir
    Path directory;

    static Set<String> effects() {
        return ConfigEffects.ALL.keySet();
    }

    @Test
    void everySettingOfTheSchemaHasATestOfItsEffect() throws IOException {
        Set<String> tested = new TreeSet<>(ConfigEffects.ALL.keySet());
        tested.addAll(ConfigEffects.BEHAVIOUR);
        tested.addAll(ContainerSettingsTest.leaves());
        tested.addAll(CoderModeSettingsTest.leaves());
        tested.addAll(ConfigEffects.NO_SETTING);
        assertThat(tested).isEqualTo(ConfigEffects.leaves());
    }

    @ParameterizedTest
    @MethodSource("effects")
    void aSettingHasItsEffect(String path) {
        ConfigEffects.Effect effect = ConfigEffects.ALL.get(path);
        assertThat(result("none", "{}", effect)).isNotEqualTo(effect.expected());
        assertThat(result(path, ConfigEffects.json(path, effect.value()), effect))
                .isEqualTo(effect.expected());
    }

    private Object result(String path, String json, ConfigEffects.Effect effect) {
        try {
            Object result = effect.read().apply(ConfigEffects.settings(directory, path, json));
            return result == null ? "nothing" : result;
        } catch (MaestroException e) {
            assertThat(e).hasMessageContaining(String.valueOf(effect.expected()).replace("refused: ", ""));
            return effect.expected();
        }
    }

    /** The groups of settings, and the keys that stand for objects. */
    private static final Map<Class<?>, Set<String>> GROUPS = Map.ofEntries(
            Map.entry(GitOptions.class, Set.of()),
            Map.entry(AgentOptions.class, Set.of("agents.coder_mode", "agents.architect_model")),
            Map.entry(PeopleOptions.class, Set.of()),
            Map.entry(CommandOptions.class, Set.of()),
            Map.entry(EnvironmentOptions.class, Set.of()),
            Map.entry(ToolOptions.class, Set.of("tools.mcp")),
            Map.entry(WebOptions.class, Set.of()),
            Map.entry(PromptOptions.class, Set.of()),
            Map.entry(RecordOptions.class, Set.of()),
            Map.entry(Settings.Builder.class, Set.of("forge", "redaction.patterns")),
            Map.entry(Limits.class, Set.of()));

    private static List<Setting<?>> settings(Class<?> group) {
        try {
            Field field = group.getDeclaredField("GROUP");
            field.setAccessible(true);
            return ((SettingGroup) field.get(null)).all();
        } catch (NoSuchFieldException e) {
            return List.of();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatCanBeSetInTheFileCanBeSetInCodeAndTheOtherWayRound() throws IOException {
        Set<String> keys = new TreeSet<>(ON_AN_OBJECT.keySet());
        GROUPS.forEach((group, more) -> {
            keys.addAll(more);
            settings(group).forEach(setting -> setting.key().ifPresent(keys::add));
        });
        Set<String> leaves = ConfigEffects.leaves();
        leaves.removeAll(ConfigEffects.NO_SETTING);
        assertThat(leaves).allSatisfy(leaf -> assertThat(keys).as(leaf).anyMatch(key -> isBelow(leaf, key)));
        assertThat(keys).allSatisfy(key -> assertThat(leaves).as(key).anyMatch(leaf -> isBelow(leaf, key)));
    }

    /** The schema says which value holds where nothing is set, and so does the group. */
    @Test
    void theSchemaHasTheDefaultsOfTheGroups() throws IOException {
        Map<String, JsonNode> defaults = new TreeMap<>();
        defaults("", new ObjectMapper().readTree(Maestro.configSchema()), defaults);
        GROUPS.keySet().stream().flatMap(group -> settings(group).stream()).forEach(setting -> {
            Object value = setting.otherwise().orElse(null);
            if (value instanceof Boolean || value instanceof Integer || value instanceof String) {
                String key = setting.key().orElseThrow();
                assertThat(defaults).as(key).containsKey(key);
                assertThat(defaults.get(key).asText()).as(key).isEqualTo(String.valueOf(value));
            }
        });
    }

    private static boolean isBelow(String leaf, String place) {
        return leaf.equals(place) || leaf.startsWith(place + ".") || leaf.startsWith(place + "[]");
    }

    @Test
    void everyLimitCanBeSetInTheFile() throws IOException {
        Set<String> limits = Arrays.stream(Limits.Builder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(method -> method.getName().replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT))
                .filter(name -> !name.equals("build"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> budgets = ConfigEffects.leaves().stream()
                .filter(leaf -> leaf.startsWith("budgets."))
                .map(leaf -> leaf.split("\\.")[1].replaceAll("_(seconds|dollars)$", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(budgets).isEqualTo(limits);
    }

    @Test
    void theSchemaIsASchemaThatIsClosedAndExplainsItself() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        JsonNode schema = mapper.readTree(Maestro.configSchema());
        @SuppressWarnings("unchecked")
        Map<String, Object> map = mapper.convertValue(schema, Map.class);
        new InputValidator().check(InputSchema.ofMap(map));
        assertThat(schema.path("$schema").asText()).isEqualTo("https://json-schema.org/draft/2020-12/schema");
        explained("", schema);
    }

    private static void explained(String path, JsonNode schema) {
        if (schema.has("properties")) {
            assertThat(schema.path("additionalProperties").isBoolean()).as(path).isTrue();
            assertThat(schema.path("additionalProperties").asBoolean()).as(path).isFalse();
        }
        schema.path("properties").properties().forEach(property -> {
            String below = path + "." + property.getKey();
            assertThat(property.getValue().path("description").asText())
                    .as(below)
                    .isNotBlank();
            explained(below, property.getValue());
        });
        if (schema.path("items").isObject()) {
            explained(path + "[]", schema.path("items"));
        }
        if (schema.path("additionalProperties").isObject()) {
            explained(path + ".*", schema.path("additionalProperties"));
        }
    }

    /** A default in the schema that is not the one of the code would mislead whoever reads it. */
    @Test
    void theDefaultsOfTheSchemaChangeNothing() throws IOException {
        Map<String, JsonNode> defaults = new TreeMap<>();
        defaults("", new ObjectMapper().readTree(Maestro.configSchema()), defaults);
        assertThat(defaults).hasSizeGreaterThan(25);
        defaults.forEach((path, value) -> {
            ConfigEffects.Effect effect = ConfigEffects.ALL.get(path);
            if (effect != null) {
                assertThat(result(path, ConfigEffects.json(path, value.toString()), effect))
                        .as(path)
                        .isEqualTo(result("none", "{}", effect));
            }
        });
    }

    private static void defaults(String path, JsonNode schema, Map<String, JsonNode> found) {
        if (schema.has("default")) {
            found.put(path, schema.path("default"));
        }
        schema.path("properties")
                .properties()
                .forEach(property -> defaults(
                        path.isEmpty() ? property.getKey() : path + "." + property.getKey(),
                        property.getValue(),
                        found));
    }

    private MaestroBuilder builder() {
        return Maestro.builder()
                .projectDirectory(directory)
                .repository("in-code")
                .coderModel(ScriptedLlm.builder("in-code").build())
                .environment(Map.of());
    }

    @Test
    void whatIsSetInCodeWinsWheneverTheFileIsNamed() {
        String json = """
                {"agents": {"max_coders": 9, "coder_model": "claude-x", "architect_model": "gpt-x",
                            "temperatures": {"coding": 0.1, "planning": 0.2}},
                 "git": {"repository": "/in/file", "target_branch": "file", "conventional_commits": false},
                 "budgets": {"rounds": 2}, "tools": {"discover": false},
                 "environment": {"pass": ["FILE"]}, "tests": {"command": "file"}}
                """;
        for (boolean first : new boolean[] {true, false}) {
            MaestroBuilder builder = builder();
            if (first) {
                builder.config(json);
            }
            builder.architectModel(ScriptedLlm.builder("architect").build())
                    .maxCoders(5)
                    .agents(agents -> agents.temperature(ModelState.CODING, 0.9))
                    .git(git -> git.targetBranch("code"))
                    .limits(Limits.builder().reminders(1).build())
                    .tools(tools -> tools.discover(true))
                    .commands(commands -> commands.passEnvironment("CODE"))
                    .testCommand("code");
            if (!first) {
                builder.config(json);
            }
            Settings set = builder.settings(directory);
            assertThat(set.repository()).isEqualTo("in-code");
            assertThat(set.agents().coderModel().orElseThrow().model()).isEqualTo("in-code");
            assertThat(set.agents().architectModel().model()).isEqualTo("architect");
            assertThat(set.agents().maxCoders()).isEqualTo(5);
            assertThat(set.agents().temperature("CODING")).hasValue(0.9);
            assertThat(set.agents().temperature("PLANNING")).hasValue(0.2);
            assertThat(set.git().targetBranch()).contains("code");
            assertThat(set.limits().rounds()).isEqualTo(2);
            assertThat(set.limits().reminders()).isEqualTo(1);
            assertThat(set.tools().discover()).isTrue();
            assertThat(set.commands().passedVariables()).containsExactly("CODE");
            assertThat(set.commands().test()).contains("code");
        }
    }

    @Test
    void theFileInTheProjectDirectoryIsReadByItselfUnlessAnotherIsNamedOrItIsSwitchedOff() throws IOException {
        assertThat(builder().settings(directory).agents().maxCoders()).isEqualTo(3);
        write(".maestro/config.json", "{\"agents\": {\"max_coders\": 4}}");
        Path other = write("other.json", "{\"agents\": {\"max_coders\": 6}}");
        assertThat(builder().settings(directory).agents().maxCoders()).isEqualTo(4);
        assertThat(builder().config("{}").settings(directory).agents().maxCoders())
                .isEqualTo(3);
        assertThat(builder()
                        .config("{}")
                        .config(other)
                        .settings(directory)
                        .agents()
                        .maxCoders())
                .isEqualTo(6);
        assertThat(builder()
                        .config(other)
                        .config("{}")
                        .settings(directory)
                        .agents()
                        .maxCoders())
                .isEqualTo(3);
        assertThat(builder().readConfig(false).settings(directory).agents().maxCoders())
                .isEqualTo(3);
        assertThat(builder()
                        .readConfig(false)
                        .config(other)
                        .settings(directory)
                        .agents()
                        .maxCoders())
                .isEqualTo(6);
    }

    @Test
    void aWrongFileStopsTheBuildBeforeAnythingIsDone() throws IOException {
        Path file = write(".maestro/config.json", "{\"agents\": {\"max_coder\": 4}}");
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(MaestroException.class)
                .hasMessage("the settings in " + file + " are wrong:\n"
                        + "$.agents.max_coder: unknown property; did you mean \"max_coders\"?");
        assertThat(directory.resolve(".maestro")).isDirectoryContaining(path -> path.equals(file));
        assertThat(directory.resolve(".maestro/maestro.db")).doesNotExist();
    }

    private Path write(String name, String content) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void eachPromptComesFromTheFirstPlaceThatHasIt() throws IOException {
        Map<String, Object> sample = PromptTemplate.REMINDER.samples();
        String own = prompts(builder()).render("reminder", sample);
        write(".maestro/prompts/reminder.mustache", "found");
        write(".maestro/prompts/architect-merge.mustache", "found");
        write("named/reminder.mustache", "named");
        write("coded/reminder.mustache", "coded");
        String config = "{\"prompts\": {\"directory\": \"named\"}}";
        assertThat(reminder(builder())).isEqualTo("found");
        assertThat(reminder(builder().readConfig(false))).isEqualTo(own);
        assertThat(reminder(builder().config(config))).isEqualTo("named");
        assertThat(prompts(builder().config(config))
                        .render("architect-merge", PromptTemplate.ARCHITECT_MERGE.samples()))
                .isEqualTo("found");
        MaestroBuilder coded =
                builder().config(config).prompts(prompts -> prompts.directory(directory.resolve("coded")));
        assertThat(reminder(coded)).isEqualTo("coded");
        assertThat(reminder(coded.prompts(prompts -> prompts.prompt("reminder", "last"))))
                .isEqualTo("last");
    }

    private Prompts prompts(MaestroBuilder builder) {
        return new Prompts(builder.settings(directory).prompts().templates());
    }

    private String reminder(MaestroBuilder builder) {
        return prompts(builder).render("reminder", PromptTemplate.REMINDER.samples());
    }

    @Test
    void aPromptThatCannotBeUsedStopsTheBuild() {
        assertThatThrownBy(() -> builder()
                        .prompts(prompts -> prompts.prompt("reminder", "{{oops}}"))
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessage("the template for the prompt 'reminder' cannot be used: it has no variable oops;"
                        + " there are terminal");
        assertThatThrownBy(() -> builder()
                        .prompts(prompts -> prompts.prompt("remind", "x"))
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("there is no prompt 'remind'; did you mean 'reminder'?");
        assertThatThrownBy(() -> builder()
                        .prompts(prompts -> prompts.directory(directory.resolve("none")))
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("there is no directory of prompts");
    }

    @Test
    void whatIsMissingIsSaidWithBothPlacesWhereItCanBeSet() throws Exception {
        assertThatThrownBy(() -> Maestro.builder().projectDirectory(directory).build())
                .isInstanceOf(MaestroException.class)
                .hasMessage("repository must be set: by Maestro.builder().repository(…), or"
                        + " git.repository in .maestro/config.json");
        Path file = Files.writeString(directory.resolve("settings.json"), "{}");
        assertThatThrownBy(() -> Maestro.builder()
                        .projectDirectory(directory)
                        .config(file)
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessage("in " + file + ", $.git.repository: must be set");
    }

    @Test
    void claudeCodeNeedsItsModuleHoweverItIsChosen() {
        assertThatThrownBy(() -> builder().coderMode("claude-code").build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("needs the module maestro-claude");
        String json = "{\"agents\": {\"coder_mode\": \"claude-code\"}}";
        assertThat(builder()
                        .config(json)
                        .coderMode("standard")
                        .settings(directory)
                        .agents()
                        .maxCoders())
                .isEqualTo(3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().coderMode("Fast"))
                .withMessage("the id of the coder mode has lower-case letters, digits and dashes, is 'Fast'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a<b", "a>b", "a\nb"})
    void anIdentityThatGitCannotWriteIsRefused(String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> builder().git(git -> git.userName(value)));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().git(git -> git.userEmail(value)));
        for (String key : new String[] {"user_name", "user_email"}) {
            String json = "{\"git\": {\"" + key + "\": \"" + value.replace("\n", "\\n") + "\"}}";
            assertThatThrownBy(() -> builder().config(json).settings(directory))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("$.git." + key);
        }
    }

    @Test
    void aRuleForAToolThatIsNotThereStopsTheBuild() {
        for (String list : new String[] {"deny", "allow"}) {
            assertThatThrownBy(() -> builder()
                            .config("{\"tools\": {\"policy\": {\"" + list + "\": [\"shel\", \"x_*\", \"test\"]}}}")
                            .build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("there is no tool 'shel'")
                    .hasMessageContaining("did you mean 'shell'?")
                    .hasMessageNotContaining("'test'?");
        }
        assertThatThrownBy(() -> builder()
                        .tools(tools -> tools.policy(ToolPolicy.byName(Set.of(), Set.of("shel"))))
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("there is no tool 'shel'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ToolPolicy.byName(Set.of("a b"), Set.of()))
                .withMessageStartingWith("not a tool's name: 'a b'");
    }

    @Test
    void aRuleThatIsWrongStopsTheBuild() {
        Map<String, String> wrong = Map.of(
                "{\"tools\": [\"shel\"], \"effect\": \"deny\"}", "rule 1: there is no tool 'shel'",
                "{\"tools\": [\"shell\"], \"effect\": \"no\"}", "$.tools.policy.rules[0].effect",
                "{\"tools\": [\"shell\"], \"effect\": \"ask\", \"argument\": \"cmd\"}", "$.tools.policy.rules[0]",
                "{\"tools\": [\"shell\"], \"effect\": \"ask\", \"matches\": \"x\"}", "$.tools.policy.rules[0]",
                "{\"tools\": [\"shell\"], \"effect\": \"ask\", \"roles\": [\"coder\"]}", "there is no role 'coder'",
                "{\"tools\": [\"shell\"], \"effect\": \"ask\", \"argument\": \"cmd\", \"matches\": \"(\"}",
                        "$.tools.policy.rules: rule 1: the pattern for the argument 'cmd'");
        wrong.forEach((rule, message) -> assertThatThrownBy(() -> builder()
                        .config("{\"tools\": {\"policy\": {\"rules\": [" + rule + "]}}}")
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message));
    }

    @Test
    void aPolicyThatMakesAStateImpossibleStopsTheBuild() {
        Map<String, String> impossible = Map.of(
                "\"deny\": [\"done\"]", "state CODING impossible: the list deny [done] refuses 'done'",
                "\"deny\": [\"submit_p*\"]", "state PLANNING impossible",
                "\"rules\": [{\"tools\": [\"review_complete\"], \"effect\": \"deny\"}]",
                        "state ANSWERING impossible: rule 1 (deny review_complete) refuses 'review_complete'",
                "\"rules\": [{\"tools\": [\"*\"], \"roles\": [\"architect_scoping\"], \"effect\": \"deny\"}]",
                        "refuses 'submit_stories' to the role architect_scoping",
                "\"rules\": [{\"tools\": [\"*\"], \"states\": [\"EDITING\"], \"effect\": \"deny\"}]", "'story_edit'");
        impossible.forEach((policy, message) -> assertThatThrownBy(() -> builder()
                        .config("{\"tools\": {\"policy\": {" + policy + "}}}")
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(message));
        assertThatThrownBy(() -> builder()
                        .tools(tools -> tools.policy(
                                ToolPolicy.byRules(List.of(ToolRule.of("done").deny("")))))
                        .build())
                .hasMessageContaining("rule 1 (deny done)");
        for (String possible : new String[] {
            "\"allow\": [\"read_*\"]",
            "\"deny\": [\"ask_question\", \"report_blocked\"]",
            "\"rules\": [{\"tools\": [\"done\"], \"effect\": \"ask\"}]",
            "\"rules\": [{\"tools\": [\"done\"], \"effect\": \"deny\", \"argument\": \"summary\", \"matches\": \"x\"}]",
            "\"rules\": [{\"tools\": [\"done\"], \"states\": [\"PLANNING\"], \"effect\": \"deny\"}]"
        }) {
            builder()
                    .config("{\"tools\": {\"policy\": {" + possible + "}}}")
                    .build()
                    .close();
        }
    }

    @Test
    void aPatternThatIsNoneIsNamed() {
        String json =
                "{\"redaction\": {\"patterns\": [{\"name\": \"x\", \"keywords\": [\"ab\"], \"pattern\": \"(\"}]}}";
        assertThatThrownBy(() -> builder().config(json).build())
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("$.redaction.patterns[0]: rule x has no valid expression");
    }
}
