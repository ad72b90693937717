package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.Containers;
import io.maestro.docker.ContainersTool;
import io.maestro.docker.DockerHost;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.runtime.RecordedCalls;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.testing.Full;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** The tool {@code containers} for a program that has MCP and nothing else of Maestro. */
@RequiresEngine
@Full("RuntimeToolsTest has the way of any tool, ContainersToolTest what this one does")
class ContainersOverMcpTest {
    private static final ToolInvocation.Caller CALLER =
            new ToolInvocation.Caller("session", "coder-001", "042", 1, "CODING");

    private final ObjectMapper json = new ObjectMapper();

    @TempDir
    Path directory;

    @Test
    void aContainerIsMadeUsedAndRemoved() throws Exception {
        RecordedCalls record = new RecordedCalls();
        try (Containers containers = Containers.on(DockerHost.local())
                        .projectDirectory(directory)
                        .rules(ContainerRules.builder()
                                .image("maestro-test/busybox:latest")
                                .build())
                        .open();
                ToolRuntime runtime = ToolRuntime.builder()
                        .record(record)
                        .redactor(text -> text)
                        .build()) {
            ToolRegistry registry = ToolRegistry.builder().build();
            registry.register(ContainersTool.of(containers).build());
            ToolContext context = Mockito.mock(ToolContext.class);
            Mockito.when(context.agentId()).thenReturn("coder-001");
            Mockito.when(context.audience()).thenReturn(ToolAudience.CODER_CODING);
            AgentTools provider = registry.agentTools(context);
            try (McpServer server = McpServer.builder(McpTools.of(runtime, provider, CALLER))
                            .build();
                    TestClient client = Way.TCP.connect(server)) {
                client.begin("2025-11-25");
                assertThat(ask(client, 1, Map.of("operation", "create", "name", "one")))
                        .contains("The container 'one' is ready");
                assertThat(ask(client, 2, Map.of("operation", "exec", "container", "one", "command", "echo over mcp")))
                        .contains("exit code 0", "over mcp");
                assertThat(ask(client, 3, Map.of("operation", "exec", "container", "one")))
                        .contains("needs command");
                assertThat(ask(client, 4, Map.of("operation", "fly"))).contains("not valid", "operation");
                assertThat(ask(client, 5, Map.of("operation", "destroy", "container", "one")))
                        .contains("is removed");
            }
        }
        assertThat(record.rows).hasSize(5);
    }

    private String ask(TestClient client, int id, Map<String, ?> arguments) throws Exception {
        JsonNode answer = client.ask(Messages.call(id, "containers", json.writeValueAsString(arguments)));
        return answer.path("result").path("content").path(0).path("text").asText();
    }
}
