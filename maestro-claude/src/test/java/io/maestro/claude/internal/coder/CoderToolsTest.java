package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.tools.InputSchema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoderToolsTest {
    /** The CLI hands schemas on to its API as they are, which refuses a whole request for one of them. */
    @Test
    void theCliIsOfferedWhatItsApiTakes() {
        FakeTask task = new FakeTask();
        task.shell = InputSchema.ofMap(Map.of(
                "type",
                "object",
                "properties",
                Map.of("command", Map.of("type", "string"), "env[]", Map.of()),
                "anyOf",
                List.of(Map.of("required", List.of("command")), Map.of("required", List.of("env[]")))));
        CoderTools tools = new CoderTools(task, happening -> {}, () -> {
            throw new AssertionError("no CLI is needed for a list");
        });
        Map<String, Object> offered = tools.list().stream()
                .filter(tool -> tool.name().equals("shell"))
                .findFirst()
                .orElseThrow()
                .input()
                .asMap();
        assertThat(offered)
                .doesNotContainKey("anyOf")
                .containsEntry("properties", Map.of("command", Map.of("type", "string")));
        assertThat(offered.get("description")).asString().contains("\"anyOf\":[{\"required\":[\"command\"]}", "env[]");
    }
}
