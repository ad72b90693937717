package io.maestro;

import static io.maestro.chaos.RolePlay.call;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.chaos.RolePlay;
import io.maestro.record.AuditLog;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host's tool that calls others and uses all of its context, by coder, architect and an agent that works alone. */
class CompositeToolsTest {
    @TempDir
    Path directory;

    /** Calls of the tool, and where it was closed. */
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private final class Look implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("look")
                    .description("Looks around")
                    .readOnly()
                    .offeredTo(ToolAudience.CODER_CODING, ToolAudience.CODER_PLANNING, ToolAudience.ARCHITECT)
                    .build();
        }

        @Override
        public Tool create(ToolContext context) {
            seen.add("made for " + context.audience());
            return new Tool() {
                @Override
                public ToolResult execute(ToolCall call) throws Exception {
                    seen.add(context.attempt() + " " + context.state());
                    String read = call.tools()
                            .call("read_file", Map.of("path", "README.md"))
                            .text();
                    context.post("looked by " + context.agentId());
                    assertThat(context.network()).isEqualTo(NetworkAccess.OPEN);
                    if (context.audience() == ToolAudience.ARCHITECT) {
                        assertThatExceptionOfType(ToolException.class).isThrownBy(context::files);
                        assertThatExceptionOfType(ToolException.class).isThrownBy(context::diff);
                    } else {
                        assertThat(context.files().read("README.md", 100)).isEqualTo(read);
                        assertThat(context.diff()).contains("+++ b/x.txt", "+x");
                        if (context.readOnly()) {
                            assertThatExceptionOfType(ToolException.class)
                                    .isThrownBy(() -> context.files().write("y.txt", "y"))
                                    .withMessage("the workspace is read-only now; y.txt was not written");
                        } else {
                            context.files().write("y.txt", "y");
                        }
                    }
                    return ToolResult.ok(read);
                }

                @Override
                public void close() {
                    seen.add("closed for " + context.audience());
                }
            };
        }
    }

    @Test
    void aTeamUsesThem() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        RolePlay coder = new RolePlay(
                "coder-model",
                request -> List.of(
                        call("shell", "cmd", "echo x > x.txt"), call("look"), call("done", "summary", "wrote it")));
        RolePlay architect = new RolePlay(
                "architect-model",
                request -> List.of(call("look"), call("review_complete", "decision", "APPROVED", "feedback", "fine")));
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architectModel(architect)
                .tool(new Look())
                .testCommand("true")
                .build()) {
            Story story = Story.builder("7", "A story").content("x").express().build();

            assertThat(maestro.run(story).outcome()).isEqualTo(Outcome.MERGED);

            assertThat(maestro.auditLog().toolExecutions("7").stream()
                            .filter(row ->
                                    row.parentCallId() != null || row.tool().equals("look"))
                            .map(row -> row.agentId() + " " + row.tool() + " " + row.error() + " "
                                    + (row.parentCallId() == null
                                            ? ""
                                            : row.callId().replace(row.parentCallId(), "")))
                            .toList())
                    .containsExactly(
                            "coder-001 read_file null /1",
                            "coder-001 look null ",
                            "architect-001 read_file null /1",
                            "architect-001 look null ");
            assertThat(maestro.auditLog().chat(0, 9).stream().map(AuditLog.ChatPost::text))
                    .containsExactly("looked by coder-001", "looked by architect-001");
        }
        assertThat(seen)
                .containsExactly(
                        "made for CODER_CODING",
                        "OptionalInt[1] Optional[CODING]",
                        "made for ARCHITECT",
                        "OptionalInt[1] Optional[ANSWERING]",
                        "closed for ARCHITECT",
                        "closed for CODER_CODING");
    }

    @Test
    void anAgentThatWorksAloneHasFilesAndNoTeam() throws Exception {
        Path place = Files.createDirectories(directory.resolve("place"));
        ToolFactory notes = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("notes")
                        .description("Writes notes")
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return new Tool() {
                    @Override
                    public ToolResult execute(ToolCall call) throws Exception {
                        context.files().write("a/notes.txt", "one\n");
                        assertThat(context.attempt()).isEmpty();
                        assertThat(context.state()).isEmpty();
                        assertThatExceptionOfType(ToolException.class)
                                .isThrownBy(context::diff)
                                .withMessageContaining("has no branch to compare its work with");
                        assertThatExceptionOfType(ToolException.class)
                                .isThrownBy(() -> context.post("hi"))
                                .withMessageContaining("there is no chat for");
                        seen.add(call.tools()
                                .call("read_file", Map.of("path", "a/notes.txt"))
                                .text());
                        return ToolResult.ok("noted");
                    }

                    @Override
                    public void close() {
                        seen.add("closed");
                    }
                };
            }
        };
        RolePlay model = new RolePlay("model", request -> List.of(call("notes"), call("done", "summary", "noted")));
        try (Agent agent = Maestro.agent()
                .id("helper")
                .directory(place)
                .model(model)
                .tool(notes)
                .build()) {
            AgentResult result = agent.run(AgentTask.of("Note it"));
            assertThat(result.ending()).isEqualTo(AgentResult.Ending.COMPLETED);
            assertThat(result.calls()).as("those of the agent itself").isEqualTo(2);
            assertThat(seen).containsExactly("one\n");
        }
        assertThat(seen).containsExactly("one\n", "closed");
    }
}
