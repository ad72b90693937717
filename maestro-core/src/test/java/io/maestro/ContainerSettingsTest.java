package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.record.AuditLog;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a host chooses where agents' commands run, and what its choice is given. */
class ContainerSettingsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    private final RecordingEnvironments environments = new RecordingEnvironments();

    /** All settings of containers. */
    static Set<String> leaves() throws IOException {
        Set<String> leaves = new TreeSet<>(ConfigEffects.leaves());
        leaves.removeIf(leaf -> !leaf.startsWith(ConfigEffects.CONTAINER));
        return leaves;
    }

    private MaestroBuilder builder() {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository("in-code")
                .coderModel(ScriptedLlm.builder("in-code").build())
                .environment(Map.of("PROXY", "p", "OTHER", "o"));
    }

    private EnvironmentProject project(MaestroBuilder builder) {
        builder.environment(environments).build().close();
        return environments.projects.get(environments.projects.size() - 1);
    }

    @Test
    void aConnectionOfAContainerIsInTheRecord() {
        try (Maestro maestro = builder().environment(environments).build()) {
            EnvironmentProject project = environments.projects.get(0);
            AuditLog.NetworkConnection connection = new AuditLog.NetworkConnection(
                    project.sessionId(),
                    "coder-001",
                    "1",
                    1,
                    "a.example.org:443",
                    "",
                    1,
                    2,
                    3,
                    "not named",
                    Instant.EPOCH);
            project.connections().accept(connection);
            assertThat(maestro.auditLog().connections("1", 0, 9).rows()).containsExactly(connection);
        }
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void aSettingArrivesWhereContainersAreMade(String path) throws IOException {
        String json = ConfigEffects.json(path, value(path));
        EnvironmentProject project = project(builder().config(json));
        assertThat(JSON.readTree(JSON.writeValueAsString(Map.of("container", project.settings()))))
                .isEqualTo(JSON.readTree(json));
    }

    /** A value that the schema allows. */
    private static String value(String path) throws IOException {
        JsonNode schema = JSON.readTree(Maestro.configSchema());
        for (String step : path.split("\\.")) {
            schema = step.equals("*")
                    ? schema.path("additionalProperties")
                    : schema.path("properties").path(step.replace("[]", ""));
            schema = step.endsWith("[]") ? schema.path("items") : schema;
        }
        // The first of several forms; what the others do is for the module that provides containers.
        schema = schema.has("anyOf") ? schema.path("anyOf").get(0) : schema;
        if (schema.has("enum")) {
            return schema.path("enum").get(1).toString();
        }
        return switch (schema.path("type").asText()) {
            case "boolean" -> "true";
            case "integer" -> String.valueOf(schema.path("minimum").asInt() + 1);
            case "number" -> "7.5";
            case "string" -> path.endsWith("url") ? "\"ssh://build.example.org\"" : "\"some-1\"";
            default -> throw new AssertionError(path + " is " + schema);
        };
    }

    @Test
    void aProjectSaysWhatEnvironmentsAreFor() {
        EnvironmentProject project =
                project(builder().commands(commands -> commands.passEnvironment("PROXY", "ABSENT")));
        Path own = directory.resolve("project").toAbsolutePath();
        assertThat(project.directory()).isEqualTo(own);
        assertThat(project.mirror()).startsWithRaw(own.resolve(".mirrors"));
        assertThat(project.sessionId()).isNotBlank();
        assertThat(project.settings()).isEmpty();
        assertThat(project.variables()).isEqualTo(Map.of("PROXY", "p"));
        assertThat(project.redactor().redact("ghp_0123456789abcdefghijABCDEFGHIJ012345"))
                .doesNotContain("0123456789");
        assertThat(environments.calls).containsExactly("begin", "leftovers", "end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"container\": {}}", "{\"container\": {\"image\": \"x\"}}"})
    void containersNeedTheirModule(String json) {
        assertThatThrownBy(() -> builder().config(json).build())
                .isInstanceOf(MaestroException.class)
                .hasMessage(
                        "$.container: no environment 'docker' is there, found are none; add the module that provides it"
                                + " to the class path, as maestro-docker for 'docker'");
        assertThat(directory.resolve("project")).doesNotExist();
    }

    @Test
    void whatIsSetInCodeWinsOverTheObjectInTheFile() {
        String json = "{\"container\": {\"image\": \"x\"}}";
        builder()
                .config(json)
                .executor(workspace -> LocalExecutor.builder(workspace).build())
                .build()
                .close();
        assertThat(project(builder().config(json)).settings()).isEqualTo(Map.of("image", "x"));
    }

    @Test
    void anExecutorAndAnEnvironmentExcludeEachOther() {
        MaestroBuilder both =
                builder().executor(workspace -> LocalExecutor.builder(workspace).build());
        assertThatThrownBy(() -> both.environment(environments).build())
                .isInstanceOf(MaestroException.class)
                .hasMessage("commands run either by executor(…) or in environment(…), but both are set: leave one out");
        assertThatThrownBy(() -> both.environment("docker").build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("environment(\"docker\")");
        assertThat(environments.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Docker", "a b", "../x", "-x"})
    void anIdIsPlain(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().environment(id))
                .withMessageContaining("'" + id + "'");
    }

    // Found in jars

    /** Makes a provider of tests a service. */
    public abstract static class Provider implements EnvironmentFactory {
        private final String id;

        Provider(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public Environments open(EnvironmentProject project) {
            throw new MaestroException("opened by " + getClass().getSimpleName());
        }
    }

    /** One. */
    public static final class First extends Provider {
        public First() {
            super("first");
        }
    }

    /** Another. */
    public static final class Second extends Provider {
        public Second() {
            super("second");
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
        return Announced.in(directory, EnvironmentFactory.class, providers);
    }

    @Test
    void oneIsFoundByItsIdAlthoughOthersAreBroken() throws IOException {
        try (URLClassLoader loader = announcing(Broken.class, First.class, Second.class)) {
            for (String id : new String[] {"first", "second"}) {
                assertThatThrownBy(() -> builder()
                                .tools(tools -> tools.classLoader(loader))
                                .tools(tools -> tools.discover(false))
                                .environment(id)
                                .build())
                        .isInstanceOf(MaestroException.class)
                        .hasMessageStartingWith("opened by " + (id.equals("first") ? "First" : "Second"));
            }
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            Thread.currentThread().setContextClassLoader(loader);
            try {
                assertThatThrownBy(() -> builder().environment("first").build())
                        .hasMessageStartingWith("opened by First");
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }
        }
    }

    @Test
    void anUnknownIdIsAnErrorThatSaysWhatThereIs() throws IOException {
        try (URLClassLoader loader = announcing(Broken.class, First.class, Second.class)) {
            assertThatThrownBy(() -> builder()
                            .tools(tools -> tools.classLoader(loader))
                            .environment("third")
                            .build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageStartingWith("environment(\"third\"): no environment 'third' is there,"
                            + " found are [first, second]; add the module")
                    .hasMessageContaining("half installed")
                    .hasMessageContaining("io.maestro.Missing");
        }
    }

    @Test
    void anIdThatTwoClaimIsRefused() throws IOException {
        try (URLClassLoader loader = announcing(First.class, Second.class, FirstAgain.class)) {
            assertThatThrownBy(() -> builder()
                            .tools(tools -> tools.classLoader(loader))
                            .environment("first")
                            .build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContainingAll(First.class.getName(), FirstAgain.class.getName());
        }
    }

    // Builds that fail give everything back

    private void assertUsableAgain() {
        builder().build().close();
    }

    @Test
    void anEnvironmentThatCannotBeUsedStopsTheBuild() {
        environments.fails("begin", new MaestroException("no engine answers"));
        assertThatThrownBy(() -> builder().environment(environments).build()).hasMessage("no engine answers");
        assertThat(environments.calls).containsExactly("begin");
        assertUsableAgain();
    }

    @Test
    void leftoversThatCannotBeRemovedStopTheBuild() {
        environments.fails("leftovers", new MaestroException("container x stays"));
        environments.fails("end", new MaestroException("not closed either"));
        assertThatThrownBy(() -> builder().environment(environments).build())
                .hasMessage("container x stays")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(environments.calls).containsExactly("begin", "leftovers", "end");
        assertUsableAgain();
    }

    private static ToolFactory named(String name) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name).description("Does " + name).build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.ok("");
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"shell", "mine"})
    void aToolWhoseNameIsTakenStopsTheBuild(String name) {
        environments.tools.add(named(name));
        assertThatThrownBy(() ->
                        builder().tool(named("mine")).environment(environments).build())
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("'" + name + "'");
        assertThat(environments.calls).containsExactly("begin", "end");
        assertUsableAgain();
    }

    @Test
    void rulesMayNameTheToolsOfAnEnvironment() {
        environments.tools.add(named("container_build"));
        String json = "{\"tools\": {\"policy\": {\"deny\": [\"container_build\"]}}}";
        builder().config(json).environment(environments).build().close();
        assertThatThrownBy(() -> builder().config(json).build())
                .hasMessageContaining("there is no tool 'container_build'");
    }

    @Test
    void aServiceThatIsGivenTwiceStopsTheBuild() {
        environments.services.put(Runnable.class, (Runnable) () -> {});
        builder().environment(environments).build().close();
        assertThatThrownBy(() -> builder()
                        .tools(tools -> tools.service(Runnable.class, () -> {}))
                        .environment(environments)
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("java.lang.Runnable");
        assertThat(environments.calls("end")).hasSize(2);
        assertUsableAgain();
    }
}
