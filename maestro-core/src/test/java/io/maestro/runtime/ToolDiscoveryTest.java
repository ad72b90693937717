package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.tool;
import static io.maestro.runtime.ToolJars.factory;
import static io.maestro.runtime.ToolJars.named;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tools in separate jars, which are compiled and packed here. */
class ToolDiscoveryTest {
    @TempDir
    Path directory;

    private ToolJars jars;
    private final ToolRegistry registry = ToolRegistry.builder()
            .builtIn(List.of(tool("shell", call -> ToolResult.ok(""))))
            .redactor(text -> text.replace("hunter2", "[REDACTED]"))
            .build();

    @BeforeEach
    void goodJar() throws IOException {
        jars = new ToolJars(directory);
        jars.add("a-good.jar", "Good", factory("Good", named("good"), ""), "# tools\ntools.Good # the good one\n");
    }

    private void discover() throws IOException {
        try (URLClassLoader loader = jars.loader()) {
            registry.discover(loader);
        }
    }

    private List<String> names() {
        return registry.definitions().stream().map(ToolDefinition::name).toList();
    }

    @Test
    void findsAndRunsAToolInAJar() throws Exception {
        try (URLClassLoader loader = jars.loader()) {
            registry.discover(loader);
            ToolCall call = new ToolCall("1", "good", ToolArguments.of(Map.of()), Duration.ofSeconds(1));
            ToolResult result = registry.agentTools(CODING).get("good").execute(call);

            assertThat(result.text()).isEqualTo("from Good");
        }
        assertThat(registry.problems()).isEmpty();
    }

    @Test
    void oneBrokenJarAfterAnotherDoesNotStopTheRest() throws IOException {
        jars.add("b-missing.jar", List.of(), List.of(), "tools.Missing\n", "");
        jars.add(
                "c-constructor.jar",
                "Throws",
                factory("Throws", named("x"), "public Throws() { throw new IllegalStateException(\"pass hunter2\"); }"),
                "tools.Throws\n");
        jars.add(
                "d-static.jar",
                "Init",
                factory("Init", named("x"), "static int zero = 1 / Integer.parseInt(\"0\");"),
                "tools.Init\n");
        jars.add(
                "e-definition.jar",
                "Def",
                factory("Def", "throw new NoClassDefFoundError(\"com/example/Gone\");", ""),
                "tools.Def\n");
        jars.add("f-null.jar", "Null", factory("Null", "return null;", ""), "tools.Null\n");
        jars.add("g-name.jar", "BadName", factory("BadName", named("bad name"), ""), "tools.BadName\n");
        jars.add("h-type.jar", "NoFactory", "package tools; public class NoFactory {}", "tools.NoFactory\n");
        jars.add("i-private.jar", "Hidden", factory("Hidden", named("x"), "private Hidden() {}"), "tools.Hidden\n");
        jars.add("j-syntax.jar", "Lost", factory("Lost", named("lost"), ""), "tools.Lost\nnot a class\n");
        jars.add(
                "k-parent.jar",
                List.of("Parent", "Child"),
                List.of(factory("Parent", named("x"), ""), "package tools; public class Child extends Parent { }"),
                "tools.Child\n",
                "Parent");
        jars.add("z-last.jar", "Last", factory("Last", named("last"), ""), "tools.Last\n");

        discover();

        assertThat(names()).containsExactly("good", "last", "shell");
        assertThat(registry.problems())
                .extracting(problem -> problem.where().replace(directory.toString(), ""))
                .anySatisfy(where -> assertThat(where).contains("j-syntax.jar"))
                .contains(
                        "tools.Missing in /b-missing.jar",
                        "tools.Throws in /c-constructor.jar",
                        "tools.Init in /d-static.jar",
                        "tools.Def in /e-definition.jar",
                        "tools.Null in /f-null.jar",
                        "tools.BadName in /g-name.jar",
                        "tools.NoFactory in /h-type.jar",
                        "tools.Hidden in /i-private.jar",
                        "tools.Child in /k-parent.jar")
                .hasSize(10);
        assertThat(registry.problems())
                .extracting(ToolRegistry.Problem::message)
                .anySatisfy(message -> assertThat(message).contains("IllegalStateException: pass [REDACTED]"))
                .anySatisfy(message -> assertThat(message).contains("ArithmeticException: / by zero"))
                .anySatisfy(message -> assertThat(message).contains("NoClassDefFoundError: com/example/Gone"))
                .anySatisfy(message -> assertThat(message).contains("not a tool name: 'bad name'"))
                .anySatisfy(message -> assertThat(message).contains("tools.Missing not found"))
                .anySatisfy(message -> assertThat(message).contains("NoClassDefFoundError: tools/Parent"));
    }

    @Test
    void twoJarsWithTheSameNameAreAConfigurationError() throws IOException {
        jars.add("b-other.jar", "Other", factory("Other", named("good"), ""), "tools.Other\n");

        assertThatThrownBy(this::discover)
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'good'", "tools.Good in ", "a-good.jar", "tools.Other in ", "b-other.jar");
    }

    @Test
    void aJarCannotTakeABuiltInName() throws IOException {
        jars.add("b-shell.jar", "Shell", factory("Shell", named("shell"), ""), "tools.Shell\n");

        assertThatThrownBy(this::discover)
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'shell'", "reserved", "tools.Shell in ", "b-shell.jar");
    }

    @Test
    void aJarCannotTakeAReservedPrefix() throws IOException {
        jars.add("b-mcp.jar", "Mcp", factory("Mcp", named("mcp__x"), ""), "tools.Mcp\n");

        assertThatThrownBy(this::discover)
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'mcp__x'", "reserved", "b-mcp.jar");
    }

    @Test
    void whatWasRegisteredIsNotAddedTwice() throws Exception {
        try (URLClassLoader loader = jars.loader()) {
            ToolFactory good = (ToolFactory)
                    loader.loadClass("tools.Good").getDeclaredConstructor().newInstance();
            registry.register(good).discover(loader).discover(loader);
        }

        assertThat(names()).containsExactly("good", "shell");
        assertThat(registry.problems()).isEmpty();
    }

    @Test
    void aSourceGivesSeveralToolsAndIsNamedWhenItIsBroken() throws Exception {
        jars.addSource("b-annotated.jar", "Annotated", """
                record Item(String text, Optional<Integer> line) {}
                @ToolMethod(description = "Adds items")
                private String add(String key, List<Item> items) { return key + items; }
                @ToolMethod(description = "Counts", readOnly = true)
                int count(ToolContext context) { return 7; }
                public List<ToolFactory> tools() { return TypedTools.ofMethods(this); }
                """);
        jars.addSource(
                "c-throws.jar",
                "Fails",
                "public List<ToolFactory> tools() { throw new IllegalStateException(\"hunter2\"); }");
        jars.addSource(
                "d-null.jar",
                "Nulls",
                "public List<ToolFactory> tools() { return Arrays.asList((ToolFactory) null); }");
        try (URLClassLoader loader = jars.loader()) {
            registry.discover(loader).discover(loader);
            Map<String, Object> arguments = Map.of("key", "K", "items", List.of(Map.of("text", "t", "line", 1)));
            assertThat(registry.agentTools(CODING)
                            .get("add")
                            .execute(new ToolCall("1", "add", ToolArguments.of(arguments), Duration.ofSeconds(1)))
                            .text())
                    .isEqualTo("K[Item[text=t, line=Optional[1]]]");
        }
        assertThat(names()).containsExactly("add", "count", "good", "shell");
        assertThat(registry.added())
                .anySatisfy(tool -> assertThat(tool)
                        .startsWith("add of tools.Annotated in ")
                        .endsWith("b-annotated.jar"));
        assertThat(registry.problems().subList(0, 2))
                .extracting(ToolRegistry.Problem::toString)
                .allSatisfy(problem -> assertThat(problem).containsPattern("tools.(Fails|Nulls) in .*jar"))
                .anySatisfy(problem -> assertThat(problem).contains("IllegalStateException: [REDACTED]"));
    }

    @Test
    void aNameOfASourceThatIsTakenIsAConfigurationError() throws IOException {
        jars.addSource("b-other.jar", "Other", """
                @ToolMethod(description = "Is there already")
                void good() {}
                public List<ToolFactory> tools() { return TypedTools.ofMethods(this); }
                """);

        assertThatThrownBy(this::discover)
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'good'", "tools.Good in ", "a-good.jar", "tools.Other in ", "b-other.jar");
    }

    @Test
    void discoveryComesTooLateOnceAgentsHaveTheirTools() {
        registry.agentTools(CODING);

        assertThatThrownBy(this::discover).isInstanceOf(ToolException.class).hasMessageContaining("sealed");
    }
}
