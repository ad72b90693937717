package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.Maestro;
import io.maestro.agent.spi.AgentProject;
import io.maestro.error.MaestroException;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each setting of the mode has an effect, in code and in the configuration; what it does to the CLI, EquippedCliTest says. */
class ClaudeCodeModeTest {
    private static final Map<String, String> KEY = Map.of("ANTHROPIC_API_KEY", "planted-key");

    /**
     * A setting.
     *
     * @param read what holds
     * @param byDefault without it
     * @param inCode its name in code; empty when it is not there
     * @param code sets it in code
     * @param then what holds then
     * @param inFile its name in the configuration; empty when it is not in this object of it
     * @param file its value there
     * @param thenByFile what holds then
     */
    record Setting(
            Function<ClaudeOptions, Object> read,
            Object byDefault,
            String inCode,
            UnaryOperator<ClaudeCodeMode.Builder> code,
            Object then,
            String inFile,
            Object file,
            Object thenByFile) {
        @Override
        public String toString() {
            return inCode + " " + inFile;
        }
    }

    static Stream<Setting> settings() {
        return Stream.of(
                new Setting(
                        ClaudeCodeModeTest::models,
                        "sonnet sonnet",
                        "model",
                        m -> m.model("anthropic:opus"),
                        "opus opus",
                        "",
                        "",
                        "sonnet sonnet"),
                new Setting(
                        ClaudeCodeModeTest::models,
                        "sonnet sonnet",
                        "planningModel",
                        m -> m.options(all -> all.planningModel("opus")),
                        "opus sonnet",
                        "planning_model",
                        "anthropic:haiku",
                        "haiku sonnet"),
                new Setting(
                        ClaudeCodeModeTest::models,
                        "sonnet sonnet",
                        "codingModel",
                        m -> m.options(all -> all.codingModel("opus")),
                        "sonnet opus",
                        "coding_model",
                        "claude-haiku-5",
                        "sonnet claude-haiku-5"),
                new Setting(
                        s -> s.tools(CoderState.PLANNING),
                        List.of("Task", "Bash", "Read", "Glob", "Grep"),
                        "planningTools",
                        m -> m.options(all -> all.planningTools(List.of())),
                        List.of(),
                        "planning_tools",
                        List.of("Read", "Glob"),
                        List.of("Read", "Glob")),
                new Setting(
                        s -> s.tools(CoderState.CODING),
                        List.of("Task", "Bash", "Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit"),
                        "codingTools",
                        m -> m.options(all -> all.codingTools(List.of("Bash", "Edit"))),
                        List.of("Bash", "Edit"),
                        "coding_tools",
                        List.of("Bash"),
                        List.of("Bash")),
                new Setting(
                        ClaudeOptions::program,
                        Optional.empty(),
                        "program",
                        m -> m.program("/opt/claude"),
                        Optional.of("/opt/claude"),
                        "program",
                        "/usr/bin/claude",
                        Optional.of("/usr/bin/claude")),
                new Setting(
                        ClaudeOptions::hostProgram,
                        Optional.empty(),
                        "hostProgram",
                        m -> m.hostProgram(Path.of("/host/claude")),
                        Optional.of(Path.of("/host/claude")),
                        "host_program",
                        "modules/claude",
                        Optional.of(Path.of("/project/modules/claude"))),
                new Setting(
                        ClaudeOptions::way,
                        Optional.empty(),
                        "way",
                        m -> m.options(all -> all.way(McpWay.HTTP)),
                        Optional.of(McpWay.HTTP),
                        "way",
                        "proxy",
                        Optional.of(McpWay.PROXY)),
                new Setting(
                        ClaudeOptions::keyInEnvironment,
                        false,
                        "keyInEnvironment",
                        m -> m.options(all -> all.keyInEnvironment(true)),
                        true,
                        "key",
                        "environment",
                        true),
                new Setting(
                        ClaudeOptions::totalLimit,
                        Duration.ofHours(1),
                        "totalLimit",
                        m -> m.options(all -> all.totalLimit(Duration.ofMinutes(7))),
                        Duration.ofMinutes(7),
                        "total_seconds",
                        90,
                        Duration.ofSeconds(90)),
                new Setting(
                        ClaudeOptions::inactivityLimit,
                        Duration.ofMinutes(10),
                        "inactivityLimit",
                        m -> m.options(all -> all.inactivityLimit(Duration.ofMinutes(7))),
                        Duration.ofMinutes(7),
                        "inactivity_seconds",
                        480.5,
                        Duration.ofMillis(480_500)),
                new Setting(
                        ClaudeOptions::baseUrl,
                        URI.create("https://api.anthropic.com"),
                        "baseUrl",
                        m -> m.baseUrl(URI.create("http://localhost:1")),
                        URI.create("http://localhost:1"),
                        "",
                        "",
                        URI.create("https://api.anthropic.com")),
                new Setting(
                        ClaudeOptions::apiKey,
                        Optional.of("planted-key"),
                        "apiKey",
                        m -> m.apiKey(" planted-other\n"),
                        Optional.of("planted-other"),
                        "",
                        "",
                        Optional.of("planted-key")));
    }

    private static String models(ClaudeOptions options) {
        return options.model(CoderState.PLANNING).orElseThrow() + " "
                + options.model(CoderState.CODING).orElseThrow();
    }

    private static AgentProject project(Map<String, Object> settings, Map<String, String> variables) {
        return project(Optional.of("sonnet"), settings, variables);
    }

    private static AgentProject project(
            Optional<String> model, Map<String, Object> settings, Map<String, String> variables) {
        return new AgentProject(
                Path.of("/project"), "session", model, settings, variables, SecretRedactor.withDefaults());
    }

    private static ClaudeOptions options(ClaudeCodeMode.Builder mode, Map<String, Object> file) {
        return mode.build().options(project(file, KEY));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void codeWinsOverTheFileAndTheFileOverTheDefault(Setting setting) {
        Map<String, Object> file = setting.inFile().isEmpty() ? Map.of() : Map.of(setting.inFile(), setting.file());

        assertThat(setting.read().apply(options(ClaudeCodeMode.builder(), Map.of())))
                .isEqualTo(setting.byDefault());
        assertThat(setting.read().apply(options(ClaudeCodeMode.builder(), file)))
                .isEqualTo(setting.thenByFile());
        assertThat(setting.read().apply(options(setting.code().apply(ClaudeCodeMode.builder()), file)))
                .isEqualTo(setting.then());
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aSettingChangesNoOther(Setting setting) {
        ClaudeOptions changed = options(setting.code().apply(ClaudeCodeMode.builder()), Map.of());

        settings()
                // The one of both states and those of each are read together.
                .filter(other -> !other.read().apply(changed).equals(setting.then())
                        || !other.inCode().endsWith("odel"))
                .filter(other -> !other.inCode().equals(setting.inCode()))
                .forEach(other -> assertThat(other.read().apply(changed))
                        .as(other.inCode())
                        .isEqualTo(other.byDefault()));
    }

    @Test
    void thisIsAllThatCanBeSet() throws IOException {
        Set<String> inCode = setters(ClaudeOptions.class);
        inCode.remove("under");
        assertThat(settings().map(Setting::inCode)).containsExactlyInAnyOrderElementsOf(inCode);
        Set<String> flat = setters(ClaudeCodeMode.Builder.class);
        assertThat(flat.remove("options")).isTrue();
        assertThat(inCode).containsAll(flat);

        Set<String> inFile = new TreeSet<>();
        new ObjectMapper()
                .readTree(Maestro.configSchema())
                .at("/properties/claude_code/properties")
                .fieldNames()
                .forEachRemaining(inFile::add);
        assertThat(settings().map(Setting::inFile).filter(name -> !name.isEmpty()))
                .containsExactlyInAnyOrderElementsOf(inFile);
    }

    private static Set<String> setters(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getReturnType() == type)
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @CsvSource({"auto,", "control,CONTROL_CHANNEL", "http,HTTP", "proxy,PROXY"})
    void eachWayOfTheFile(String text, McpWay way) {
        assertThat(options(ClaudeCodeMode.builder(), Map.of("way", text)).way()).isEqualTo(Optional.ofNullable(way));
    }

    @Test
    void theFileMaySayWhatHoldsAnyway() {
        assertThat(options(ClaudeCodeMode.builder(), Map.of("key", "gateway")).keyInEnvironment())
                .isFalse();
    }

    @Test
    void theAddressIsThatOfTheVariableUnlessCodeSaysMore() {
        Map<String, String> variables = new HashMap<>(KEY);
        variables.put("ANTHROPIC_BASE_URL", "http://gateway.example.org:8080/v1");
        AgentProject project = project(Map.of(), variables);

        assertThat(new ClaudeCodeMode().options(project).baseUrl())
                .isEqualTo(URI.create("http://gateway.example.org:8080/v1"));
        assertThat(ClaudeCodeMode.builder()
                        .baseUrl(URI.create("http://localhost:1"))
                        .build()
                        .options(project)
                        .baseUrl())
                .isEqualTo(URI.create("http://localhost:1"));
    }

    @Test
    void aModeDoesNotChangeWithItsBuilder() {
        ClaudeCodeMode.Builder builder = ClaudeCodeMode.builder().model("opus");
        ClaudeCodeMode mode = builder.build();
        Set<String> models = new HashSet<>();
        models.add(models(mode.options(project(Map.of(), KEY))));
        builder.model("haiku");
        models.add(models(mode.options(project(Map.of(), KEY))));

        assertThat(models).containsExactly("opus opus");
    }

    @Test
    void aModelMustBeThereAndBeAnthropics() {
        assertThatThrownBy(() -> new ClaudeCodeMode().options(project(Optional.empty(), Map.of(), KEY)))
                .isInstanceOf(MaestroException.class)
                .hasMessageContainingAll("agents.coder_model", "model(…)");
        assertThatThrownBy(() -> new ClaudeCodeMode().options(project(Optional.of("gpt-5"), Map.of(), KEY)))
                .isInstanceOf(MaestroException.class)
                .hasMessageContainingAll("agents.coder_model", "gpt-5");
        assertThatThrownBy(() -> options(ClaudeCodeMode.builder().model("gpt-5"), Map.of()))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("model(…)")
                .hasMessageContaining("gpt-5");
        assertThat(models(ClaudeCodeMode.builder()
                        .model("opus")
                        .build()
                        .options(project(Optional.of("gpt-5"), Map.of(), KEY))))
                .isEqualTo("opus opus");
    }

    @Test
    void whatIsSetInCodeForBothStatesWinsOverWhatTheFileSaysOfOne() {
        Map<String, Object> file = Map.of("planning_model", "haiku", "coding_model", "gpt-5");

        ClaudeOptions both = options(ClaudeCodeMode.builder().model("opus"), file);

        assertThat(models(both)).isEqualTo("opus opus");
        assertThatThrownBy(() -> options(ClaudeCodeMode.builder(), file))
                .hasMessageContainingAll("claude_code.coding_model", "gpt-5");
        ClaudeOptions each = ClaudeCodeMode.builder()
                .options(all -> all.planningModel("opus").codingModel("haiku"))
                .build()
                .options(project(Optional.empty(), Map.of(), KEY));
        assertThat(models(each)).isEqualTo("opus haiku");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bash,WebFetch", "mcp__maestro__done", "Bash(rm:*)", "*", "default all"})
    void aToolIsAName(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClaudeOptions.defaults().codingTools(List.of("Bash", name)))
                .withMessageContainingAll("codingTools", "'" + name + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "\n"})
    void aKeyMustBeThere(String key) {
        assertThatThrownBy(() -> new ClaudeCodeMode().options(project(Map.of(), Map.of("ANTHROPIC_API_KEY", key))))
                .isInstanceOf(MaestroException.class)
                .hasMessageContainingAll("ANTHROPIC_API_KEY", "apiKey(…)");
        assertThatThrownBy(() -> options(ClaudeCodeMode.builder().apiKey(key), Map.of()))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("ANTHROPIC_API_KEY");
    }

    @ParameterizedTest
    @CsvSource({"localhost,true", "127.0.0.1,true", "[::1],true", "localhost.example.org,false", "10.0.0.1,false"})
    void aServiceOfThisMachineNeedsNoKey(String host, boolean without) {
        URI api = URI.create("http://" + host + ":8080");
        ClaudeCodeMode mode = ClaudeCodeMode.builder().baseUrl(api).build();
        if (without) {
            assertThat(mode.options(project(Map.of(), Map.of())).apiKey()).contains("no-key");
        } else {
            assertThatThrownBy(() -> mode.options(project(Map.of(), Map.of())))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("ANTHROPIC_API_KEY");
        }
        assertThat(mode.options(project(Map.of(), KEY)).apiKey()).contains("planted-key");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:1",
                "ftp://planted.example.org",
                "https://",
                "https://user:planted@host",
                "https://host?planted=1",
                "https://host#planted",
                "planted with spaces",
            })
    void anAddressThatIsNoneIsRefusedAtOnceAndNotShown(String url) {
        Map<String, String> variables = new HashMap<>(KEY);
        variables.put("ANTHROPIC_BASE_URL", url);
        assertThatThrownBy(() -> new ClaudeCodeMode().options(project(Map.of(), variables)))
                .isInstanceOf(MaestroException.class)
                .hasNoCause()
                .hasMessageContainingAll("ANTHROPIC_BASE_URL", "models.anthropic.base_url")
                .message()
                .doesNotContain("planted");
    }

    @Test
    void theBuilderRefusesAtOnce() {
        ClaudeCodeMode.Builder mode = ClaudeCodeMode.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mode.program("bin/claude"))
                .withMessageContainingAll("program", "bin/claude", "absolute");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mode.options(all -> all.totalLimit(Duration.ZERO)))
                .withMessageContainingAll("totalLimit", "PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mode.options(all -> all.inactivityLimit(Duration.ofSeconds(361))))
                .withMessageContainingAll("inactivityLimit", "420 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mode.baseUrl(URI.create("https://user:planted@host")))
                .withMessageStartingWith("baseUrl must be")
                .withMessageNotContaining("planted");
    }

    @Test
    void theKeyIsNotShown() {
        assertThat(options(ClaudeCodeMode.builder(), Map.of()).toString()).doesNotContain("planted");
        assertThat(ClaudeCodeMode.builder().apiKey("a-key-of-a-proxy").build().secrets())
                .containsExactly("a-key-of-a-proxy");
        assertThat(new ClaudeCodeMode().secrets()).isEmpty();
    }

    /** FACTS.md: 300 s, then a retry. */
    @Test
    void aRequestThatTheCliGivesUpAndMakesAgainIsNoStall() {
        assertThat(options(ClaudeCodeMode.builder(), Map.of()).inactivityLimit())
                .isGreaterThan(Duration.ofSeconds(361));
    }

    /** In containers, too, it works with nothing configured but a key. */
    @Test
    void theHostsOwnClaudeIsTakenUnlessAnotherIsNamed(@TempDir Path directory) throws IOException {
        Path own = directory.resolve("bin/claude");
        Files.createDirectories(own.getParent());
        Files.writeString(own, "#!/bin/sh\n");
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxr-xr-x"));
        String path = "relative:/no/such:" + own.getParent();

        assertThat(hostProgram(path, Map.of())).contains(own);
        assertThat(hostProgram("bin:.", Map.of())).isEmpty();
        assertThat(hostProgram(path, Map.of("host_program", "tools/claude")))
                .contains(Path.of("/project/tools/claude"));
    }

    private static Optional<Path> hostProgram(String path, Map<String, Object> settings) {
        Map<String, String> variables = new HashMap<>(KEY);
        variables.put("PATH", path);
        return new ClaudeCodeMode().options(project(settings, variables)).hostProgram();
    }

    @Test
    void aListOfTheFileThatIsEmptySaysThatThereAreNone() {
        assertThat(options(ClaudeCodeMode.builder(), Map.of("planning_tools", List.of()))
                        .tools(CoderState.PLANNING))
                .isEmpty();
    }
}
