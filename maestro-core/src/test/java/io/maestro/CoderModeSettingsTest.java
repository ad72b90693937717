package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmClient;
import io.maestro.settings.Settings;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a host chooses who works in PLANNING and CODING, and what its choice is given. */
class CoderModeSettingsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> KEYS = Map.of("ANTHROPIC_API_KEY", "a-key", "OTHER", "o");

    @TempDir
    Path directory;

    private final ScriptedCoderMode mode =
            new ScriptedCoderMode(ScriptedLlm.builder("unused").build());
    private final LlmClient architect = ScriptedLlm.builder("architect").build();

    /** All settings of Claude Code. */
    static Set<String> leaves() throws IOException {
        Set<String> leaves = new TreeSet<>(ConfigEffects.leaves());
        leaves.removeIf(leaf -> !leaf.startsWith("claude_code."));
        return leaves;
    }

    private MaestroBuilder builder() {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository("in-code")
                .environment(KEYS);
    }

    private AgentProject project(MaestroBuilder builder) {
        builder.coderMode(mode).build().close();
        return mode.projects.get(mode.projects.size() - 1);
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void aSettingArrivesAtTheMode(String path) throws IOException {
        String json = ConfigEffects.json(path, value(path));
        AgentProject project = project(builder().architectModel(architect).config(json));
        assertThat(JSON.readTree(JSON.writeValueAsString(Map.of("claude_code", project.settings()))))
                .isEqualTo(JSON.readTree(json));
    }

    private static String value(String path) throws IOException {
        JsonNode schema = JSON.readTree(Maestro.configSchema());
        for (String step : path.split("\\.")) {
            schema = schema.path("properties").path(step.replace("[]", ""));
            schema = step.endsWith("[]") ? schema.path("items") : schema;
        }
        if (schema.has("enum")) {
            return schema.path("enum").get(1).toString();
        }
        return schema.path("type").asText().equals("number")
                ? String.valueOf(schema.path("minimum").asInt() + 7.5)
                : path.endsWith("[]") ? "\"Some1\"" : "\"/some-1\"";
    }

    @Test
    void aProjectSaysWhatTheModeIsFor() {
        AgentProject project = project(builder().architectModel(architect));
        assertThat(project.directory()).isEqualTo(directory.resolve("project").toAbsolutePath());
        assertThat(project.sessionId()).isNotBlank();
        assertThat(project.model()).isEmpty();
        assertThat(project.settings()).isEmpty();
        assertThat(project.variables()).isEqualTo(KEYS);
        assertThat(project.redactor().redact("ghp_0123456789abcdefghijABCDEFGHIJ012345"))
                .doesNotContain("0123456789");
        assertThat(project.toString()).contains("ANTHROPIC_API_KEY").doesNotContain("a-key");
        assertThat(mode.calls).containsExactly("end");
    }

    @Test
    void whatAModeKeepsSecretIsTakenOut() {
        mode.secrets = List.of("planted-in-code", "short");
        AgentProject project = project(builder().architectModel(architect));
        assertThat(project.redactor().redact("a planted-in-code is short"))
                .startsWith("a ")
                .endsWith(" is short")
                .doesNotContain("planted");
    }

    @Test
    void theAddressOfTheFileWinsOverTheVariable() {
        String json = "{\"models\": {\"anthropic\": {\"base_url\": \"http://gateway.example.org\"}}}";
        Map<String, String> variables = Map.of("ANTHROPIC_BASE_URL", "http://variable.example.org");
        MaestroBuilder builder = builder().architectModel(architect).environment(variables);
        assertThat(project(builder).variables()).isEqualTo(variables);
        assertThat(project(builder.config(json)).variables())
                .isEqualTo(Map.of("ANTHROPIC_BASE_URL", "http://gateway.example.org"));
    }

    // Models

    @ParameterizedTest
    @ValueSource(strings = {"sonnet", "opus", "haiku", "claude-sonnet-5", "whatever"})
    void theNameOfTheModelIsTheModesToJudge(String name) {
        String json = "{\"agents\": {\"coder_model\": \"" + name + "\"}}";
        assertThat(project(builder().architectModel(architect).config(json)).model())
                .contains(name);
        assertThat(project(builder().architectModel(architect).config(json).environment(Map.of()))
                        .model())
                .contains(name);
    }

    @Test
    void aClientInCodeGivesItsNameAndIsTheArchitectsUnlessThatIsSet() {
        LlmClient coder = ScriptedLlm.builder("claude-in-code").build();
        String json = "{\"agents\": {\"coder_model\": \"sonnet\"}}";
        MaestroBuilder builder = builder().coderModel(coder).config(json);
        assertThat(project(builder).model()).contains("claude-in-code");
        Settings set = builder.settings(directory);
        assertThat(set.agents().coderModel()).isEmpty();
        assertThat(set.agents().architectModel()).isSameAs(coder);
    }

    @Test
    void theArchitectTakesTheCodersModelWhereItCanBeAsked() {
        MaestroBuilder builder =
                builder().coderMode(mode).config("{\"agents\": {\"coder_model\": \"claude-sonnet-5\"}}");
        assertThat(builder.settings(directory).agents().architectModel().model())
                .isEqualTo("claude-sonnet-5");
        assertThatThrownBy(() -> builder.environment(Map.of()).settings(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("$.agents.architect_model: must be set, or architectModel in code")
                .hasMessageContaining("ANTHROPIC_API_KEY");
    }

    @Test
    void anArchitectMustComeFromSomewhere() {
        MaestroBuilder builder = builder().coderMode(mode);
        assertThatThrownBy(() -> builder.config("{\"agents\": {\"coder_model\": \"sonnet\"}}")
                        .settings(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("$.agents.architect_model: must be set, or architectModel in code")
                .hasMessageContaining("\"sonnet\"");
        assertThatThrownBy(() -> builder.config("{}").settings(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessage("$.agents.architect_model: must be set");
        for (String json : new String[] {"{}", "{\"agents\": {\"coder_model\": \"sonnet\"}}"}) {
            project(builder.config(json).architect(new Approving()));
        }
        assertThat(builder.config("{\"agents\": {\"coder_model\": \"sonnet\", \"architect_model\": \"claude-x\"}}")
                        .settings(directory)
                        .agents()
                        .architectModel()
                        .model())
                .isEqualTo("claude-x");
    }

    // Found in jars

    /** Makes a provider of tests a service. */
    public abstract static class Provider implements AgentFactory {
        private final String id;

        Provider(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public AgentProvider open(AgentProject project) {
            throw new MaestroException("opened by " + getClass().getSimpleName());
        }
    }

    /** One. */
    public static final class First extends Provider {
        public First() {
            super("first");
        }
    }

    /** Stands for the real one. */
    public static final class Claude extends Provider {
        public Claude() {
            super("claude-code");
        }
    }

    /** Claims the id of another. */
    public static final class FirstAgain extends Provider {
        public FirstAgain() {
            super("first");
        }
    }

    /** Cannot be made. */
    public static final class Broken extends Provider {
        public Broken() {
            super("broken");
            throw new IllegalStateException("half installed");
        }
    }

    private URLClassLoader announcing(Class<?>... providers) throws IOException {
        return Announced.in(directory, AgentFactory.class, providers);
    }

    @ParameterizedTest
    @CsvSource({"first, First", "claude-code, Claude"})
    void oneIsFoundByItsIdAlthoughOthersAreBroken(String id, String provider) throws IOException {
        try (URLClassLoader loader = announcing(Broken.class, First.class, Claude.class)) {
            MaestroBuilder builder = builder().architectModel(architect).tools(tools -> tools.classLoader(loader));
            assertThatThrownBy(() -> builder.coderMode(id).build()).hasMessage("opened by " + provider);
            assertThatThrownBy(() -> builder()
                            .architectModel(architect)
                            .tools(tools -> tools.classLoader(loader))
                            .config("{\"agents\": {\"coder_mode\": \"" + id + "\"}}")
                            .build())
                    .hasMessage("opened by " + provider);
            // What was registered wins over the file, and what was said last over what was said before.
            builder.config("{\"agents\": {\"coder_mode\": \"" + id + "\"}}");
            project(builder);
            assertThatThrownBy(() -> builder.coderMode(id).build()).hasMessage("opened by " + provider);
            project(builder);
        }
    }

    @Test
    void anUnknownIdIsAnErrorThatSaysWhatThereIs() throws IOException {
        try (URLClassLoader loader = announcing(Broken.class, First.class, Claude.class)) {
            assertThatThrownBy(() -> builder()
                            .tools(tools -> tools.classLoader(loader))
                            .coderMode("third")
                            .build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageStartingWith(
                            "coderMode(\"third\"): no coder mode 'third' is there, found are [claude-code, first];")
                    .hasMessageContaining("half installed")
                    .hasMessageContaining("io.maestro.Missing");
        }
        assertThat(directory.resolve("project")).doesNotExist();
    }

    @Test
    void anIdThatTwoClaimIsRefused() throws IOException {
        try (URLClassLoader loader = announcing(First.class, FirstAgain.class)) {
            assertThatThrownBy(() -> builder()
                            .tools(tools -> tools.classLoader(loader))
                            .coderMode("first")
                            .build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContainingAll(First.class.getName(), FirstAgain.class.getName(), "coderMode(…)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Claude", "a b", "../x", "-x"})
    void anIdIsPlain(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().coderMode(id))
                .withMessageContaining("'" + id + "'");
    }

    // Builds that fail give everything back

    @Test
    void aModeThatRefusesStopsTheBuild() {
        RecordingEnvironments environments = new RecordingEnvironments();
        mode.refusal = Optional.of(new MaestroException("no such model"));
        assertThatThrownBy(() -> builder()
                        .architectModel(architect)
                        .environment(environments)
                        .coderMode(mode)
                        .build())
                .hasMessage("no such model");
        assertThat(environments.calls).containsExactly("begin", "end");
        assertThat(mode.calls).isEmpty();
        mode.refusal = Optional.empty();
        project(builder().architectModel(architect));
    }

    @Test
    void aModeIsClosedWhenTheTeamCannotBeMade() {
        RecordingEnvironments environments = new RecordingEnvironments();
        environments.fails("leftovers", new MaestroException("container x stays"));
        assertThatThrownBy(() -> builder()
                        .architectModel(architect)
                        .environment(environments)
                        .coderMode(mode)
                        .build())
                .hasMessage("container x stays");
        assertThat(mode.calls).containsExactly("end");
    }
}
