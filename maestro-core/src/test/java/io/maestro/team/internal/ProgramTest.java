package io.maestro.team.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.coder.CoderMode;
import io.maestro.coder.CoderTask;
import io.maestro.coder.CoderWork;
import io.maestro.coder.ScriptedCoderMode;
import io.maestro.environment.Equipment;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.Usage;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.ToolDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in the place of the coders' model: what it is given, when it is ended, and what a death leaves of it. */
class ProgramTest {
    @TempDir
    Path directory;

    private TeamBench bench;
    private final RecordingEnvironments environments = new RecordingEnvironments();
    private final List<Architect.Kind> asked = new ArrayList<>();

    @BeforeEach
    void bench() {
        bench = new TeamBench(directory);
        bench.environments = environments;
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "architect";
            }

            @Override
            public Reply reply(Request request) {
                asked.add(request.kind());
                return new Reply(request.id(), Decision.APPROVED, request.kind() == Kind.QUESTION ? "very good" : "");
            }
        };
    }

    private ScriptedCoderMode scripted(LlmClient model) {
        ScriptedCoderMode mode = new ScriptedCoderMode(model);
        bench.mode = mode;
        return mode;
    }

    private ScriptedCoderMode scripted(Reply... replies) {
        ScriptedLlm.Builder script = ScriptedLlm.builder("coder");
        for (Reply reply : replies) {
            script.turn(reply);
        }
        return scripted(script.build());
    }

    private Path subdirectory(String name) {
        try {
            return Files.createDirectory(directory.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Reply write(String content) {
        return Reply.toolCall("write_file", Map.of("path", "a.txt", "content", content));
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "wrote it"));
    }

    private static Reply ask() {
        return Reply.toolCall("ask_question", Map.of("question", "how good?"));
    }

    private StoryResult merged(Story story) {
        try (TeamBench.Life life = bench.life()) {
            StoryResult result = life.run(story);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            return result;
        }
    }

    // What it is given

    @Test
    void whatIsToBeDoneAndByWhatTools() {
        ScriptedCoderMode mode = scripted(
                Reply.toolCall("todos_add", Map.of("todos", List.of("first this"))),
                Reply.toolCall("submit_plan", Map.of("plan", "write good")),
                write("good"),
                done());
        List<String> seen = new ArrayList<>();
        mode.watcher = call -> {
            if (call.startsWith("begin")) {
                CoderTask task = mode.tasks.get(mode.tasks.size() - 1);
                seen.add(task.instructions());
                seen.add(task.assignment());
                assertThat(task.environment().executor()).isNotNull();
                assertThat(task.limits().reminders()).isEqualTo(3);
                assertThat(task.agentId() + task.storyId() + task.attempt()).isEqualTo("coder-0010421");
                assertThat(task.unread()).isEmpty();
                assertThat(task.movesCoder("container_switch")).isFalse();
                assertThatThrownBy(() -> task.record("system", "[]")).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> task.prompt("coder-dancing", Map.of())).isInstanceOf(MaestroException.class);
            }
        };
        merged(TeamBench.story("042"));
        assertThat(mode.calls)
                .containsExactly(
                        "open 042/1 PLANNING",
                        "begin PLANNING",
                        "close 042/1 PLANNING",
                        "open 042/1 CODING",
                        "begin CODING",
                        "close 042/1 CODING",
                        "end");
        assertThat(seen).hasSize(4);
        assertThat(seen.get(0))
                .contains("coder-001", "mcp__maestro__submit_plan")
                .doesNotContain("{{");
        assertThat(seen.get(1)).contains("# Story 042", "Make it good.").doesNotContain("write good");
        assertThat(seen.get(2)).contains("mcp__maestro__done", "maestro/story-042", "main");
        assertThat(seen.get(3)).contains("# The approved plan", "write good", "first this");
        assertThat(mode.tasks.get(0).tools())
                .extracting(ToolDefinition::name)
                .contains("submit_plan", "read_file")
                .doesNotContain("done", "write_file");
        assertThat(mode.tasks.get(1).tools())
                .extracting(ToolDefinition::name)
                .contains("done", "write_file")
                .doesNotContain("submit_plan");
    }

    @Test
    void coderAndNotArchitectHasTheEquipment() {
        scripted(write("good"), done()).equipment = new Equipment(true, Optional.empty(), true);
        merged(TeamBench.express("042"));
        assertThat(environments.places)
                .hasSize(1)
                .allSatisfy(place -> assertThat(place.equipment().keepsState()).isTrue());

        TeamBench other = new TeamBench(subdirectory("other"));
        RecordingEnvironments isolating = new RecordingEnvironments();
        isolating.isolates = true;
        other.environments = isolating;
        other.architectModel = new PlaceLlm()
                .calls("ANSWERING", "shell", "cmd", "true")
                .calls("ANSWERING", "review_complete", "decision", "REJECTED", "feedback", "no");
        ScriptedCoderMode mode = new ScriptedCoderMode(
                ScriptedLlm.builder("coder").turn(write("good")).turn(done()).build());
        mode.equipment = new Equipment(true, Optional.empty(), false);
        other.mode = mode;
        try (TeamBench.Life life = other.life()) {
            life.run(TeamBench.express("042"));
        }
        assertThat(isolating.places).hasSize(2);
        assertThat(isolating.places)
                .allSatisfy(place -> assertThat(place.equipment().keepsState()).isEqualTo(place.storyId() != null));
    }

    @Test
    void theChatIsReadOnce() throws Exception {
        ScriptedCoderMode mode = scripted(write("bad"), write("good"), done());
        try (TeamBench.Life life = bench.life()) {
            mode.watcher = call -> {
                if (call.startsWith("begin")) {
                    life.store.post(
                            new Store.ChatPost(0, "life-1", null, "host", "the port is 8080", java.time.Instant.now()));
                }
            };
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(mode.said(session(life.store, CoderState.CODING))).containsOnlyOnce("the port is 8080");
        }
    }

    private static String session(Store store, CoderState state) {
        return StoryProgress.fromJson(store.story("042").orElseThrow().data())
                .sessions
                .get(state);
    }

    // When it is ended

    @Test
    void aQuestionHoldsItAndItsEnvironmentEndsAfterIt() {
        ScriptedCoderMode mode = scripted(ask(), write("good"), done());
        environments.watcher = mode.calls::add;
        merged(TeamBench.express("042"));
        assertThat(mode.calls)
                .containsExactly(
                        "leftovers",
                        "open 042/1",
                        "enter 042/1 CODING",
                        "open 042/1 CODING",
                        "begin CODING",
                        "enter 042/1 CODING",
                        "close 042/1 CODING",
                        "enter 042/1 CODING",
                        "close 042/1",
                        "end",
                        "end");
        assertThat(mode.news).hasSize(2);
        assertThat(mode.news.get(1)).hasSize(1).first().asString().contains("how good?", "very good");
    }

    @Test
    void oneThatIsHeldIsEndedBeforeTheEnvironmentOfAStoryThatEnds() {
        ScriptedCoderMode mode = scripted(ask());
        environments.watcher = mode.calls::add;
        bench.architect = new RejectingArchitect();
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.REJECTED);
        }
        assertThat(mode.calls)
                .containsSubsequence("begin CODING", "close 042/1 CODING", "close 042/1", "end", "end")
                .containsOnlyOnce("close 042/1 CODING");
    }

    private static final class RejectingArchitect implements Architect {
        @Override
        public String id() {
            return "no";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.REJECTED, "no");
        }
    }

    @Test
    void aContainerIsReplacedWhileItIsNotRunning() {
        environments.isolates = true;
        environments.tools.add(RecordingEnvironments.switchTool());
        ScriptedCoderMode mode =
                scripted(Reply.toolCall("container_switch", Map.of("image", "sha256:1")), write("good"), done());
        merged(TeamBench.express("042"));
        assertThat(mode.calls).containsSubsequence("begin CODING", "ended for container_switch", "resume CODING");
        assertThat(mode.tasks.get(0).instructions())
                .contains("`container_switch`", "You run in that container yourself");
        try (Store record = bench.record()) {
            assertThat(mode.said(session(record, CoderState.CODING)))
                    .contains("You called `container_switch`", "chosen sha256:1");
            assertThat(StoryProgress.fromJson(record.story("042").orElseThrow().data()).currentImage)
                    .isEqualTo("sha256:1");
        }
    }

    @Test
    void whatIsDownSuspendsAndTheSessionGoesOn() {
        AtomicInteger visits = new AtomicInteger();
        ScriptedLlm model = ScriptedLlm.builder("coder")
                .turn(write("bad"))
                .turn(Reply.failure(new RetriableException("the api is down", null, null)))
                .turn(write("good"))
                .turn(done())
                .build();
        ScriptedCoderMode mode = scripted(model);
        mode.watcher = call -> visits.addAndGet(call.startsWith("open") ? 1 : 0);
        merged(TeamBench.express("042"));
        assertThat(mode.calls)
                .containsExactly(
                        "open 042/1 CODING",
                        "begin CODING",
                        "close 042/1 CODING",
                        "open 042/1 CODING",
                        "resume CODING",
                        "close 042/1 CODING",
                        "end");
        assertThat(visits).hasValue(2);
    }

    // Turns

    /** A mode of one visit. */
    private void visits(Visiting visit) {
        bench.mode = new CoderMode() {
            @Override
            public CoderWork open(CoderTask task) {
                return new CoderWork() {
                    @Override
                    public Outcome work(List<String> news) {
                        return visit.work(task);
                    }

                    @Override
                    public void close() {}
                };
            }

            @Override
            public void close() {}
        };
    }

    private interface Visiting {
        CoderWork.Outcome work(CoderTask task);
    }

    private StoryResult result() {
        try (TeamBench.Life life = bench.life()) {
            return life.run(TeamBench.express("042"));
        }
    }

    @Test
    void nothingRunsAfterTheEndOfATurn() {
        List<CoderTask.Call> calls = new ArrayList<>();
        visits(task -> {
            calls.add(task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}"));
            calls.add(task.call("2", "done", "{}"));
            calls.add(task.call("3", "done", "{\"summary\": \"s\"}"));
            calls.add(task.call("4", "write_file", "{\"path\": \"a.txt\", \"content\": \"bad\"}"));
            calls.add(task.call("5", "done", "{\"summary\": \"s\"}"));
            return new CoderWork.Outcome.Signalled(calls.get(2).ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(calls).extracting(call -> call.result().isError()).containsExactly(false, true, false, true, true);
        assertThat(calls).extracting(call -> call.ends().isPresent()).containsExactly(false, false, true, false, false);
        assertThat(calls.get(3).result().text()).isEqualTo("not run: your turn ended with done");
        try (Store record = bench.record()) {
            assertThat(record.toolExecutions("042").stream()
                            .filter(row -> row.agentId().equals("coder-001")
                                    && row.state().equals("CODING"))
                            .map(Store.ToolExecution::callId))
                    .containsExactly("1", "2", "3");
        }
    }

    @Test
    void anAcceptedEndCountsAlthoughTheProgramFailsAfterIt() {
        for (RuntimeException failure : List.of(
                new MaestroException("exit 1"),
                new RetriableException("gone", null, null),
                new IllegalStateException())) {
            bench = new TeamBench(subdirectory(failure.getClass().getSimpleName()));
            bench.architect = new Approves();
            visits(task -> {
                task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
                task.call("2", "done", "{\"summary\": \"s\"}");
                throw failure;
            });
            assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    @Test
    void anEndThatNoCallHasSentIsNone() {
        visits(task -> new CoderWork.Outcome.Signalled(
                new io.maestro.tools.ToolSignal("done", Map.of("summary", "trust me"))));
        assertThat(result().error().orElseThrow()).contains("no call of a terminal tool was accepted");
    }

    @Test
    void aProgramThatIsStuckFails() {
        visits(task -> new CoderWork.Outcome.Stuck("stalled twice; look at its log"));
        assertThat(result().error().orElseThrow()).isEqualTo("in CODING: stalled twice; look at its log");
    }

    @Test
    void anOutageIsWaitedForAndNotThePrograms() {
        AtomicInteger visits = new AtomicInteger();
        environments.commandFailures.add(new RetriableException("the engine is down", null, null));
        visits(task -> {
            if (visits.incrementAndGet() == 1) {
                assertThat(task.call("0", "shell", "{\"cmd\": \"true\"}")
                                .result()
                                .isError())
                        .isTrue();
                return new CoderWork.Outcome.Stuck("every call fails");
            }
            task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
            return new CoderWork.Outcome.Signalled(
                    task.call("2", "done", "{\"summary\": \"s\"}").ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(visits).hasValue(2);
    }

    @Test
    void aBudgetThatIsUsedUpIsReviewedWithTheFacts() {
        AtomicInteger visits = new AtomicInteger();
        bench.limits.tokensPerStory(100);
        Approves architect = new Approves();
        bench.architect = architect;
        visits(task -> {
            if (visits.incrementAndGet() == 1) {
                assertThat(task.exceeded()).isEmpty();
                task.call("0", "list_files", "{}");
                task.used("claude-sonnet-5", new Usage(90, 10, 0, 0));
                return new CoderWork.Outcome.OverBudget(task.exceeded().orElseThrow());
            }
            assertThat(task.exceeded()).isEmpty();
            task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
            return new CoderWork.Outcome.Signalled(
                    task.call("2", "done", "{\"summary\": \"s\"}").ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(architect.asked.get(0).facts().get(Architect.Request.BUDGET))
                .contains("100 of 100 tokens are used up", "calls of tools: 1", "- list_files");
    }

    private ScriptedCoderMode firstWithWorkThatCannotBeCommitted() {
        return scripted(
                Reply.toolCall(
                        "shell",
                        Map.of(
                                "cmd",
                                "git init -q sub && cd sub && git -c user.name=a -c user.email=b@c"
                                        + " commit -q --allow-empty -m x")),
                done(),
                Reply.toolCall("shell", Map.of("cmd", "rm -rf sub; echo good > a.txt")),
                done());
    }

    @Test
    void workThatCannotBeCommittedGoesBackToTheProgram() {
        ScriptedCoderMode mode = firstWithWorkThatCannotBeCommitted();
        merged(TeamBench.express("042"));
        assertThat(mode.calls).containsSubsequence("begin CODING", "close 042/1 CODING", "resume CODING");
        assertThat(mode.news.get(1)).first().asString().startsWith("Your work cannot be committed: ");
    }

    @Test
    void cancellingEndsIt() throws Exception {
        ScriptedCoderMode mode = scripted(Reply.toolCall("shell", Map.of("cmd", "sleep 1000")), done());
        try (TeamBench.Life life = bench.life()) {
            Ticket ticket = life.team.submit(TeamBench.express("042"));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (life.store.messages("042").isEmpty()) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(5);
            }
            ticket.cancel();
            assertThat(life.end(ticket).outcome()).isEqualTo(Outcome.CANCELLED);
        }
        assertThat(mode.calls).endsWith("close 042/1 CODING", "end");
    }

    // Other lives

    private static MortalStore.Death atResultOf(String tool) {
        return (method, arguments) -> method.equals("recordToolExecution")
                && ((Store.ToolExecution) arguments[0]).tool().equals(tool);
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
                .containsExactly(ProgramThinking.AGAIN + mode.news.get(1).get(0));
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
                            .mapToLong(Store.Message::inputTokens)
                            .sum())
                    .isEqualTo(expected.inputTokens());
            assertThat(KnownStory.result(
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
            assertThat(record.messages("042").stream().map(Store.Message::state))
                    .contains("CODING", "CODING/scripted");
        }
    }
}
