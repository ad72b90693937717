package io.maestro.replay;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmContent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.PlaceLlm;
import io.maestro.testing.Campaign;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class ReplayTest {
    private static final String TESTS = "test \"$(cat answer.txt)\" = good";

    @TempDir
    Path directory;

    private final AtomicInteger tickets = new AtomicInteger();
    private TestRepository repository;
    private Store log;

    /** Has an effect elsewhere: each call gives another number. */
    private final class Tickets implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("ticket_open")
                    .description("Opens a ticket")
                    .input(InputSchema.empty())
                    .offeredTo(ToolAudience.CODER_CODING)
                    .build();
        }

        @Override
        public Tool create(ToolContext context) {
            return call -> ToolResult.ok("ticket " + tickets.incrementAndGet());
        }
    }

    /** Rejects the first change, and is slow to decide on the merge: others merge before it. */
    private final class Strict implements Architect {
        private int reviews;
        private int merges;

        @Override
        public String id() {
            return "strict";
        }

        @Override
        public Reply reply(Request request) {
            if (request.kind() == Kind.MERGE && ++merges == 1) {
                repository.commit("somebody else was faster", Map.of("theirs.txt", "y"));
            }
            boolean again = request.kind() == Kind.CODE_REVIEW && ++reviews == 1;
            return new Reply(
                    request.id(), again ? Decision.NEEDS_CHANGES : Decision.APPROVED, again ? "Add a note" : "Yes");
        }
    }

    private static PlaceLlm coder() {
        return new PlaceLlm()
                .calls("PLANNING", "ask_question", "question", "What?")
                .calls("PLANNING", "no_such_tool", "x", 1)
                .calls("PLANNING", "submit_plan", "plan", "p")
                .calls("CODING", "ticket_open")
                .calls("CODING", "write_file", "path", "answer.txt", "content", "bad\n")
                .says(
                        "CODING",
                        new LlmContent.ToolUse("r1", "read_file", "{\"path\":\"answer.txt\"}"),
                        new LlmContent.ToolUse("r2", "list_files", "{}"))
                .calls("CODING", "done", "summary", "wrote it")
                .calls("CODING", "shell", "cmd", "echo good > answer.txt; date > /dev/null")
                .calls("CODING", "done", "summary", "mended it")
                .calls("CODING", "shell", "cmd", "echo note > note.txt")
                .calls("CODING", "done", "summary", "with a note");
    }

    @BeforeEach
    void record() {
        repository = TestRepository.create(directory, Map.of("README.md", "x"));
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder())
                .architect(new Strict())
                .tool(new Tickets())
                .testCommand(TESTS);
        try (Maestro maestro = builder.build()) {
            StoryResult result = maestro.run(
                    Story.builder("042", "Answer").content("Write it.").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(maestro.auditLog().transitions("042"))
                    .as("others were faster")
                    .anyMatch(step -> step.from() == CoderState.AWAIT_MERGE && step.to() == CoderState.PREPARE_MERGE);
        }
        repository.commit("somebody else goes on", Map.of("other.txt", "y"));
        log = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults());
    }

    @AfterEach
    void close() {
        log.close();
    }

    private Replay.Result replayed(AuditLog from, String name) {
        return Replay.of(from, "042")
                .run(repository.url(), directory.resolve(name), builder -> builder.testCommand(TESTS));
    }

    @Test
    void aRecordedStoryGivesTheSameFilesAgainAndAgain() {
        String main = repository.git("rev-parse", "main");
        for (int i = 0; i < Campaign.number(1); i++) {
            Replay.Result result = replayed(log, "replay-" + i);
            assertThat(result.same()).as("%s", result).isTrue();
            assertThat(result.tree()).isPresent().isEqualTo(result.recordedTree());
            assertThat(result.result().outcome()).isEqualTo(StoryResult.Outcome.MERGED);
        }
        assertThat(tickets).as("no ticket was opened again").hasValue(1);
        assertThat(repository.git("rev-parse", "main")).as("it is only read").isEqualTo(main);
    }

    private AuditLog changed(String text, String other) {
        List<AuditLog.Message> messages = new ArrayList<>();
        for (AuditLog.Message row : log.messages("042")) {
            messages.add(new AuditLog.Message(
                    row.sessionId(),
                    row.storyId(),
                    row.attempt(),
                    row.agentId(),
                    row.state(),
                    row.step(),
                    row.role(),
                    row.content().replace(text, other),
                    row.model(),
                    row.stopReason(),
                    row.inputTokens(),
                    row.outputTokens(),
                    row.cacheReadTokens(),
                    row.cacheWriteTokens(),
                    row.at()));
        }
        AuditLog changed = mock(AuditLog.class, delegatesTo(log));
        doReturn(messages).when(changed).messages("042");
        return changed;
    }

    @Test
    void theFirstCallThatDiffersIsNamedWithBothSides() {
        Replay.Result result = replayed(changed("echo note > note.txt", "echo other > note.txt"), "replay");
        assertThat(result.same()).isFalse();
        assertThat(result.tree()).isPresent().isNotEqualTo(result.recordedTree());
        assertThat(result.difference().orElseThrow().toString())
                .contains("recorded: shell {\"cmd\":\"echo note > note.txt\"} in CODING")
                .contains("replayed: shell {\"cmd\":\"echo other > note.txt\"} in CODING");
    }

    @Test
    void anotherWayThanThenIsSaid() {
        Replay.Result result = Replay.of(log, "042")
                .run(repository.url(), directory.resolve("replay"), builder -> builder.testCommand("true"));
        assertThat(result.same()).isFalse();
        assertThat(result.difference().orElseThrow().toString()).contains("recorded: test {}", "exit code 1");
        assertThat(result.result().outcome()).isEqualTo(StoryResult.Outcome.FAILED);
        assertThat(result.result().error().orElseThrow()).contains("has taken another way than the recorded run");
    }

    @Test
    void anotherModelGoesOnFromAnyAnswer() {
        PlaceLlm other = new PlaceLlm()
                .inOrder()
                .calls("CODING", "shell", "cmd", "echo good > answer.txt; echo other > other.txt")
                .calls("CODING", "done", "summary", "another way");
        Replay.Result result = Replay.of(log, "042")
                .goOn(5, other, new Strict())
                .hint("Mind the other file.")
                .run(repository.url(), directory.resolve("fork"), builder -> builder.testCommand(TESTS));
        assertThat(result.result().outcome()).as("%s", result.result()).isEqualTo(StoryResult.Outcome.FAILED);
        assertThat(other.requests).isNotEmpty();
        assertThat(other.requests.get(0).messages().toString()).contains("ticket 1");
        assertThat(other.requests.get(0).system()).endsWith("\n\nMind the other file.");
        assertThat(result.difference()).isPresent();
    }

    @Test
    void whatCannotBeReplayedIsSaid() {
        assertThatThrownBy(() -> Replay.of(log, "nobody"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("there is no story nobody");
        assertThatThrownBy(() -> Replay.of(changed("x", "x"), "042").run(repository.url(), directory, builder -> {}))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("is not empty");
        assertThatThrownBy(() -> Replay.of(log, "042")
                        .run(directory.resolve("nowhere").toString(), directory.resolve("r"), builder -> {}))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("cannot clone");
        AuditLog failedOnce = mock(AuditLog.class, delegatesTo(log));
        List<AuditLog.StateTransition> steps = new ArrayList<>(log.transitions("042"));
        AuditLog.StateTransition last = steps.get(steps.size() - 1);
        steps.add(new AuditLog.StateTransition(
                last.sessionId(),
                "042",
                1,
                last.agentId(),
                CoderState.ERROR,
                CoderState.CODING,
                "reopened",
                last.at()));
        doReturn(steps).when(failedOnce).transitions("042");
        assertThatThrownBy(() -> Replay.of(failedOnce, "042"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("story 042 went on after it had failed");
        assertThatThrownBy(() -> SpecReplay.of(log, "042"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("there is no specification 042");
        assertThatThrownBy(() -> Replay.of(log, "042")
                        .hint("Mind the other file.")
                        .run(repository.url(), directory.resolve("r"), builder -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("goOn");
        assertThatThrownBy(() -> Replay.of(log, "042").goOn(-1, coder(), new Strict()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
