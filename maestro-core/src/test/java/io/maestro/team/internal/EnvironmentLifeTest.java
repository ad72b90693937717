package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.event.MaestroEvent;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.llm.LlmRequest;
import io.maestro.record.AuditLog;
import io.maestro.record.CallQuery;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.testing.Full;
import io.maestro.tools.ToolDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The environment of an attempt from its beginning to its end, and the image that a coder chooses in it. */
class EnvironmentLifeTest {
    private static final String A = "sha256:" + "0123456789abcdef".repeat(4);
    private static final String B = "sha256:" + "fedcba9876543210".repeat(4);

    @TempDir
    Path directory;

    private TeamBench bench;
    private final RecordingEnvironments environments = new RecordingEnvironments();
    private final Approves architect = new Approves();
    private PlaceLlm coder = new PlaceLlm();

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.environments = environments;
        bench.architect = architect;
        bench.coder = coder;
        environments.tools.add(RecordingEnvironments.updateTool());
    }

    /** What an express story says that writes a good file, with calls before it is done. */
    private PlaceLlm writes() {
        return coder.calls("CODING", "write_file", "path", "a.txt", "content", "good");
    }

    private void done() {
        coder.calls("CODING", "done", "summary", "wrote a.txt");
    }

    private StoryResult run(Story story) {
        try (TeamBench.Life life = bench.life()) {
            return life.run(story);
        }
    }

    private StoryResult merged(Story story) {
        StoryResult result = run(story);
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        return result;
    }

    private AuditLog.StoryRecord row() {
        try (Store record = bench.record()) {
            return record.story("042").orElseThrow();
        }
    }

    private List<String> path() {
        try (Store record = bench.record()) {
            return record.transitions("042").stream()
                    .map(row -> row.from() + "->" + row.to())
                    .toList();
        }
    }

    private static final class Down extends RetriableException {
        private static final long serialVersionUID = 1L;

        Down() {
            super("the engine is down", null, null);
        }
    }

    // Phases

    @Test
    void eachStateThatRunsCommandsEntersItsPhase() {
        coder.calls("PLANNING", "submit_plan", "plan", "write good");
        writes();
        done();
        merged(TeamBench.story("042"));
        assertThat(environments.calls)
                .containsExactly(
                        "leftovers",
                        "open 042/1",
                        "enter 042/1 PLANNING",
                        "enter 042/1 CODING",
                        "fresh 042/1",
                        "remove 042/1",
                        "end");
        Workplace place = environments.places.get(0);
        assertThat(place.agentId()).isEqualTo("coder-001");
        assertThat(place.directory()).isEqualTo(bench.project().resolve("coder-001"));
        assertThat(place.readable()).isEmpty();
    }

    @Test
    void aQuestionComesBackIntoThePhaseThatItWasAskedIn() {
        coder.calls("PLANNING", "ask_question", "question", "how?").calls("PLANNING", "submit_plan", "plan", "p");
        coder.calls("CODING", "ask_question", "question", "how?");
        coder.calls("CODING", "write_file", "path", "a.txt", "content", "good");
        done();
        merged(TeamBench.story("042"));
        assertThat(environments.calls("enter"))
                .containsExactly(
                        "enter 042/1 PLANNING", "enter 042/1 PLANNING", "enter 042/1 CODING", "enter 042/1 CODING");
    }

    @Test
    void whatOthersHaveMergedIsTestedOnItsOwn() {
        writes();
        done();
        bench.killedIn(CoderState.PREPARE_MERGE, TeamBench.express("042"));
        bench.repository.commit("news", Map.of("news.txt", "good news"));
        environments.calls.clear();
        merged(TeamBench.express("042"));
        assertThat(environments.calls).containsExactly("leftovers", "open 042/1", "fresh 042/1", "remove 042/1", "end");
    }

    /** The sandbox is lost under the tests: that is no failure of the tests, unless it happens every time. */
    @ParameterizedTest
    @CsvSource({"1, TESTING->CODE_REVIEW", "2, TESTING->CODING"})
    void testsWhoseSandboxIsLostAreRunAgain(int losses, String next) {
        AtomicInteger left = new AtomicInteger(losses);
        environments.executors = executor -> new Executor() {
            @Override
            public ExecResult run(ExecRequest request) {
                if (left.getAndDecrement() > 0) {
                    throw new ExecException("the container is gone", null);
                }
                return executor.run(request);
            }

            @Override
            public ExecProcess start(ExecRequest request) {
                return executor.start(request);
            }

            @Override
            public void endLeftovers() {
                executor.endLeftovers();
            }

            @Override
            public String workingDirectory() {
                return executor.workingDirectory();
            }
        };
        writes();
        done();
        done();
        merged(TeamBench.express("042"));
        assertThat(path()).containsSubsequence(next);
        if (losses == 2) {
            assertThat(coder.requests.get(2).messages().toString())
                    .contains("tests could not be run to their end: the container is gone");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CODING", "TESTING"})
    void anEngineThatIsDownIsWaitedFor(CoderState state) {
        coder.calls("PLANNING", "submit_plan", "plan", "write good");
        writes();
        done();
        if (state == CoderState.TESTING) {
            AtomicBoolean told = new AtomicBoolean();
            bench.listeners.add(event -> {
                if (event instanceof MaestroEvent.StateChanged changed
                        && changed.to() == state
                        && told.compareAndSet(false, true)) {
                    environments.fails("fresh 042/1", new Down());
                }
            });
        } else {
            environments.fails("enter 042/1 " + state, new Down(), new Down());
        }
        merged(TeamBench.story("042"));
        assertThat(path()).contains(state + "->SUSPEND", "SUSPEND->" + state).endsWith("AWAIT_MERGE->DONE");
        assertThat(environments.open()).isEmpty();
    }

    @Test
    @Full("CODING has the same way through the code")
    void anEngineThatIsDownInPlanningIsWaitedFor() {
        anEngineThatIsDownIsWaitedFor(CoderState.PLANNING);
    }

    @Test
    void anEngineThatDoesNotAnswerACommandIsWaitedForBeforeTheModelIsAskedAgain() {
        environments.commandFailures.add(new Down());
        coder.calls("CODING", "shell", "cmd", "echo x");
        writes();
        done();
        merged(TeamBench.express("042"));
        assertThat(path()).containsSubsequence("CODING->SUSPEND", "SUSPEND->CODING", "CODING->TESTING");
        assertThat(environments.calls("enter")).containsExactly("enter 042/1 CODING", "enter 042/1 CODING");
    }

    // The end

    @Test
    void aStoryThatFailsGivesItsEnvironmentBackBeforeItsResult() {
        coder.calls("CODING", "report_blocked", "reason", "no");
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.FAILED);
            assertThat(environments.calls).endsWith("enter 042/1 CODING", "remove 042/1");
        }
    }

    /** What is mounted is not pulled away. */
    @Test
    void anEnvironmentIsClosedBeforeItsWorkspaceIsEmptied() {
        writes();
        done();
        Path file = bench.project().resolve("coder-001/a.txt");
        List<Boolean> there = new CopyOnWriteArrayList<>();
        environments.watcher = call -> {
            if (call.startsWith("remove")) {
                there.add(Files.exists(file));
            }
        };
        merged(TeamBench.express("042"));
        assertThat(there).containsExactly(true);
        assertThat(file).doesNotExist();
    }

    @Test
    void anEnvironmentThatCannotBeMadeEndsTheStory() {
        environments.fails("open 042/1", new MaestroException("no space"));
        assertThat(run(TeamBench.express("042")).error().orElseThrow()).contains("in SETUP: no space");
        bench.life().close();
        assertThat(environments.openAttempts).as("it has ended").isEmpty();
        coder.calls("CODING", "done", "summary", "s");
        environments.fails("enter 042/2 CODING", new MaestroException("no such image"));
        assertThat(run(TeamBench.express("042")).error().orElseThrow()).contains("in CODING: no such image");
        assertThat(environments.open()).containsExactly("042/1");
        assertThat(environments.calls("remove")).containsExactly("remove 042/2");
    }

    @Test
    void aFailureInSetupAfterTheEnvironmentWasMadeGivesItBack() throws Exception {
        // The mark of the workspace cannot be written.
        Path marks = bench.project().resolve(".maestro/workspaces");
        bench.listeners.add(event -> {
            if (event instanceof MaestroEvent.StateChanged changed && changed.to() == CoderState.SETUP) {
                try {
                    Files.deleteIfExists(marks);
                    Files.createDirectories(marks.resolve("coder-001/in the way"));
                } catch (java.io.IOException e) {
                    throw new AssertionError(e);
                }
            }
        });
        assertThat(run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(path()).endsWith("SETUP->ERROR");
        assertThat(environments.open()).isEmpty();
    }

    @Test
    void aFailureToCloseChangesNothing() {
        writes();
        done();
        environments.fails("remove 042/1", new MaestroException("busy"));
        environments.fails("end", new MaestroException("busy, too"));
        merged(TeamBench.express("042"));
        assertThat(environments.calls).endsWith("remove 042/1", "end");
    }

    /** What removes a container hears the interrupt otherwise, and leaves it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsStoppedIsClosedUndisturbed(boolean byClose) throws Exception {
        writes();
        coder.calls("CODING", "shell", "cmd", "touch ../begun; sleep 1000");
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.express("042"), event -> {});
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!Files.exists(bench.project().resolve("begun"))) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
            if (byClose) {
                life.team.close();
                assertThatThrownBy(() -> life.end(running)).hasMessageContaining("was in CODING");
            } else {
                running.cancel();
                assertThat(life.end(running).outcome()).isEqualTo(Outcome.CANCELLED);
            }
        }
        // What was only stopped goes on in the next life.
        assertThat(environments.calls("close", "remove")).containsExactly(byClose ? "close 042/1" : "remove 042/1");
        assertThat(environments.calls).endsWith("end");
        assertThat(environments.open()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"CODING", "CODE_REVIEW"})
    void aStoryThatGoesOnHasAnEnvironmentAgain(CoderState state) {
        coder.calls("PLANNING", "submit_plan", "plan", "write good");
        writes();
        done();
        bench.killedIn(state, TeamBench.story("042"));
        environments.calls.clear();
        merged(TeamBench.story("042"));
        assertThat(environments.openAttempts).as("what this life went on with").isEqualTo(Map.of("042", 1));
        assertThat(environments.calls("open")).containsExactly("open 042/1");
        assertThat(environments.open()).isEmpty();
        String entered = state == CoderState.PLANNING ? "enter 042/1 PLANNING" : "enter 042/1 CODING";
        if (state.compareTo(CoderState.CODE_REVIEW) < 0) {
            assertThat(environments.calls("enter", "fresh"))
                    .startsWith(state == CoderState.TESTING ? "fresh 042/1" : entered);
        } else {
            assertThat(environments.calls("enter")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLANNING", "PLAN_REVIEW", "TESTING", "PREPARE_MERGE", "AWAIT_MERGE"})
    @Full("the short tier has a state that enters one and a state that does not")
    void aStoryThatGoesOnInAnotherStateHasAnEnvironmentAgain(CoderState state) {
        aStoryThatGoesOnHasAnEnvironmentAgain(state);
    }

    @Test
    void aWorkspaceThatCannotBeUsedAnyMoreIsLeftWithoutAnEnvironment() {
        writes();
        done();
        bench.killedIn(CoderState.PREPARE_MERGE, TeamBench.express("042"));
        environments.calls.clear();
        bench.losesReviewedTree("042");
        assertThat(merged(TeamBench.express("042")).attempt()).isEqualTo(2);
        assertThat(environments.calls("open", "close", "remove"))
                .containsExactly("open 042/1", "remove 042/1", "open 042/2", "remove 042/2");
    }

    // The image that a coder chooses

    @Test
    void anImageIsCheckedBeforeTheTestsShownToTheArchitectAndAdoptedWhenItIsMerged() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        environments.checks.add(new ImageCheck(true, B, "built and started"));
        List<String> tools = new CopyOnWriteArrayList<>();
        bench.listeners.add(event -> {
            if (event instanceof MaestroEvent.ToolFinished finished) {
                tools.add(finished.tool() + (finished.error() ? " failed" : ""));
            }
        });
        merged(TeamBench.express("042"));
        assertThat(environments.calls)
                .containsExactly(
                        "leftovers",
                        "open 042/1",
                        "enter 042/1 CODING",
                        "check 042/1 " + A,
                        "fresh 042/1 " + B,
                        "adopt 042/1 " + B,
                        "remove 042/1",
                        "end");
        assertThat(tools).containsExactly("write_file", "container_update", "done", "container_check", "test");
        assertThat(architect.asked)
                .filteredOn(request -> request.kind() == Architect.Kind.CODE_REVIEW)
                .singleElement()
                .satisfies(request -> assertThat(request.facts().get(Architect.Request.TEST_LOG))
                        .startsWith("container check passed: built and started\n\ntests passed"));
        try (Store record = bench.record()) {
            assertThat(record.toolExecutions("042"))
                    .filteredOn(row -> row.tool().equals("container_check"))
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.parameters()).isEqualTo("{\"image\":\"" + A + "\"}");
                        assertThat(row.result()).contains("built and started");
                        assertThat(row.state()).isEqualTo("TESTING");
                    });
        }
    }

    @Test
    void anImageThatDoesNotPassItsCheckComesBackToTheCoder() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        coder.calls("CODING", "container_update", "image", B);
        done();
        environments.checks.add(new ImageCheck(false, A, "the build fails\nno such package: gcx"));
        merged(TeamBench.express("042"));
        assertThat(environments.calls("check", "adopt"))
                .containsExactly("check 042/1 " + A, "check 042/1 " + B, "adopt 042/1 " + B);
        assertThat(path()).contains("TESTING->CODING");
        assertThat(coder.requests.get(3).messages().toString())
                .contains("The image that you have chosen by `container_update` does not pass its check. Mend that")
                .contains("no such package: gcx");
        try (Store record = bench.record()) {
            // The tests do not run on an image that nobody can use.
            assertThat(record.toolExecutions("042"))
                    .extracting(AuditLog.ToolExecution::tool)
                    .filteredOn(tool -> tool.equals("test"))
                    .hasSize(1);
            assertThat(record.calls(CallQuery.newest()
                                    .outcome(CallQuery.Outcome.FAILED)
                                    .build())
                            .rows())
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.tool()).isEqualTo("container_check");
                        assertThat(row.error()).contains("no such package: gcx");
                        assertThat(row.result()).isNull();
                    });
        }
    }

    /** In the project's own image they can be. */
    @Test
    void anImageInWhichTestsCannotBeRunComesBackToTheCoder() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        coder.calls("CODING", "container_update", "image", B);
        done();
        environments.watcher = call ->
                environments.executors = call.equals("fresh 042/1 " + A) ? WithoutPrograms::new : executor -> executor;
        merged(TeamBench.express("042"));
        assertThat(environments.calls("fresh")).containsExactly("fresh 042/1 " + A, "fresh 042/1", "fresh 042/1 " + B);
        assertThat(path()).contains("TESTING->CODING");
    }

    /** Finds no program. */
    private record WithoutPrograms(Executor executor) implements Executor {
        @Override
        public ExecResult run(ExecRequest request) {
            return executor.run(ExecRequest.command("sh", "-c", "exit 127").build());
        }

        @Override
        public ExecProcess start(ExecRequest request) {
            return executor.start(request);
        }

        @Override
        public void endLeftovers() {
            executor.endLeftovers();
        }

        @Override
        public String workingDirectory() {
            return executor.workingDirectory();
        }
    }

    @Test
    void aCheckThatFailsAgainAndAgainEndsTheStory() {
        bench.limits = Limits.builder().rounds(1);
        writes().calls("CODING", "container_update", "image", A);
        done();
        done();
        environments.checks.add(new ImageCheck(false, A, "no"));
        environments.checks.add(new ImageCheck(false, A, "still no"));
        StoryResult result = run(TeamBench.express("042"));
        assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(result.error().orElseThrow()).contains("TESTING has sent the coder back 2 times", "still no");
        assertThat(environments.calls("adopt")).isEmpty();
    }

    @Test
    void anEngineThatIsDownDuringTheCheckIsWaitedFor() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        environments.fails("check 042/1 " + A, new Down());
        merged(TeamBench.express("042"));
        assertThat(path()).contains("TESTING->SUSPEND", "SUSPEND->TESTING");
        assertThat(environments.calls("adopt")).containsExactly("adopt 042/1 " + A);
    }

    @ParameterizedTest
    @ValueSource(strings = {"error", "rolled_back", "nameless"})
    void whatDidNotComeAboutIsNotChecked(String answer) {
        writes().calls("CODING", "container_update", "image", A)
                .calls("CODING", "container_update", "image", B, "answer", answer);
        done();
        merged(TeamBench.express("042"));
        assertThat(environments.calls("check", "adopt")).isEmpty();
        StoryProgress progress = StoryProgress.fromJson(row().data());
        assertThat(progress.images().forProject()).isNull();
        assertThat(progress.images().changes()).isEqualTo(2);
    }

    @Test
    void whatOthersHaveMergedIsCheckedWithTheImage() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        coder.calls("CODING", "done", "summary", "again");
        AtomicBoolean told = new AtomicBoolean();
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "slow";
            }

            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.CODE_REVIEW && told.compareAndSet(false, true)) {
                    bench.repository.commit("news", Map.of("news.txt", "good news"));
                    environments.checks.add(new ImageCheck(false, A, "not with the news"));
                    environments.checks.add(new ImageCheck(true, B, "now it does"));
                }
                return architect.reply(request);
            }
        };
        merged(TeamBench.express("042"));
        assertThat(path()).contains("PREPARE_MERGE->CODING");
        assertThat(coder.requests.get(3).messages().toString())
                .contains("Together with yours: The image that you have chosen", "not with the news");
        assertThat(environments.calls("check", "adopt"))
                .containsExactly("check 042/1 " + A, "check 042/1 " + A, "check 042/1 " + A, "adopt 042/1 " + B);
    }

    @Test
    void anImageIsAChangeAlsoWhereNoFileIsChanged() {
        coder.calls("CODING", "container_update", "image", A);
        coder.calls("CODING", "shell", "cmd", "true");
        done();
        StoryResult result = run(TeamBench.express("042"));
        assertThat(result.outcome()).isEqualTo(Outcome.NO_CHANGE);
        assertThat(path()).contains("CODING->TESTING", "CODE_REVIEW->DONE");
        assertThat(environments.calls("check", "adopt")).containsExactly("check 042/1 " + A, "adopt 042/1 " + A);
        assertThat(architect.asked.get(0).facts().get(Architect.Request.TEST_LOG))
                .contains("has changed no file", A, "container check passed");
    }

    @Test
    void aFailureToAdoptIsNoneOfTheStory() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        environments.fails("adopt 042/1 " + A, new MaestroException("the disk is full"));
        merged(TeamBench.express("042"));
        assertThat(environments.calls).endsWith("adopt 042/1 " + A, "remove 042/1", "end");
    }

    @Test
    void whatIsNotMergedIsNotAdopted() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "no";
            }

            @Override
            public Reply reply(Request request) {
                return new Reply(
                        request.id(), request.kind() == Kind.MERGE ? Decision.REJECTED : Decision.APPROVED, "");
            }
        };
        assertThat(run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(environments.calls("adopt")).isEmpty();
    }

    // Lives that are killed

    private static MortalStore.Death atUpdate() {
        return (method, arguments) -> method.equals("recordToolExecution")
                && ((AuditLog.ToolExecution) arguments[0]).tool().equals("container_update");
    }

    private static MortalStore.Death whenKept() {
        return (method, arguments) -> method.equals("saveStory")
                && ((AuditLog.StoryRecord) arguments[0]).data().contains("newContainerImage");
    }

    /** The row of the call is there, that of the story is not: the call counts. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aChoiceOutlivesTheProcess(boolean kept) {
        writes().calls("CODING", "container_update", "image", A);
        done();
        try (TeamBench.Life life = bench.life(store -> MortalStore.after(store, kept ? whenKept() : atUpdate()))) {
            life.dies(TeamBench.express("042"));
        }
        assertThat(StoryProgress.fromJson(row().data()).images().forProject() != null)
                .isEqualTo(kept);
        environments.calls.clear();
        merged(TeamBench.express("042"));
        assertThat(environments.calls)
                .containsSubsequence(
                        "open 042/1",
                        "resume 042/1 " + A,
                        "enter 042/1 CODING",
                        "check 042/1 " + A,
                        "adopt 042/1 " + A);
    }

    @Test
    void aChoiceThatWasTakenBackJustBeforeTheDeathIsNone() {
        writes().calls("CODING", "container_update", "image", A)
                .calls("CODING", "container_update", "image", B, "answer", "rolled_back");
        done();
        int[] calls = {0};
        try (TeamBench.Life life = bench.life(store ->
                MortalStore.after(store, (method, arguments) -> atUpdate().at(method, arguments) && ++calls[0] == 2))) {
            life.dies(TeamBench.express("042"));
        }
        environments.calls.clear();
        merged(TeamBench.express("042"));
        // What ran before goes on, for this story only.
        assertThat(environments.calls("resume", "check", "adopt")).containsExactly("resume 042/1 " + A);
    }

    /** A switch is for the story only; whether it went well or not, the tool names what runs. */
    @ParameterizedTest
    @CsvSource({"'', true", "'', false", "error, true"})
    void aSwitchOutlivesTheProcess(String answer, boolean kept) {
        environments.isolates = true;
        environments.tools.add(RecordingEnvironments.switchTool());
        writes().calls("CODING", "container_switch", "image", A, "answer", answer);
        done();
        try (TeamBench.Life life = bench.life(store -> MortalStore.after(
                store,
                kept
                        ? (method, arguments) -> method.equals("saveStory")
                                && ((AuditLog.StoryRecord) arguments[0]).data().contains("currentImage")
                        : (method, arguments) -> method.equals("recordToolExecution")
                                && ((AuditLog.ToolExecution) arguments[0])
                                        .tool()
                                        .equals("container_switch")))) {
            life.dies(TeamBench.express("042"));
        }
        environments.calls.clear();
        merged(TeamBench.express("042"));
        assertThat(environments.calls("resume", "check", "adopt")).containsExactly("resume 042/1 " + A);
        assertThat(coder.requests.get(coder.requests.size() - 1).messages().toString())
                .contains("They run in a new container now, from the image that you have chosen");
    }

    /** That its commands run in a new container then is nothing that a model must be asked about again. */
    @ParameterizedTest
    @ValueSource(strings = {"assistant", "user"})
    void aTurnThatHasEndedStaysEndedInANewContainer(String last) {
        environments.isolates = true;
        writes();
        done();
        int[] messages = {0};
        try (TeamBench.Life life = bench.life(store -> MortalStore.after(
                store,
                (method, arguments) -> method.equals("recordMessage")
                        && ((AuditLog.Message) arguments[0])
                                .content()
                                .contains(last.equals("user") ? "tool_result" : "done")
                        && ((AuditLog.Message) arguments[0]).role().equals(last)
                        && ++messages[0] == (last.equals("user") ? 2 : 1)))) {
            life.dies(TeamBench.express("042"));
        }
        assertThat(coder.requests).hasSize(2);
        merged(TeamBench.express("042"));
        assertThat(coder.requests).hasSize(2);
    }

    @Test
    void aModelThatWasCutOffIsToldOfTheNewContainer() {
        environments.isolates = true;
        writes();
        done();
        try (TeamBench.Life life = bench.life(store -> MortalStore.after(
                store,
                (method, arguments) -> method.equals("recordMessage")
                        && ((AuditLog.Message) arguments[0]).role().equals("assistant")))) {
            life.dies(TeamBench.express("042"));
        }
        run(TeamBench.express("042"));
        assertThat(coder.requests).hasSize(2);
        assertThat(coder.requests.get(1).messages().toString())
                .contains("Maestro was stopped", "They run in a new container now");
    }

    /** The image that the check has built anew is not replaced by the one of the call. */
    @Test
    void whatTheCheckHasMadeOfAChoiceIsKept() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        environments.checks.add(new ImageCheck(true, B, "built anew"));
        bench.killedIn(CoderState.CODE_REVIEW, TeamBench.express("042"));
        environments.calls.clear();
        merged(TeamBench.express("042"));
        assertThat(environments.calls("resume", "check", "adopt"))
                .containsExactly("resume 042/1 " + B, "adopt 042/1 " + B);
    }

    @Test
    void aMergeIsFollowedByTheAdoptionAlsoInTheNextLife() {
        writes().calls("CODING", "container_update", "image", A);
        done();
        MortalStore.Death atEnd = MortalStore.Death.into(CoderState.DONE);
        try (TeamBench.Life life = bench.life(store -> MortalStore.before(store, atEnd))) {
            life.dies(TeamBench.express("042"));
        }
        assertThat(environments.calls("adopt")).hasSize(1);
        merged(TeamBench.express("042"));
        assertThat(environments.calls("adopt")).containsExactly("adopt 042/1 " + A, "adopt 042/1 " + A);
        assertThat(bench.repository.git("rev-list", "--count", "--merges", "main"))
                .isEqualTo("1");
    }

    /** Merged, but killed before the row, and the workspace is lost: the next attempt finds it out, and adopts. */
    @Test
    void aMergeThatIsFoundLaterIsFollowedByTheAdoption() throws Exception {
        writes().calls("CODING", "container_update", "image", A);
        done();
        bench.killedIn(CoderState.AWAIT_MERGE, TeamBench.express("042"));
        bench.repository.merge("maestro/story-042");
        Files.delete(bench.project().resolve(".maestro/workspaces/coder-001"));
        // Once more killed before it could look.
        bench.killedIn(CoderState.SETUP, TeamBench.express("042"));
        environments.calls.clear();
        StoryResult result = merged(TeamBench.express("042"));
        assertThat(result.attempt()).isEqualTo(2);
        assertThat(environments.calls)
                .containsExactly("leftovers", "open 042/2", "adopt 042/2 " + A, "remove 042/2", "end");
    }

    @Test
    void aMergeThatIsFoundAfterAnAttemptThatCouldNotLookIsFollowedByTheAdoption() throws Exception {
        writes().calls("CODING", "container_update", "image", A);
        done();
        bench.killedIn(CoderState.AWAIT_MERGE, TeamBench.express("042"));
        bench.repository.merge("maestro/story-042");
        Files.delete(bench.project().resolve(".maestro/workspaces/coder-001"));
        Path origin = directory.resolve("origin.git");
        Files.move(origin, directory.resolve("away"));
        bench.limits.suspendTime(Duration.ofMillis(1));
        assertThat(run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.FAILED);
        Files.move(directory.resolve("away"), origin);
        assertThat(merged(TeamBench.express("042")).attempt()).isEqualTo(3);
        assertThat(environments.calls("adopt")).containsExactly("adopt 042/3 " + A);
    }

    @Test
    void theChoiceOfAnAttemptThatWasNotMergedIsForgotten() throws Exception {
        writes().calls("CODING", "container_update", "image", A);
        done();
        bench.killedIn(CoderState.AWAIT_MERGE, TeamBench.express("042"));
        Files.delete(bench.project().resolve(".maestro/workspaces/coder-001"));
        bench.coder = new PlaceLlm()
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "done", "summary", "without an image");
        environments.calls.clear();
        assertThat(merged(TeamBench.express("042")).attempt()).isEqualTo(2);
        assertThat(environments.calls("resume", "check", "adopt")).isEmpty();
    }

    // The architect

    private PlaceLlm answering(String... calls) {
        PlaceLlm model = new PlaceLlm();
        for (String call : calls) {
            if (call.equals("review")) {
                model.calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine");
            } else {
                model.calls("ANSWERING", "shell", "cmd", call);
            }
        }
        bench.architect = null;
        bench.architectModel = model;
        return model;
    }

    private static List<String> offered(LlmRequest request) {
        return request.tools().stream().map(ToolDefinition::name).toList();
    }

    @Test
    void theArchitectHasAShellWhereItIsKeptFromTheMachine() {
        environments.isolates = true;
        writes();
        done();
        PlaceLlm model = answering("pwd; cat a.txt", "review", "review");
        merged(TeamBench.express("042"));
        assertThat(model.requests)
                .allSatisfy(request -> assertThat(offered(request)).contains("shell"));
        assertThat(environments.calls("open architect", "enter architect", "close architect"))
                .containsExactly("open architect-001", "enter architect-001 ARCHITECT", "close architect-001");
        assertThat(environments.calls).endsWith("close architect-001", "end");
        Workplace place = environments.places.get(1);
        assertThat(place.storyId()).isNull();
        assertThat(place.directory()).isEqualTo(bench.project().resolve("architect-001"));
        assertThat(place.readable()).hasSize(2).startsWith(bench.project().resolve("coder-001"));
        assertThat(place.readable().get(1))
                .isDirectory()
                .hasParentRaw(bench.project().resolve(".mirrors"));
        try (Store record = bench.record()) {
            assertThat(record.toolExecutions("042"))
                    .filteredOn(row ->
                            row.agentId().equals("architect-001") && row.tool().equals("shell"))
                    .singleElement()
                    .satisfies(row -> assertThat(row.result()).contains("/coder-001", "good"));
        }
    }

    @Test
    void theArchitectsEnvironmentIsMadeForItsFirstCommand() {
        environments.isolates = true;
        writes();
        done();
        answering("review", "review");
        merged(TeamBench.express("042"));
        assertThat(environments.calls("open")).containsExactly("open 042/1");
    }

    @Test
    void theArchitectHasNoShellOnTheMachineItself() {
        writes();
        done();
        PlaceLlm model = answering("touch ../oops", "review", "review");
        merged(TeamBench.express("042"));
        assertThat(model.requests)
                .allSatisfy(request -> assertThat(offered(request)).doesNotContain("shell"));
        assertThat(environments.calls("open")).containsExactly("open 042/1");
        assertThat(bench.project().resolve("oops")).doesNotExist();
    }

    @Test
    void aSandboxOfTheArchitectThatIsDownIsAnAnswer() {
        environments.isolates = true;
        environments.fails("enter architect-001 ARCHITECT", new Down());
        writes();
        done();
        PlaceLlm model = answering("true", "true", "review", "review");
        merged(TeamBench.express("042"));
        assertThat(model.requests.get(1).messages().toString()).contains("the engine is down");
        assertThat(environments.calls("open architect")).hasSize(1);
    }
}
