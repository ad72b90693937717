package io.maestro.examples.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.Maestro;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.LlmClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of the pages in {@code docs} does what they say. */
class FourInterfacesTest {
    /** Stands for an agent program: plans where it is told to plan, else writes a file. */
    private static final String PROGRAM =
            "task=$(cat); case $task in 'Change no file'*) echo Write it.;; *) echo Hello > hello.txt; echo Written.;; esac";

    @TempDir
    Path directory;

    @Test
    void anAgentUsesToolsOfAFactoryAndOfAProvider() {
        LlmClient model = ScriptedLlm.builder("scripted")
                .turn(Reply.toolCall("first", Map.of()))
                .turn(Reply.toolCall("second", Map.of()))
                .turn(Reply.toolCall("shell", Map.of("cmd", "echo Hello > hello.txt")))
                .turn(Reply.toolCall("done", Map.of("summary", "Written.")))
                .build();
        AgentResult result =
                FourInterfaces.run(directory, model, tool("first"), () -> List.of(tool("second")), "Write hello.txt.");
        assertThat(result.text()).isEqualTo("Written.");
        assertThat(result.calls()).isEqualTo(4);
        assertThat(directory.resolve("hello.txt")).hasContent("Hello");
    }

    private static ToolFactory tool(String name) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name).description("For the test").build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.ok("fine");
            }
        };
    }

    @Test
    void aCommandIsAnAgentThatWorksAlone() {
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .program(new CommandProgram("sh", "-c", PROGRAM))
                .build()) {
            AgentResult result = agent.run(AgentTask.of("Write hello.txt."));
            assertThat(result.text()).isEqualTo("Written.\n");
            assertThat(result.ending()).isEqualTo(AgentResult.Ending.COMPLETED);
        }
        assertThat(directory.resolve("hello.txt")).hasContent("Hello");
    }

    @Test
    void aCommandThatFailsSaysWhy() {
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .program(new CommandProgram("sh", "-c", "echo no licence >&2; exit 1"))
                .build()) {
            AgentResult result = agent.run(AgentTask.of("Write hello.txt."));
            assertThat(result.ending()).isEqualTo(AgentResult.Ending.STUCK);
            assertThat(result.text()).contains("no licence");
        }
    }

    @Test
    void aCommandIsACoder() {
        sh("git init --quiet --bare -b main origin.git"
                + " && git clone --quiet origin.git first 2>/dev/null && cd first && git checkout --quiet -B main"
                + " && git -c user.name=a -c user.email=a@b.c commit --quiet --allow-empty -m first"
                + " && git push --quiet origin main");
        Turn approves = Turn.any()
                .reply(Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "Good.")));
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("work"))
                .repository(directory.resolve("origin.git").toString())
                .testCommand("grep -q Hello hello.txt")
                .coderMode(new CommandProgram("sh", "-c", PROGRAM))
                .architectModel(ScriptedLlm.builder("architect")
                        .turn(approves)
                        .turn(approves)
                        .turn(approves)
                        .build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Say hello").content("In hello.txt.").build());
            assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
        }
        assertThat(sh("git -C origin.git show main:hello.txt")).isEqualTo("Hello\n");
    }

    private String sh(String line) {
        var result = LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.shell(line).build());
        assertThat(result.succeeded()).as(result.stderr().text()).isTrue();
        return result.stdout().text();
    }
}
