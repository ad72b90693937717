package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.record.AuditLog;
import io.maestro.runtime.RecordedCalls;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.tools.AgentTools;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The tools of a host, called over MCP through the one place where tools run. */
class RuntimeToolsTest {
    private static final ToolInvocation.Caller CALLER =
            new ToolInvocation.Caller("session", "coder-001", "042", 1, "CODING");

    private final RecordedCalls record = new RecordedCalls();
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch began = new CountDownLatch(1);

    private final AgentTools provider = new AgentTools() {
        @Override
        public List<ToolDefinition> list() {
            return List.of(
                    ToolDefinition.builder("say")
                            .description("Says it")
                            .input(schema -> schema.requiredString("text", "what"))
                            .build(),
                    ToolDefinition.builder("hang").description("Waits").build());
        }

        @Override
        public Tool get(String name) {
            return name.equals("say")
                    ? call -> ToolResult.ok("secret-1 " + call.arguments().string("text"))
                    : call -> {
                        began.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                        }
                        return ToolResult.ok("");
                    };
        }

        @Override
        public String documentation() {
            return "";
        }
    };

    @Test
    void callsAreCheckedRecordedAndFreedOfSecrets() throws Exception {
        try (ToolRuntime runtime = ToolRuntime.builder()
                        .record(record)
                        .redactor(text -> text.replace("secret-1", "***"))
                        .build();
                McpServer server = McpServer.builder(McpTools.of(runtime, provider, CALLER))
                        .build();
                TestClient client = Way.TCP.connect(server)) {
            client.begin("2025-11-25");

            ObjectNode good = Messages.call(1, "say", "{\"text\":\"hi\"}");
            ((ObjectNode) good.path("params")).putObject("_meta").put("claudecode/toolUseId", "toolu_7");
            assertThat(text(client.ask(good))).isEqualTo("*** hi");
            assertThat(text(client.ask(Messages.call(2, "say", "{\"txet\":1}"))))
                    .contains("not valid");
            assertThat(text(client.ask(Messages.call(3, "sya", "{}")))).contains("say");

            assertThat(record.rows).extracting(AuditLog.ToolExecution::callId).containsExactly("toolu_7", "2", "3");
            assertThat(record.rows.toString()).doesNotContain("secret-1").contains("coder-001");

            client.send(Messages.call(4, "hang", "{}"));
            assertThat(began.await(1, TimeUnit.MINUTES)).isTrue();
            client.send(Messages.notification("notifications/cancelled", "{\"requestId\":4}"));
            assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
            Messages.until("the record of it", () -> record.rows.size() == 4);
        }
    }

    private static String text(JsonNode answer) {
        return answer.path("result").path("content").path(0).path("text").asText();
    }
}
