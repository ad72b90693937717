package io.maestro.docker.internal.compose;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.exec.Executor;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@RequiresEngine
@Timeout(300)
class ComposeToolsTest {
    private static final String AGENT = "coder-001";

    @TempDir
    Path directory;

    private ComposeFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new ComposeFixture(directory.toRealPath());
    }

    @AfterEach
    void nothingIsLeft() {
        fixture.close();
    }

    @Test
    void anAgentStartsLooksAtAndRemovesServices() throws Exception {
        fixture.write(AGENT, ".maestro/compose.yml", """
                services:
                  web:
                    image: maestro-test/busybox:latest
                    command: ["sh", "-c", "for i in 1 2 3 4 5; do echo line $$i; done; exec httpd -f -p 80"]
                    ports: ["80:80"]
                """);
        ComposeStack stack = fixture.stack(AGENT);
        AgentStacks stacks = agent -> {
            if (agent.equals(AGENT)) {
                return stack;
            }
            throw new ToolException("no stack of " + agent, null);
        };
        assertThat(call("compose_status", stacks, Map.of()).text())
                .contains("no services")
                .contains("compose_up");

        ToolResult up = call("compose_up", stacks, Map.of());
        assertThat(up.isError()).as(up.text()).isFalse();
        assertThat(up.text()).contains("- web: running").contains("ports are not published");
        assertThat(up.data().get("services").toString()).contains("service=web").contains("status=running");

        assertThat(call("compose_status", stacks, Map.of()).text()).contains("- web: running");
        assertThat(call("compose_logs", stacks, Map.of("service", "web", "lines", 2))
                        .text())
                .contains("line 4\nline 5")
                .doesNotContain("line 3");
        ToolResult missing = call("compose_logs", stacks, Map.of("service", "db"));
        assertThat(missing.isError()).isTrue();
        assertThat(missing.text()).contains("no service 'db'").contains("[web]");

        fixture.write(AGENT, "bad.yml", "services: {a: {image: x, privileged: true, network_mode: host}}");
        ToolResult refused = call("compose_up", stacks, Map.of("path", "bad.yml"));
        assertThat(refused.isError()).isTrue();
        assertThat(refused.text()).contains("services.a.privileged").contains("services.a.network_mode");
        assertThat(stack.status()).as("what ran before goes on").hasSize(1);

        assertThat(call("compose_down", stacks, Map.of()).isError()).isFalse();
        assertThat(fixture.leftovers()).isEmpty();
        assertThat(call("compose_down", stacks, Map.of()).isError()).isFalse();
    }

    @Test
    void withoutContainersTheToolsSaySo() {
        assertThatThrownBy(() -> call("compose_status", null, Map.of())).hasMessageContaining("agents in containers");
    }

    @Test
    void onlyCodersWhileCodingGetThemAndTwoOnlyRead() {
        assertThat(ComposeTools.all())
                .hasSize(4)
                .allSatisfy(factory ->
                        assertThat(factory.definition().audiences()).containsExactly(ToolAudience.CODER_CODING));
        assertThat(ComposeTools.all())
                .filteredOn(factory -> factory.definition().readOnly())
                .extracting(factory -> factory.definition().name())
                .containsExactly("compose_status", "compose_logs");
    }

    private static ToolResult call(String name, @Nullable AgentStacks stacks, Map<String, ?> arguments)
            throws Exception {
        ToolFactory factory = ComposeTools.all().stream()
                .filter(one -> one.definition().name().equals(name))
                .findFirst()
                .orElseThrow();
        Tool tool = factory.create(new StackContext(stacks));
        return tool.execute(new ToolCall("1", name, ToolArguments.of(arguments), Duration.ofMinutes(3)));
    }

    private record StackContext(@Nullable AgentStacks stacks) implements ToolContext {
        @Override
        public String agentId() {
            return AGENT;
        }

        @Override
        public Optional<String> storyId() {
            return Optional.of("story-7");
        }

        @Override
        public ToolAudience audience() {
            return ToolAudience.CODER_CODING;
        }

        @Override
        public boolean readOnly() {
            return false;
        }

        @Override
        public Executor executor() {
            throw new ToolException("none", null);
        }

        @Override
        public <T> Optional<T> service(Class<T> type) {
            return Optional.ofNullable(stacks).filter(type::isInstance).map(type::cast);
        }
    }
}
