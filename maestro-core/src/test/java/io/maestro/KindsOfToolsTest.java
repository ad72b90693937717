package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentTask;
import io.maestro.command.CommandTool;
import io.maestro.error.MaestroException;
import io.maestro.llm.langchain4j.LangChain4jTools;
import io.maestro.record.AuditLog;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.contract.PlayedModel;
import io.maestro.testkit.contract.PlayedModel.Said;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.typed.ToolMethod;
import io.maestro.tools.typed.TypedTools;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Annotated methods, LangChain4j's and commands of the file in the hands of agents, up to the record. */
@Timeout(120)
class KindsOfToolsTest {
    private static final String DEPLOY = """
            {"tools": {"commands": {"deploy": {
              "description": "Deploys a branch",
              "command": ["sh", "scripts/deploy.sh", "{environment}", "--tag={tag}"],
              "arguments": {
                "environment": {"type": "string", "enum": ["dev", "test"], "description": "where to"},
                "tag": {"type": "string", "description": "what to call it"}
              },
              "optional": ["tag"],
              "seconds": 20
            }}}}
            """;

    @TempDir
    Path directory;

    static final class Tracker {
        @ToolMethod(name = "ticket_count", description = "Counts tickets", readOnly = true)
        Map<String, Object> count(ToolContext context, List<String> keys) {
            return Map.of("agent", context.agentId(), "count", keys.size());
        }
    }

    static final class Library {
        @dev.langchain4j.agent.tool.Tool(name = "ticket_close", value = "Closes a ticket")
        String close(String key) {
            throw new IllegalStateException(key + " is closed, says hunter2-hunter2");
        }
    }

    private static List<ToolFactory> tools() {
        return Stream.of(TypedTools.ofMethods(new Tracker()), LangChain4jTools.of(new Library()))
                .flatMap(List::stream)
                .toList();
    }

    private MaestroBuilder builder(String repository) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository)
                .coderModel(coder())
                .architect(new Approving())
                .testCommand("sh t.sh")
                .secret("hunter2-hunter2")
                .tools(tools -> tools.discover(false));
    }

    private String repository() {
        String script = "echo \"to $1 ${2:-untagged}\"; pwd; echo from-the-workspace > deployed.txt; [ $1 != test ]";
        return TestRepository.create(directory, Map.of("t.sh", "true", "scripts/deploy.sh", script))
                .url();
    }

    private static ScriptedLlm coder() {
        return ScriptedLlm.builder("coder")
                .story(
                        "1",
                        script -> script.turn(Reply.toolCall("deploy", Map.of("environment", "dev", "tag", "-f; id")))
                                .turn(Reply.toolCall("deploy", Map.of("environment", "test")))
                                .turn(Reply.toolCall("deploy", Map.of("environment", "live")))
                                .turn(Reply.toolCall("ticket_count", Map.of("keys", List.of("a", "b"))))
                                .turn(Reply.toolCall("ticket_close", Map.of("key", "APP-1")))
                                .turn(Reply.toolCall("done", Map.of("summary", "deployed it"))))
                .build();
    }

    @Test
    void aCoderCallsEachKindAndTheRecordHoldsIt() {
        try (Maestro maestro = builder(repository())
                .config(DEPLOY)
                .tools(tools -> tools.add(tools()))
                .build()) {
            assertThat(maestro.run(Story.builder("1", "One")
                                    .content("do it")
                                    .express()
                                    .build())
                            .outcome())
                    .isEqualTo(Outcome.MERGED);
            List<AuditLog.ToolExecution> deploys = calls(maestro, "deploy");
            assertThat(deploys.get(0).result()).contains("exit code 0", "to dev --tag=-f; id", "coder-001");
            assertThat(deploys.get(0).exitCode()).isZero();
            assertThat(deploys.get(1).error()).contains("exit code 1", "to test untagged");
            assertThat(deploys.get(1).exitCode()).isEqualTo(1);
            assertThat(deploys.get(2).error()).contains("$.environment", "nothing was run");
            assertThat(calls(maestro, "ticket_count").get(0).result()).contains("\"count\":2", "coder-001");
            assertThat(calls(maestro, "ticket_close").get(0).error())
                    .contains("IllegalStateException: APP-1 is closed")
                    .doesNotContain("hunter2-hunter2");
        }
    }

    private static List<AuditLog.ToolExecution> calls(Maestro maestro, String tool) {
        return maestro.auditLog().toolExecutions("1").stream()
                .filter(call -> call.tool().equals(tool))
                .toList();
    }

    @Test
    void aCommandThatIsWrongOrTakenStopsTheBuildAndIsNamed() {
        assertThatThrownBy(() -> builder("nowhere")
                        .config(DEPLOY.replace("\"{environment}\"", "\"to {environment}\""))
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("$.tools.commands.deploy: the place of 'environment' must be a whole argument");
        assertThatThrownBy(() -> builder("nowhere")
                        .config(DEPLOY.replace("[\"tag\"]", "[\"tga\"]"))
                        .build())
                .hasMessageStartingWith("$.tools.commands.deploy: 'optional' names [tga]");
        assertThatThrownBy(() -> builder("nowhere")
                        .config(DEPLOY.replace("\"deploy\":", "\"shell\":"))
                        .build())
                .hasMessageStartingWith("$.tools.commands.shell: tool 'shell' of io.maestro.command.CommandTool in ")
                .hasMessageContaining("reserved");
        assertThatThrownBy(() -> builder("nowhere")
                        .config(DEPLOY.replace("\"enum\": [", "\"pattern\": 7, \"enum\": ["))
                        .build())
                .hasMessageStartingWith("$.tools.commands.deploy: ")
                .hasMessageContaining("its input schema is no JSON Schema");
    }

    @Test
    void anAgentAloneCallsThem() {
        PlayedModel model = asked -> switch (asked.turns()) {
            case 0 -> new Said("", "greet", Map.of("name", "you"), false);
            case 1 -> new Said("", "ticket_count", Map.of("keys", List.of()), false);
            default -> new Said("", "done", Map.of("summary", asked.last().text()), false);
        };
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .model(model.client("played"))
                .tools(tools -> tools.discover(false))
                .tools(tools -> tools.add(tools()))
                .tool(CommandTool.builder("greet", "echo", "{name}")
                        .description("Greets somebody")
                        .argument("name", io.maestro.tools.Property.string("who"))
                        .build())
                .build()) {
            assertThat(agent.run(AgentTask.of("go")).text()).contains("\"count\":0");
        }
    }
}
