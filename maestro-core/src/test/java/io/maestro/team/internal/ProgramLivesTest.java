package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import io.maestro.agent.Architect;
import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.agent.program.ProgramDriver;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.testkit.Reply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a death leaves of a program. */
class ProgramLivesTest extends ProgramBench {
    private static MortalStore.Death atResultOf(String tool) {
        return (method, arguments) -> method.equals("recordToolExecution")
                && ((AuditLog.ToolExecution) arguments[0]).tool().equals(tool);
    }

    private void die(MortalStore.Death death) {
        try (TeamBench.Life life = bench.life(store -> MortalStore.after(store, death))) {
            life.dies(TeamBench.express("042"));
        }
    }

    @Test
    void anEndThatWasAcceptedIsActedOnWithoutTheProgram() {
        ScriptedCoderMode mode = scripted(write("good"), done());
        die(atResultOf("done"));
        merged(TeamBench.express("042"));
        assertThat(mode.calls).containsExactly("open 042/1 CODING", "begin CODING", "close 042/1 CODING", "end", "end");
    }

    @Test
    void aQuestionThatWasAcceptedIsAskedAndTheAnswerReachesTheSession() {
        ScriptedCoderMode mode = scripted(ask(), write("good"), done());
        die(atResultOf("ask_question"));
        assertThat(asked).isEmpty();
        merged(TeamBench.express("042"));
        assertThat(asked.get(0)).isEqualTo(Architect.Kind.QUESTION);
        assertThat(mode.calls)
                .containsExactly(
                        "open 042/1 CODING",
                        "begin CODING",
                        "close 042/1 CODING",
                        "end",
                        "open 042/1 CODING",
                        "resume CODING",
                        "close 042/1 CODING",
                        "end");
        assertThat(mode.news.get(1)).hasSize(1).first().asString().contains("very good");
    }

    @Test
    void anEndOfAnEarlierVisitIsNone() {
        // The first done leads to tests that fail.
        ScriptedCoderMode mode = scripted(write("bad"), done(), write("good"), done());
        int[] writes = {0};
        die((method, arguments) -> atResultOf("write_file").at(method, arguments) && ++writes[0] == 2);
        StoryResult result = merged(TeamBench.express("042"));
        assertThat(result.attempt()).isEqualTo(1);
        assertThat(mode.calls.get(mode.calls.size() - 3)).isEqualTo("resume CODING");
        assertThat(mode.news.get(1)).hasSize(1);
        assertThat(mode.news.get(2))
                .containsExactly(ProgramDriver.AGAIN + mode.news.get(1).get(0));
    }

    @Test
    void anEndThatWasActedOnWithoutLeavingTheStateIsNone() {
        ScriptedCoderMode mode = firstWithWorkThatCannotBeCommitted();
        int[] calls = {0};
        die((method, arguments) -> atResultOf("shell").at(method, arguments) && ++calls[0] == 2);
        merged(TeamBench.express("042"));
        assertThat(mode.calls).containsSubsequence("end", "open 042/1 CODING", "resume CODING", "close 042/1 CODING");
        assertThat(mode.news.get(2)).first().asString().contains("Your work cannot be committed: ");
    }

    @Test
    void theSessionIsInTheRecordBeforeItIsBegun() {
        ScriptedCoderMode mode = scripted(write("good"), done());
        List<String> recorded = new ArrayList<>();
        mode.watcher = call -> {
            if (call.startsWith("begin")) {
                try (Store record = bench.record()) {
                    recorded.add(session(record, CoderState.CODING));
                }
            }
        };
        merged(TeamBench.express("042"));
        assertThat(recorded).hasSize(1).doesNotContainNull();
        assertThat(mode.disk().keySet()).containsExactlyElementsOf(recorded);
    }

    @Test
    void anotherAttemptHasAnotherSession() {
        ScriptedCoderMode mode =
                scripted(Reply.toolCall("report_blocked", Map.of("reason", "no way")), write("good"), done());
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.FAILED);
        }
        assertThat(merged(TeamBench.express("042")).attempt()).isEqualTo(2);
        assertThat(mode.disk()).hasSize(2);
        assertThat(mode.calls).doesNotContain("resume CODING");
    }

    @Test
    void whatWasUsedCountsOnceHoweverOftenItDies() {
        PlaceLlm model = new PlaceLlm()
                .calls("CODING", "list_files", "pattern", "*")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "done", "summary", "s");
        scripted(model);
        for (String tool : List.of("list_files", "write_file", "done")) {
            die(atResultOf(tool));
        }
        StoryResult result = merged(TeamBench.express("042"));
        // One answer was lost with its call, and given again: twice paid for, and twice counted.
        Usage expected = new Usage(10L * model.requests.size(), model.requests.size(), 0, 0);
        assertThat(result.usage()).isEqualTo(expected);
        try (Store record = bench.record()) {
            assertThat(record.messages("042").stream()
                            .filter(row -> row.model() != null)
                            .mapToLong(AuditLog.Message::inputTokens)
                            .sum())
                    .isEqualTo(expected.inputTokens());
            assertThat(StoryRows.result(
                                    record,
                                    (name, usage) -> Optional.empty(),
                                    record.story("042").orElseThrow())
                            .usage())
                    .isEqualTo(expected);
        }
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).usage()).isEqualTo(expected);
        }
    }

    /** A program tells its model all of a conversation with each request, and the record has it without secrets. */
    @Test
    void whatTheRecordOfAStateHasIsNotRecordedAgain() {
        bench.redactor = text -> text.replace("s3cret", "***");
        ScriptedCoderMode mode = scripted(write("bad"), write("good"), done());
        mode.watcher = call -> {
            AgentContext task = mode.tasks.get(mode.tasks.size() - 1);
            if (call.startsWith("begin")) {
                task.record("user", "[\"one ***\"]");
                task.recordOnce("user", "[\"one s3cret\"]");
                task.recordOnce("user", "[\"two\"]");
            } else if (call.startsWith("resume")) {
                task.recordOnce("user", "[\"one s3cret\"]");
                task.recordOnce("user", "[\"two\"]");
                task.recordOnce("system", "[\"two\"]");
            }
        };
        die(atResultOf("write_file"));
        merged(TeamBench.express("042"));
        assertThat(mode.calls).contains("begin CODING", "resume CODING");
        try (Store record = bench.record()) {
            assertThat(record.messages("042"))
                    .filteredOn(row -> row.content().matches("\\[\"(one|two).*"))
                    .extracting(row -> row.role() + row.content())
                    .containsExactly("user[\"one ***\"]", "user[\"two\"]", "system[\"two\"]");
        }
    }

    @Test
    void whatAModelIsToldHasAnEnd() {
        ScriptedCoderMode mode = scripted(write("good"), done());
        mode.watcher = call -> {
            if (call.startsWith("begin")) {
                AgentContext task = mode.tasks.get(mode.tasks.size() - 1);
                task.recordOnce("user", "[\"one\"]");
                task.recordOnce("user", "[\"one\"]");
                assertThatThrownBy(() -> task.recordOnce("user", "[\"two\"]"))
                        .isExactlyInstanceOf(MaestroException.class)
                        .hasMessageContaining("was told more than 20000 texts in CODING");
            }
        };
        try (TeamBench.Life life = bench.life(store -> {
            Store full = mock(Store.class, delegatesTo(store));
            doReturn(IntStream.range(1, 20_000)
                            .mapToObj(number -> new AuditLog.Message(
                                    "session",
                                    "042",
                                    1,
                                    "coder-001",
                                    "CODING/scripted",
                                    1,
                                    "user",
                                    "[" + number + "]",
                                    null,
                                    null,
                                    0,
                                    0,
                                    0,
                                    0,
                                    Instant.now()))
                            .toList())
                    .when(full)
                    .messages("042");
            return full;
        })) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    @Test
    void theNextLifeMayWorkWithoutTheProgramAndTheOneAfterWithIt() {
        ScriptedCoderMode mode = scripted(write("bad"), done());
        die(atResultOf("write_file"));
        bench.mode = null;
        PlaceLlm own = new PlaceLlm()
                .calls("CODING", "list_files", "pattern", "*")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good");
        bench.coder = own;
        die(atResultOf("write_file"));
        assertThat(own.requests.get(0).messages()).hasSize(1);
        assertThat(own.requests.get(0).system()).startsWith("You are coder-001");
        bench.mode = mode;
        merged(TeamBench.express("042"));
        assertThat(mode.calls).endsWith("resume CODING", "close 042/1 CODING", "end");
        try (Store record = bench.record()) {
            assertThat(record.messages("042").stream().map(AuditLog.Message::state))
                    .contains("CODING", "CODING/scripted");
        }
    }
}
