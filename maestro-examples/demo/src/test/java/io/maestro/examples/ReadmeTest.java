package io.maestro.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.ArchitectTransitions;
import io.maestro.agent.CoderTransitions;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.internal.compose.ComposeTools;
import io.maestro.docker.internal.tools.ContainerTools;
import io.maestro.tools.ToolFactory;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Code, tables and diagrams in the documents are those of the build. */
class ReadmeTest {
    private static final Pattern COPY = Pattern.compile("(?s)<!-- copied from (\\S+) -->\\n```java\\n(.*?)```");

    private static final Pattern VERSION =
            Pattern.compile("<artifactId>([\\w.-]+)</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern PROPERTY = Pattern.compile("<([\\w.-]+\\.version)>([^<]+)</");

    /** Settings of groups that the builder has as its own, and what reads the file. */
    private static final Set<String> FLAT = Set.of(
            "agents.architectModel",
            "agents.coderMode",
            "agents.coderModel",
            "agents.maxCoders",
            "commands.test",
            "git.repository",
            "git.under",
            "people.architect");

    private static final Set<String> FLAT_OF_DOCKER =
            Set.of("container.limits", "engines.host", "images.dockerfile", "images.image");
    private static final Set<String> FLAT_OF_CLAUDE = Set.of(
            "options.apiKey",
            "options.baseUrl",
            "options.hostProgram",
            "options.model",
            "options.program",
            "options.under");

    /** Surefire runs in the module's directory. */
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    @Test
    void everySnippetIsTheCodeThatItIsCopiedFrom() throws IOException {
        int count = 0;
        for (Map.Entry<String, String> document : new Documents(ROOT).all().entrySet()) {
            Matcher copy = COPY.matcher(document.getValue());
            int inThis = 0;
            while (copy.find()) {
                inThis++;
                String source = Files.readString(ROOT.resolve(copy.group(1)));
                assertThat(unindented(source))
                        .as(document.getKey() + ": " + copy.group(1))
                        .contains(unindented(copy.group(2)));
            }
            assertThat(document.getValue().split("```java", -1))
                    .as("every snippet of %s says what it is copied from", document.getKey())
                    .hasSize(inThis + 1);
            count += inThis;
        }
        assertThat(count).as("snippets").isGreaterThanOrEqualTo(16);
    }

    @Test
    void theVersionsAreThoseOfTheBuild() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        Map<String, String> properties = new HashMap<>();
        PROPERTY.matcher(pom).results().forEach(found -> properties.put("${" + found.group(1) + "}", found.group(2)));
        Map<String, String> build = new HashMap<>(Map.of(
                "sqlite-jdbc", properties.get("${sqlite-jdbc.version}"),
                "slf4j-simple", properties.get("${slf4j.version}")));
        VERSION.matcher(pom)
                .results()
                .forEach(found -> build.put(found.group(1), properties.getOrDefault(found.group(2), found.group(2))));
        Map<String, String> named = new HashMap<>();
        for (String text : new Documents(ROOT).all().values()) {
            VERSION.matcher(text)
                    .results()
                    .filter(found -> build.containsKey(found.group(1)))
                    .forEach(found -> named.put(found.group(1), found.group(2)));
        }
        assertThat(named)
                .containsKeys(
                        "maestro", "sqlite-jdbc", "slf4j-simple", "maven-compiler-plugin", "maven-surefire-plugin")
                .allSatisfy(
                        (artifact, version) -> assertThat(version).as(artifact).isEqualTo(build.get(artifact)));
        assertThat(Files.readString(ROOT.resolve("maestro-examples/spring-boot/README.md")))
                .contains("Spring Boot " + properties.get("${spring-boot.version}"));
    }

    /** Cases of a test with parameters are counted by nobody before it runs. */
    @Test
    void theTableOfContractsCountsTheirTests() throws Exception {
        Matcher row = Pattern.compile("(?m)^\\|.*`(\\w+Contract)`.* (\\d+) \\|$")
                .matcher(Files.readString(ROOT.resolve("maestro-testkit/README.md")));
        int rows = 0;
        while (row.find()) {
            rows++;
            List<Method> methods = List.of(
                    Class.forName("io.maestro.testkit.contract." + row.group(1)).getDeclaredMethods());
            long tests = methods.stream()
                    .filter(method -> method.isAnnotationPresent(Test.class))
                    .count();
            if (methods.stream().noneMatch(method -> method.isAnnotationPresent(ParameterizedTest.class))) {
                assertThat(row.group(2)).as(row.group(1)).isEqualTo(Long.toString(tests));
            } else {
                assertThat(Long.parseLong(row.group(2))).as(row.group(1)).isGreaterThan(tests);
            }
        }
        assertThat(rows).isEqualTo(5);
    }

    @Test
    void theTablesOfSettingsAreTheBuilders() throws IOException {
        assertThat(named(table("core", "| setting |", "## Configuration"), 1))
                .isEqualTo(settings(MaestroBuilder.class, FLAT));
        assertThat(named(table("docker", "| in code |", "All of it may be left out"), 1))
                .isEqualTo(settings(DockerEnvironments.Builder.class, FLAT_OF_DOCKER));
        assertThat(named(table("claude", "| in code |", "**Models**"), 1))
                .isEqualTo(settings(ClaudeCodeMode.Builder.class, FLAT_OF_CLAUDE));
    }

    @Test
    void theTableOfSettingsOfClaudeCodeIsTheSchema() throws IOException {
        Set<String> keys = new TreeSet<>();
        new ObjectMapper()
                .readTree(Maestro.configSchema())
                .at("/properties/claude_code/properties")
                .fieldNames()
                .forEachRemaining(keys::add);
        assertThat(named(table("claude", "| in code |", "**Models**"), 2)).isEqualTo(keys);
    }

    private static String table(String module, String from, String to) throws IOException {
        String readme = Files.readString(ROOT.resolve("maestro-" + module + "/README.md"));
        return readme.substring(readme.indexOf(from), readme.indexOf(to));
    }

    /** The names in a column. */
    private static Set<String> named(String table, int column) {
        return table.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|")[column])
                .flatMap(cell -> Pattern.compile("`([\\w.]+)`").matcher(cell).results())
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What a builder sets, itself and by its groups. */
    private static Set<String> settings(Class<?> builder, Set<String> flat) {
        Set<String> settings = new TreeSet<>();
        for (Method method : builder.getDeclaredMethods()) {
            if (!Modifier.isPublic(method.getModifiers())
                    || Set.of("build", "check").contains(method.getName())) {
                continue;
            }
            if (method.getGenericParameterTypes()[0] instanceof ParameterizedType group
                    && group.getRawType() == UnaryOperator.class) {
                Class<?> options = (Class<?>) group.getActualTypeArguments()[0];
                Arrays.stream(options.getDeclaredMethods())
                        .filter(setter -> Modifier.isPublic(setter.getModifiers())
                                && setter.getReturnType() == options
                                && setter.getParameterCount() > 0)
                        .map(setter -> method.getName() + "." + setter.getName())
                        .filter(setter -> !flat.contains(setter))
                        .forEach(settings::add);
            } else {
                settings.add(method.getName());
            }
        }
        return settings;
    }

    @Test
    void theTableOfToolsIsWhatComesWithMaestro() throws IOException {
        String readme = Files.readString(ROOT.resolve("maestro-core/README.md"));
        List<String> rows = readme.substring(
                        readme.indexOf("| tool | arguments"), readme.indexOf("## Git, credentials"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(ToolTable::checked)
                .toList();
        assertThat(rows)
                .as("rows of the table of tools, each without its remark")
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(BuiltinTools.all(), BuiltinTools.web(true, (query, limit) -> List.of()))
                                .flatMap(List::stream)
                                .map(factory -> ToolTable.row(factory.definition(), "core"))
                                .toList());
    }

    @Test
    void theTableOfContainerToolsIsWhatComesWithDocker() throws IOException {
        String readme = Files.readString(ROOT.resolve("maestro-docker/README.md"));
        List<String> rows = readme.substring(readme.indexOf("| container tool |"), readme.indexOf("## Compose"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(ToolTable::checked)
                .toList();
        List<ToolFactory> tools = new ArrayList<>(ContainerTools.all(Duration.ofMinutes(10), "name"));
        tools.addAll(ComposeTools.all(Duration.ofMinutes(3)));
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(tools.stream()
                        .map(tool -> ToolTable.row(tool.definition(), "docker"))
                        .toList());
    }

    @Test
    void theDiagramsAreTheTablesOfTransitions() throws IOException {
        String readme = Files.readString(ROOT.resolve("maestro-core/README.md"));
        Map<String, String> tables = Map.of(
                "CoderTransitions", CoderTransitions.toMermaid(),
                "ArchitectTransitions", ArchitectTransitions.toMermaid());
        tables.forEach((table, diagram) -> {
            String drawn = "<!-- drawn from " + table + " -->\n```mermaid\n" + diagram + "```\n";
            assertThat(readme)
                    .as(
                            "the diagram of %s; to refresh it, put this into maestro-core/README.md in its place:%n%n%s",
                            table, drawn)
                    .contains(drawn);
        });
        assertThat(readme.split("```mermaid", -1))
                .as("every diagram says what it is drawn from")
                .hasSize(tables.size() + 1);
    }

    @Test
    void noDiagramIsDrawnByHand() {
        new Documents(ROOT)
                .all()
                .forEach((document, text) -> assertThat(text.split("```mermaid", -1))
                        .as(document)
                        .hasSize(text.split("<!-- drawn from ", -1).length));
    }

    private static String unindented(String code) {
        return code.replaceAll("(?m)^\\s+", "");
    }
}
