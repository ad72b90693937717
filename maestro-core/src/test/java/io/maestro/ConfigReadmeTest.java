package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.mcpclient.McpSource;
import io.maestro.prompt.internal.PromptTemplate;
import io.maestro.settings.Settings;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documents of this module and of maestro-docker say of configuration and prompts. */
class ConfigReadmeTest {
    /** Whose members have names of the host's. */
    private static final Set<String> NAMED = Set.of(
            "models.prices",
            "models.anthropic.headers",
            "models.openai.headers",
            "tools.limits",
            "tools.commands",
            "tools.commands.*.arguments",
            "tools.commands.*.arguments.*",
            "tools.mcp",
            "tools.mcp.*.headers",
            "container.variables",
            "container.caches");

    @TempDir
    Path directory;

    private static String document(String module) throws IOException {
        // Surefire runs in the module's directory.
        return Files.readString(
                Path.of("").toAbsolutePath().getParent().resolve(module).resolve("README.md"));
    }

    private static String example(String module) throws IOException {
        String[] parts = document(module).split("```json\n", -1);
        assertThat(parts).hasSize(2);
        return parts[1].substring(0, parts[1].indexOf("```"));
    }

    private static String example() throws IOException {
        return example("maestro-core");
    }

    @Test
    void theExampleBuilds() throws IOException {
        Files.createDirectory(directory.resolve("prompts"));
        Map<String, String> keys = Map.of(
                "ANTHROPIC_API_KEY",
                "a-key",
                "OPENAI_API_KEY",
                "o-key",
                "GATEWAY_TOKEN",
                "a-token",
                "GATEWAY_TEAM",
                "a-team",
                "DOCS_TOKEN",
                "a-docs-token",
                "DOCS_TENANT",
                "a-tenant");
        // Building would start the servers.
        ObjectNode withoutServers = (ObjectNode) new ObjectMapper().readTree(example());
        ((ObjectNode) withoutServers.get("tools")).remove("mcp");
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory)
                .config(withoutServers.toString())
                .environment(keys)
                .build()) {
            assertThat(maestro.toolProblems()).isEmpty();
        }
        Settings set = Maestro.builder()
                .config(example())
                .coderModel(ScriptedLlm.builder("own").build())
                .environment(keys)
                .settings(directory);
        assertThat(set.agents().coderModel().orElseThrow().model()).isEqualTo("own");
        assertThat(set.agents().architectModel().model()).isEqualTo("gpt-5.4");
        assertThat(set.tools().mcpSources()).extracting(McpSource::name).containsExactly("docs", "files");
    }

    @Test
    void theExampleIsComplete() throws IOException {
        Set<String> settings = ConfigEffects.leaves();
        settings.removeAll(ConfigEffects.NO_SETTING);
        settings.removeAll(ContainerSettingsTest.leaves());
        Set<String> shown = new TreeSet<>();
        collect("", new ObjectMapper().readTree(example()), shown);
        assertThat(shown).isEqualTo(settings);
    }

    @Test
    void theExampleOfContainersIsCompleteAndArrives() throws IOException {
        Set<String> shown = new TreeSet<>();
        collect("", new ObjectMapper().readTree(example("maestro-docker")), shown);
        assertThat(shown).isEqualTo(ContainerSettingsTest.leaves());
        RecordingEnvironments environments = new RecordingEnvironments();
        Maestro.builder()
                .projectDirectory(directory)
                .repository("in-code")
                .coderModel(ScriptedLlm.builder("own").build())
                .config(example("maestro-docker"))
                .environment(environments)
                .build()
                .close();
        assertThat(environments.projects.get(0).settings()).containsKeys("engine", "hosts", "compose");
    }

    private static void collect(String path, JsonNode value, Set<String> shown) {
        if (path.endsWith(".network")) {
            // One setting, however it is written.
            shown.add(path);
        } else if (value.isObject()) {
            value.properties().forEach(member -> {
                String name = NAMED.contains(path) ? "*" : member.getKey();
                collect(path.isEmpty() ? name : path + "." + name, member.getValue(), shown);
            });
        } else if (value.isArray()) {
            value.forEach(item -> collect(path + "[]", item, shown));
        } else {
            shown.add(path);
        }
    }

    @Test
    void theTableOfPromptsIsWhatThereIs() throws IOException {
        String readme = document("maestro-core");
        List<String> rows = readme.substring(readme.indexOf("| prompt | who"), readme.indexOf("## Tools"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .toList();
        assertThat(rows)
                .containsExactlyElementsOf(Arrays.stream(PromptTemplate.values())
                        .map(ConfigReadmeTest::row)
                        .toList());
    }

    private static String row(PromptTemplate prompt) {
        return "| `" + prompt.id() + "` | " + prompt.use() + " | "
                + prompt.variables().stream().map(name -> "`" + name + "`").collect(Collectors.joining(", ")) + " |";
    }
}
