package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.spi.AgentProject;
import io.maestro.claude.ClaudeOptions;
import io.maestro.error.MaestroException;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is different where the CLI has the key itself. */
class KeyInEnvironmentTest {
    private static AgentProject project(Map<String, Object> settings) {
        return new AgentProject(
                Path.of("/projects/app"),
                "session",
                Optional.of("sonnet"),
                settings,
                Map.of("ANTHROPIC_API_KEY", "sk-ant-planted"),
                text -> text);
    }

    /** With a gateway it is asked before each request; without one nobody else would ask. */
    @Test
    void aBudgetThatIsUsedUpEndsTheWorkAfterATurn() {
        assertThat(refusedBudget(Map.of("key", "environment"))).contains("all is used up");
        assertThat(refusedBudget(Map.of())).isEmpty();
    }

    @Test
    void aHardLimitThatIsReachedEndsTheWorkAfterATurn() {
        FakeTask task = new FakeTask();
        task.refusal = new MaestroException("the hard limit is reached");
        assertThatThrownBy(() -> refusedBudget(Map.of("key", "environment"), task))
                .isSameAs(task.refusal);
        assertThat(refusedBudget(Map.of(), task)).isEmpty();
        task.refusal = null;
        assertThat(refusedBudget(Map.of("key", "environment"), task)).isEmpty();
        assertThat(task.reserved).containsOnly("sonnet 0 0");
        assertThat(task.ended).containsExactly("failed false");
    }

    private static Optional<String> refusedBudget(Map<String, Object> settings) {
        FakeTask task = new FakeTask();
        task.exceeded = "all is used up";
        return refusedBudget(settings, task);
    }

    private static Optional<String> refusedBudget(Map<String, Object> settings, FakeTask task) {
        McpTools none = new McpTools() {
            @Override
            public List<ToolDefinition> list() {
                return List.of();
            }

            @Override
            public ToolResult call(McpCall call) {
                return ToolResult.error("none");
            }
        };
        Parts parts = new Parts(task, none, () -> true, event -> {}, (role, text) -> {}, happening -> {}, () -> 50);
        EquippedCli cli = new EquippedCli(
                parts,
                ClaudeOptions.defaults().under(project(settings)),
                HttpClient.newHttpClient(),
                () -> Path.of("nowhere"));
        try {
            return cli.refusedBudget();
        } finally {
            cli.close();
        }
    }
}
