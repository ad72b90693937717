package io.maestro.team.internal.spec;

import static io.maestro.team.internal.spec.SpecBench.SPEC;
import static io.maestro.team.internal.spec.SpecBench.edit;
import static io.maestro.team.internal.spec.SpecBench.giveUp;
import static io.maestro.team.internal.spec.SpecBench.submit;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.record.internal.LeaseLostException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.story.TestOutcome;
import io.maestro.team.internal.DyingStore;
import io.maestro.team.internal.dispatch.StoryDispatch;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.machine.StoppedException;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.tools.ToolDefinition;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a specification to a report, on a real repository and a real record. */
class SpecAgentTest {
    private static final Map<String, Outcome> ALL_MERGED =
            Map.of("s-01#1", Outcome.MERGED, "s-02#1", Outcome.MERGED, "s-03#1", Outcome.MERGED);

    @TempDir
    Path directory;

    private SpecBench bench;

    @BeforeEach
    void open() {
        bench = new SpecBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static ScriptedLlm model(Reply... replies) {
        ScriptedLlm.Builder script = ScriptedLlm.builder("architect");
        List.of(replies).forEach(script::turn);
        return script.build();
    }

    private SpecResult run(ScriptedLlm model, StoryDispatch dispatch) {
        SpecResult result = bench.agent(model, dispatch).run(SPEC, new StopSignal());
        model.assertFinished();
        return result;
    }

    private static List<String> outcomes(SpecResult result) {
        return result.stories().stream()
                .map(story -> story.result().storyId() + "#" + story.result().attempt() + " "
                        + story.result().outcome())
                .toList();
    }

    private static String error(SpecResult result, int story) {
        return result.stories().get(story).result().error().orElse("");
    }

    @Test
    void theStoriesAreInTheRecordWithAllThatBelongsToThem() {
        FakeStoryDispatch dispatch = bench.dispatch(ALL_MERGED);
        SpecResult result =
                run(model(submit("Last<First", "First", "Other<Last<First").usage(new Usage(1, 2, 3, 4))), dispatch);

        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
        assertThat(outcomes(result)).containsExactly("s-01#1 MERGED", "s-02#1 MERGED", "s-03#1 MERGED");
        assertThat(result.stories())
                .extracting(SpecResult.StoryReport::title)
                .containsExactly("Last", "First", "Other");
        assertThat(result.stories().get(0).result().mergeCommit()).contains("commit-of-s-01");
        assertThat(result.usage()).isEqualTo(new Usage(1, 2, 3, 4));
        assertThat(dispatch.begun).containsExactly("s-02#1", "s-01#1", "s-03#1");

        List<AuditLog.StoryRecord> rows = bench.store.storiesOf("s");
        assertThat(rows).extracting(AuditLog.StoryRecord::specId).containsOnly("s");
        assertThat(rows)
                .extracting(AuditLog.StoryRecord::dependsOn)
                .containsExactly(List.of("s-02"), List.of(), List.of("s-01", "s-02"));
        assertThat(rows.get(1).content()).isEqualTo("Do First.\n\n## Acceptance criteria\n\n- First works\n");
        assertThat(bench.events)
                .filteredOn(MaestroEvent.StorySubmitted.class::isInstance)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at")
                .contains(new MaestroEvent.StorySubmitted(
                        "s", "s-03", "architect-001", "Other", List.of("s-01", "s-02"), Instant.EPOCH))
                .hasSize(3);
        assertThat(result.toMarkdown()).contains("| s-01 | Last | MERGED | 1 | commit-of-s-01 | - |");
        assertThat(bench.store.messages("s"))
                .extracting(AuditLog.Message::state)
                .containsOnly("SCOPING");
    }

    @Test
    void theArchitectHasAShellAmongTheFilesOfTheTargetBranchWhereItIsKeptFromTheMachine() {
        bench.environments.isolates = true;
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .turn(Turn.in("SCOPING")
                        .expectingTool("shell")
                        .reply(Reply.toolCall("shell", Map.of("cmd", "pwd; ls", "cwd", "src"))))
                .turn(Turn.expecting("architect-001/src\nGreeter").reply(submit("First")))
                .build();
        run(model, bench.dispatch(ALL_MERGED));
        assertThat(bench.environments.calls).containsExactly("open architect-001", "enter architect-001 ARCHITECT");
    }

    @Test
    void theArchitectReadsTheTargetBranchAsItIsAndNothingElse() throws Exception {
        bench.repository.commit("newer", Map.of("src/New", "brand new"));
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .turn(Turn.in("SCOPING")
                        .from("architect-001")
                        .expectingSystem("the branch main")
                        .expectingTool("submit_stories")
                        .expecting("Greet everybody, in every language.")
                        .expecting("src/Greeter")
                        .expecting("only what reads", SpecAgentTest::onlyReads)
                        .reply(Reply.toolCall("list_files", Map.of("pattern", "src/*"))))
                .turn(Turn.expecting("src/New").reply(Reply.toolCall("read_file", Map.of("path", "src/New"))))
                .turn(Turn.expecting("brand new")
                        .reply(Reply.toolCall("read_file", Map.of("path", "../origin.git/config"))
                                .andToolCall("read_file", Map.of("path", ".git/config"))
                                .andToolCall("read_file", Map.of("path", "README.md", "coder_id", "coder-001"))))
                .turn(request -> {
                    assertThat(bench.architectDirectory().resolve("README.md")).exists();
                    return submit("A");
                })
                .build();
        run(model, bench.dispatch(ALL_MERGED));

        assertThat(bench.architectDirectory()).isEmptyDirectory();
        assertThat(bench.store.toolExecutions("s"))
                .extracting(call -> call.tool() + " " + (call.error() == null))
                .containsExactly(
                        "list_files true",
                        "read_file true",
                        "read_file false",
                        "read_file false",
                        "read_file false",
                        "submit_stories true");
    }

    @Test
    void theArchitectIsToldWhatTheRepositorySaysAtTheCommitThatItReads() {
        bench.repository.commit(
                "instructions",
                Map.of(
                        "AGENTS.md", "rule-of-all hunter2",
                        ".agents/skills/cut/SKILL.md", "---\ndescription: how-to-cut\n---\nguide-of-cut\n"));
        String commit = bench.repository.git("rev-parse", "main");
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .turn(Turn.in("SCOPING")
                        .expectingSystem("at commit " + commit.substring(0, 12))
                        .expectingSystem("rule-of-all ***")
                        .expectingSystem("- `cut`: how-to-cut")
                        .reply(request -> {
                            bench.repository.commit("newer", Map.of(".agents/skills/cut/SKILL.md", "newer"));
                            return Reply.toolCall("read_skill", Map.of("name", "cut"));
                        }))
                .turn(Turn.expecting("guide-of-cut").reply(submit("A")))
                .build();
        run(model, bench.dispatch(ALL_MERGED));
        assertThat(bench.store.messages("s"))
                .filteredOn(row -> row.role().equals("note"))
                .singleElement()
                .satisfies(row -> assertThat(row.content()).contains("of commit " + commit, "AGENTS.md` blob "));
    }

    private static boolean onlyReads(LlmRequest request) {
        return request.tools().stream()
                .map(ToolDefinition::name)
                .sorted()
                .toList()
                .equals(List.of(
                        "backend_info",
                        "chat_post",
                        "chat_read",
                        "list_files",
                        "read_file",
                        "search_files",
                        "submit_stories"));
    }

    @Test
    void whatIsWrongWithTheStoriesIsToldToTheModel() {
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .turn(submit("A<B", "B<A"))
                .turn(Turn.expecting("the dependencies go in a circle: 'A' -> 'B' -> 'A'")
                        .reply(submit("A<X")))
                .turn(Turn.expecting("no story of this call has the title 'X'; there are ['A']")
                        .reply(submit("A")))
                .build();
        assertThat(outcomes(run(model, bench.dispatch(ALL_MERGED)))).containsExactly("s-01#1 MERGED");
    }

    @Test
    void theArchitectIsToldWhyAStoryFailedAndRewritesIt() {
        FakeStoryDispatch dispatch = bench.dispatch(Map.of(
                "s-01#1", Outcome.NO_CHANGE,
                "s-02#1", Outcome.FAILED,
                "s-02#2", Outcome.MERGED,
                "s-03#1", Outcome.MERGED));
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .turn(submit("Unneeded", "Base", "Top<Base"))
                .turn(Turn.in("EDITING")
                        .expectingTool("story_give_up")
                        .expecting("Story s-02 has failed: Base")
                        .expecting("Attempt 1 ended as FAILED. You can have it tried again 2 more times.")
                        .expecting("because the test wants it")
                        .expecting("What you told the coder (CODE_REVIEW, NEEDS_CHANGES)")
                        .expecting("Add a test for umlauts.")
                        .expecting("Base works")
                        .expecting("It would take another story with it: s-03 Top")
                        .expecting("# The specification s: Greetings\n\nGreet everybody, in every language.")
                        .reply(Reply.toolCall("read_file", Map.of("path", "README.md"))))
                .turn(Turn.expecting("It greets.").reply(edit("Base, but better.")))
                .build();
        bench.listener = event -> {
            if (event instanceof MaestroEvent.StorySubmitted story
                    && story.storyId().equals("s-02")) {
                review("s-02");
            }
        };
        SpecResult result = run(model, dispatch);

        assertThat(outcomes(result)).containsExactly("s-01#1 NO_CHANGE", "s-02#2 MERGED", "s-03#1 MERGED");
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
        AuditLog.StoryRecord row = bench.store.story("s-02").orElseThrow();
        assertThat(row.title()).isEqualTo("Base");
        assertThat(row.content()).isEqualTo("Base, but better.\n\n## Acceptance criteria\n\n- it works now\n");
        assertThat(bench.events)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at")
                .contains(new MaestroEvent.StoryRequeued("s", "s-02", "architect-001", "Base", 2, Instant.EPOCH));
        assertThat(bench.architectDirectory()).isEmptyDirectory();
    }

    private void review(String storyId) {
        bench.store.recordEffect(new AuditLog.Effect(
                "review", "life-1", storyId, 1, "coder-001", "CODE_REVIEW", "{}", Instant.now(), null, null));
        bench.store.completeEffect(
                "review", "{\"decision\":\"NEEDS_CHANGES\",\"message\":\"Add a test for umlauts.\"}", Instant.now());
    }

    @Test
    void aStoryIsTriedAgainOnlySoOftenAndTakesWithItWhatDependsOnIt() {
        bench.retries = 1;
        FakeStoryDispatch dispatch =
                bench.dispatch(Map.of("s-01#1", Outcome.FAILED, "s-01#2", Outcome.REJECTED, "s-04#1", Outcome.MERGED));
        SpecResult result = run(model(submit("A", "B<A", "C<B", "D"), edit("better")), dispatch);

        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.INCOMPLETE);
        assertThat(outcomes(result))
                .containsExactly("s-01#2 REJECTED", "s-02#1 FAILED", "s-03#1 FAILED", "s-04#1 MERGED");
        assertThat(error(result, 0)).isEqualTo("because the test wants it");
        assertThat(error(result, 1)).isEqualTo("not begun: it depends on story s-01, which is not done");
        assertThat(error(result, 2)).isEqualTo("not begun: it depends on story s-02, which is not done");
        assertThat(dispatch.givenUp).hasSize(2);
        assertThat(dispatch.begun).containsExactlyInAnyOrder("s-01#1", "s-01#2", "s-04#1");
        assertThat(bench.events)
                .filteredOn(MaestroEvent.StoryGivenUp.class::isInstance)
                .hasSize(2);
        assertThat(bench.store.stories())
                .extracting(AuditLog.StoryRecord::state)
                .doesNotContain(CoderState.WAITING);
    }

    @Test
    void withoutRetriesTheArchitectIsNotAsked() {
        bench.retries = 0;
        SpecResult result = run(model(submit("A")), bench.dispatch(Map.of("s-01#1", Outcome.FAILED)));
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.INCOMPLETE);
        assertThat(bench.path()).doesNotContain(ArchitectState.EDITING);
    }

    @Test
    void severalFailuresAreDecidedOneAfterTheOther() {
        FakeStoryDispatch dispatch = bench.dispatch(Map.of(
                "s-01#1", Outcome.FAILED,
                "s-02#1", Outcome.REJECTED,
                "s-02#2", Outcome.FAILED,
                "s-02#3", Outcome.MERGED,
                "s-03#1", Outcome.MERGED));
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .turn(submit("A", "B", "C<B"))
                .turn(Turn.expecting("Story s-01 has failed").reply(giveUp("hopeless")))
                .turn(Turn.expecting("Attempt 1 ended as REJECTED").reply(edit("second")))
                .turn(Turn.expecting("Attempt 2 ended as FAILED. You can have it tried again 1 more times.")
                        .reply(edit("third")))
                .build();
        SpecResult result = run(model, dispatch);

        assertThat(outcomes(result)).containsExactly("s-01#1 FAILED", "s-02#3 MERGED", "s-03#1 MERGED");
        assertThat(error(result, 0)).isEqualTo("because the test wants it; the architect gave it up: hopeless");
    }

    @Test
    void anArchitectThatComesToNoDecisionLosesTheStoryAlone() {
        bench.limits.turnsPerState(2);
        ScriptedLlm model = model(
                submit("A", "B<A", "C"),
                Reply.toolCall("list_files", Map.of()),
                Reply.toolCall("list_files", Map.of("pattern", "src/*")));
        SpecResult result = run(model, bench.dispatch(Map.of("s-01#1", Outcome.FAILED, "s-03#1", Outcome.MERGED)));

        assertThat(outcomes(result)).containsExactly("s-01#1 FAILED", "s-02#1 FAILED", "s-03#1 MERGED");
        assertThat(error(result, 0)).contains("the architect came to no decision: all 2 turns are used up");
    }

    @Test
    void whatIsDoneIsNotDoneAgain() {
        SpecResult first = run(model(submit("A")), bench.dispatch(ALL_MERGED));
        int transitions = bench.transitions().size();

        assertThat(run(model(), bench.dispatch(Map.of()))).isEqualTo(first);
        assertThat(bench.transitions()).hasSize(transitions);
    }

    @Test
    void anotherTextNeedsAnotherId() {
        run(model(submit("A")), bench.dispatch(ALL_MERGED));
        SpecAgent agent = bench.agent(model(), bench.dispatch(Map.of()));
        assertThatThrownBy(() -> agent.run(
                        Spec.builder("s", "Greetings").content("Another one.").build(), new StopSignal()))
                .isInstanceOf(MaestroException.class)
                .hasMessage("specification s is known already, with another text ('Greetings'); give the new one an id"
                        + " of its own");
    }

    /** What the record does not have cannot be compared. */
    @Test
    void aSecretInTheTextMakesItNoOther() {
        Spec spec =
                Spec.builder("s", "Greetings").content("Log in with hunter2.").build();
        bench.agent(model(submit("A")), bench.dispatch(ALL_MERGED)).run(spec, new StopSignal());
        assertThat(bench.store.spec("s").orElseThrow().content()).isEqualTo("Log in with ***.");
        assertThat(bench.agent(model(), bench.dispatch(Map.of()))
                        .run(spec, new StopSignal())
                        .outcome())
                .isEqualTo(SpecResult.Outcome.COMPLETED);
    }

    @Test
    void anIdThatStoriesHaveIsRefusedBeforeAnythingIsSpent() {
        SpecAgent agent = bench.agent(model(), bench.dispatch(Map.of()));
        for (String taken : List.of("s-07", "s")) {
            bench.store.saveStory(story(taken));
            assertThatThrownBy(() -> agent.run(SPEC, new StopSignal()))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageStartingWith("there is a story " + taken + " already");
            assertThat(bench.store.specs()).isEmpty();
        }
    }

    /** A listener of a specification is told of its stories, and of no other. */
    @Test
    void itsStoriesAreKnownByTheirIds() {
        assertThat(List.of("s-01", "s-99", "s", "s-1", "s-001", "s-ab", "s.01", "t-01", "S-01"))
                .filteredOn(id -> SpecStories.isOf("s", id))
                .containsExactly("s-01", "s-99");
    }

    private static AuditLog.StoryRecord story(String id) {
        return new AuditLog.StoryRecord(
                id,
                "life-1",
                "T",
                "C",
                "APP",
                false,
                CoderState.DONE,
                1,
                null,
                null,
                null,
                null,
                "{}",
                null,
                List.of(),
                Instant.now());
    }

    @Test
    void aRepositoryThatIsNotThereEndsItWithItsName() {
        bench.url = directory.resolve("missing.git").toString();
        SpecResult result = run(model(), bench.dispatch(Map.of()));
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.FAILED);
        assertThat(result.error().orElseThrow()).startsWith("in SCOPING: ").contains("missing.git");
    }

    @Test
    void whenItIsCancelledItsStoriesAreCancelledAndTheirEndsAwaited() {
        bench.interruptOn(ArchitectState.MONITORING);
        FakeStoryDispatch dispatch = bench.dispatch(Map.of("s-01#1", Outcome.MERGED));
        SpecResult result =
                bench.agent(model(submit("A", "B", "C<B")), dispatch).run(SPEC, bench.stop);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.CANCELLED);
        assertThat(outcomes(result)).containsExactly("s-01#1 MERGED", "s-02#1 CANCELLED", "s-03#1 CANCELLED");
        assertThat(dispatch.cancelled).contains("s-02", "s-03");
        assertThat(bench.store.stories())
                .extracting(AuditLog.StoryRecord::state)
                .containsExactly(CoderState.DONE, CoderState.ERROR, CoderState.ERROR);
    }

    @Test
    void theEndsOfStoriesAreAwaitedAlthoughTheThreadIsInterrupted() {
        bench.interruptOn(ArchitectState.MONITORING);
        FakeStoryDispatch dispatch = bench.dispatch(Map.of());
        Thread architect = Thread.currentThread();
        ExecutorService coder = Executors.newSingleThreadExecutor();
        try {
            SpecResult result = bench.agent(model(submit("A")), new StoryDispatch() {
                        @Override
                        public CompletableFuture<StoryResult> watch(String storyId) {
                            return dispatch.watch(storyId);
                        }

                        @Override
                        public boolean cancel(String storyId, String why) {
                            coder.execute(() -> {
                                until(() -> architect.getState() == Thread.State.TIMED_WAITING);
                                dispatch.cancel(storyId, why);
                            });
                            return true;
                        }

                        @Override
                        public void giveUp(String storyId, String reason) {
                            dispatch.giveUp(storyId, reason);
                        }
                    })
                    .run(SPEC, bench.stop);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(error(result, 0)).isEqualTo("cancelled");
        } finally {
            coder.shutdownNow();
        }
    }

    /** As when a host cancels a story by its handle, or closes the dispatcher first. */
    @Test
    void aStoryThatIsCancelledByItselfCanBeGoneOnWith() {
        FakeStoryDispatch dispatch = bench.dispatch(Map.of("s-01#1", Outcome.CANCELLED, "s-03#1", Outcome.MERGED));
        SpecResult result = run(model(submit("A", "B<A", "C")), dispatch);
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.CANCELLED);
        assertThat(result.error().orElseThrow()).startsWith("cancelled stories: [s-01]");
        assertThat(outcomes(result)).containsExactly("s-01#1 CANCELLED", "s-02#1 FAILED", "s-03#1 MERGED");

        FakeStoryDispatch again = bench.dispatch(Map.of("s-01#2", Outcome.MERGED, "s-02#2", Outcome.MERGED));
        SpecResult second = run(model(), again);
        assertThat(second.outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
        assertThat(outcomes(second)).containsExactly("s-01#2 MERGED", "s-02#2 MERGED", "s-03#1 MERGED");
    }

    /** A dispatch with such a watch of a story. */
    private StoryDispatch dispatch(FakeStoryDispatch others, String storyId, CompletableFuture<StoryResult> watch) {
        return new StoryDispatch() {
            @Override
            public CompletableFuture<StoryResult> watch(String watched) {
                return watched.equals(storyId) ? watch : others.watch(watched);
            }

            @Override
            public boolean cancel(String cancelled, String why) {
                return others.cancel(cancelled, why);
            }

            @Override
            public void giveUp(String givenUp, String reason) {
                others.giveUp(givenUp, reason);
            }
        };
    }

    @Test
    void aStoryThatDoesNotEndEndsNoOtherOneAndIsGoneOnWith() {
        ScriptedLlm model = model(submit("A", "B"));
        for (Throwable failure : List.of(new MaestroException("on fire"), new OutOfMemoryError("on fire"))) {
            FakeStoryDispatch others = bench.dispatch(Map.of("s-01#1", Outcome.MERGED));
            SpecResult result = run(model, dispatch(others, "s-02", CompletableFuture.failedFuture(failure)));
            assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.FAILED);
            assertThat(result.error())
                    .contains("stories that have not ended: [s-02]; run the specification again to go on with them");
            assertThat(outcomes(result)).containsExactly("s-01#1 MERGED", "s-02#1 FAILED");
            assertThat(error(result, 1)).startsWith("it has not ended: ").endsWith("on fire");
            assertThat(others.cancelled).isEmpty();
        }
        SpecResult again = run(model(), bench.dispatch(Map.of("s-02#1", Outcome.MERGED)));
        assertThat(outcomes(again)).containsExactly("s-01#1 MERGED", "s-02#1 MERGED");
    }

    /** It stops the stories, too, and one of them may be seen to have stopped first. */
    @Test
    void aCloseIsNoFailureOfAStory() {
        StopSignal stop = new StopSignal();
        FakeStoryDispatch others = bench.dispatch(Map.of("s-01#1", Outcome.MERGED));
        CompletableFuture<StoryResult> stopped = new CompletableFuture<>() {
            @Override
            public StoryResult join() {
                stop.set(StopCause.CLOSED);
                return super.join();
            }
        };
        stopped.completeExceptionally(new StoppedException("story s-02", CoderState.CODING, StopCause.CLOSED));
        SpecAgent agent = bench.agent(model(submit("A", "B")), dispatch(others, "s-02", stopped));
        assertThatThrownBy(() -> agent.run(SPEC, stop)).isInstanceOf(StoppedException.class);
        assertThat(Thread.interrupted()).isTrue();
        SpecResult again = run(model(), bench.dispatch(Map.of("s-02#1", Outcome.MERGED)));
        assertThat(again.outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
        assertThat(outcomes(again)).containsExactly("s-01#1 MERGED", "s-02#1 MERGED");
    }

    @Test
    void aWatchThatIsCancelledIsACancelledStory() {
        SpecResult result = run(
                model(submit("A", "B")),
                dispatch(
                        bench.dispatch(Map.of("s-01#1", Outcome.MERGED)),
                        "s-02",
                        CompletableFuture.failedFuture(new CancellationException())));
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.CANCELLED);
        assertThat(outcomes(result)).containsExactly("s-01#1 MERGED", "s-02#1 CANCELLED");
    }

    @Test
    void whoLosesTheLeaseWritesNothingMore() {
        bench.store.beginSession(new AuditLog.Session("other", bench.repository.url(), Instant.now(), 1, null));
        bench.listener = event -> {
            if (event instanceof MaestroEvent.SpecStateChanged changed && changed.to() == ArchitectState.SCOPING) {
                assertThat(bench.store.leases().acquire(List.of(Leases.spec("s")), "other", Duration.ofHours(1)))
                        .isPresent();
            }
        };
        SpecAgent agent = bench.agent(model(submit("A")), bench.dispatch(ALL_MERGED));

        assertThatThrownBy(() -> agent.run(SPEC, new StopSignal())).isInstanceOf(LeaseLostException.class);

        assertThat(bench.store.stories()).isEmpty();
        assertThat(bench.store.spec("s").orElseThrow().state()).isEqualTo(ArchitectState.SCOPING);
        assertThat(bench.architectDirectory()).isEmptyDirectory();
    }

    @Test
    void twoSpecificationsReadOneAfterTheOther() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .story(
                        "s",
                        script -> script.turn(request -> {
                            reading.countDown();
                            await(goOn);
                            assertThat(bench.architectDirectory().resolve("README.md"))
                                    .exists();
                            return submit("A");
                        }))
                .story("t", script -> script.turn(submit("B")))
                .build();
        SpecAgent agent =
                bench.agent(model, bench.dispatch(Map.of("s-01#1", Outcome.MERGED, "t-01#1", Outcome.MERGED)));
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicReference<Thread> waiting = new AtomicReference<>();
        try {
            Future<SpecResult> first = threads.submit(() -> agent.run(SPEC, new StopSignal()));
            await(reading);
            Future<SpecResult> second = threads.submit(() -> {
                waiting.set(Thread.currentThread());
                return agent.run(
                        Spec.builder("t", "Other").content("Something else.").build(), new StopSignal());
            });
            awaitState("t", ArchitectState.SCOPING);
            // If nothing kept it from going on, it would be done, and have emptied the directory.
            until(() -> second.isDone() || waiting.get().getState() == Thread.State.WAITING);
            goOn.countDown();

            assertThat(first.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
            assertThat(second.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
            model.assertFinished();
        } finally {
            goOn.countDown();
            threads.shutdownNow();
        }
        assertThat(bench.architectDirectory()).isEmptyDirectory();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitState(String specId, ArchitectState state) {
        until(() -> bench.store.spec(specId).filter(row -> row.state() == state).isPresent());
    }

    private static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.yield();
        }
    }

    // ---- After a crash

    /** One that plans, fails, rewrites, waits for its model and gives up, and that answers a question as often as it is asked. */
    private static ScriptedLlm tireless() {
        return ScriptedLlm.builder("architect")
                .repeat(Turn.any().reply(request -> {
                    if (request.origin().state().equals("SCOPING")) {
                        return submit("A", "B<A", "C", "D<C");
                    }
                    String asked = request.messages().get(0).content().toString();
                    return asked.contains("Story s-01") ? edit("better") : giveUp("hopeless");
                }))
                .build();
    }

    private static final Map<String, Outcome> ROUGH = Map.of(
            "s-01#1", Outcome.FAILED, "s-01#2", Outcome.MERGED, "s-02#1", Outcome.MERGED, "s-03#1", Outcome.REJECTED);

    @Test
    void whereverItIsKilledTheNextLifeComesToTheSameEnd() throws Exception {
        killAtEachTransition(true);
    }

    @Test
    @Full("the short tier has each transition once, written or not; this has the other half")
    void whereverItIsKilledInTheOtherHalfTheNextLifeComesToTheSameEnd() throws Exception {
        killAtEachTransition(false);
    }

    /** Those with an even number are written before the kill and the others are not, or the other way round. */
    private void killAtEachTransition(boolean evenAreWritten) throws Exception {
        int transitions = count();
        assertThat(transitions).isEqualTo(9);
        for (int number = 1; number <= transitions; number++) {
            boolean written = (number % 2 == 0) == evenAreWritten;
            String when = number + (written ? " written" : " not written");
            Path place = Files.createDirectory(directory.resolve("killed-" + when.replace(' ', '-')));
            try (SpecBench killed = new SpecBench(place)) {
                Store dying = DyingStore.at(killed.store, number, written);
                SpecAgent first = killed.agent(tireless(), killed.dispatch(ROUGH), dying);
                assertThatThrownBy(() -> first.run(SPEC, new StopSignal()))
                        .as(when)
                        .isInstanceOf(DyingStore.KilledException.class);

                SpecResult result =
                        killed.agent(tireless(), killed.dispatch(ROUGH)).run(SPEC, new StopSignal());

                assertThat(outcomes(result))
                        .as(when)
                        .containsExactly("s-01#2 MERGED", "s-02#1 MERGED", "s-03#1 REJECTED", "s-04#1 FAILED");
                assertThat(result.outcome()).as(when).isEqualTo(SpecResult.Outcome.INCOMPLETE);
                assertThat(error(result, 3)).as(when).contains("it depends on story s-03");
                assertThat(killed.store.stories()).as(when).hasSize(4);
                assertThat(killed.transitions()).as(when).hasSize(transitions);
                assertThat(killed.architectDirectory()).isEmptyDirectory();
            }
        }
    }

    private int count() {
        SpecResult result = run(tireless(), bench.dispatch(ROUGH));
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.INCOMPLETE);
        return bench.transitions().size();
    }

    @Test
    void aHostThatWasOffHasNotWaited() {
        LlmUnavailableException down = new LlmUnavailableException("the model is down", null, null);
        SpecAgent first =
                bench.agent(model(Reply.failure(down)), bench.dispatch(Map.of()), DyingStore.at(bench.store, 2, true));
        assertThatThrownBy(() -> first.run(SPEC, new StopSignal())).isInstanceOf(DyingStore.KilledException.class);
        AuditLog.SpecRecord row = bench.store.spec("s").orElseThrow();
        assertThat(row.state()).isEqualTo(ArchitectState.SUSPEND);
        SpecProgress progress = SpecProgress.fromJson(row.data());
        bench.store.saveSpec(new AuditLog.SpecRecord(
                row.id(),
                row.sessionId(),
                row.title(),
                row.content(),
                row.state(),
                // As earlier versions have noted the beginning of an outage.
                progress.toJson().replaceFirst("}$", ",\"suspendedSince\":1,\"suspensions\":1}"),
                null,
                Instant.now()));

        bench.limits.suspendInterval(Duration.ofMillis(1));
        SpecResult result =
                run(model(Reply.failure(down), submit("A")), bench.dispatch(Map.of("s-01#1", Outcome.MERGED)));

        assertThat(bench.path())
                .startsWith(
                        ArchitectState.WAITING,
                        ArchitectState.SCOPING,
                        ArchitectState.SUSPEND,
                        ArchitectState.SCOPING,
                        ArchitectState.SUSPEND,
                        ArchitectState.SCOPING);
        assertThat(result.outcome()).as("%s", result).isEqualTo(SpecResult.Outcome.COMPLETED);
    }

    /** Killed between the end of its stories by a closing Maestro and its own. */
    @Test
    void aStoryThatADyingLifeHasCancelledIsTriedAgain() {
        SpecAgent first =
                bench.agent(model(submit("A", "B<A")), bench.dispatch(Map.of()), DyingStore.at(bench.store, 3, true));
        assertThatThrownBy(() -> first.run(SPEC, new StopSignal())).isInstanceOf(DyingStore.KilledException.class);
        assertThat(bench.store.spec("s").orElseThrow().state()).isEqualTo(ArchitectState.MONITORING);
        bench.dispatch(Map.of()).cancel("s-01", "");

        SpecResult result = run(model(), bench.dispatch(Map.of("s-01#2", Outcome.MERGED, "s-02#1", Outcome.MERGED)));

        assertThat(outcomes(result)).containsExactly("s-01#2 MERGED", "s-02#1 MERGED");
        assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
    }

    @Test
    void aStoryThatWasSeenToBeCancelledStaysSoInTheNextLife() {
        Map<String, Outcome> outcomes =
                Map.of("s-01#1", Outcome.CANCELLED, "s-02#1", Outcome.FAILED, "s-02#2", Outcome.MERGED);
        SpecAgent first =
                bench.agent(model(submit("A", "B")), bench.dispatch(outcomes), DyingStore.at(bench.store, 4, true));
        assertThatThrownBy(() -> first.run(SPEC, new StopSignal())).isInstanceOf(DyingStore.KilledException.class);
        assertThat(bench.store.spec("s").orElseThrow().state()).isEqualTo(ArchitectState.EDITING);

        SpecResult result = run(model(edit("better")), bench.dispatch(outcomes));

        assertThat(outcomes(result)).containsExactly("s-01#1 CANCELLED", "s-02#2 MERGED");
        assertThat(bench.store.story("s-01").orElseThrow().attempt()).isEqualTo(1);
    }

    /** What depends on a failure stands before it here, and has ended as a failure, too; but not by one of its own. */
    @Test
    void whatADyingLifeHasGivenUpIsNotTakenForAFailure() {
        bench.retries = 1;
        Map<String, Outcome> outcomes = Map.of("s-02#1", Outcome.FAILED, "s-02#2", Outcome.FAILED);
        SpecAgent first = bench.agent(
                model(submit("Top<Base", "Base"), edit("better")),
                bench.dispatch(outcomes),
                DyingStore.at(bench.store, 7, false));
        assertThatThrownBy(() -> first.run(SPEC, new StopSignal())).isInstanceOf(DyingStore.KilledException.class);
        assertThat(bench.store.story("s-01").orElseThrow().state()).isEqualTo(CoderState.ERROR);

        SpecResult result = run(model(), bench.dispatch(outcomes));

        assertThat(outcomes(result)).containsExactly("s-01#1 FAILED", "s-02#2 FAILED");
        assertThat(error(result, 0)).isEqualTo("not begun: it depends on story s-02, which is not done");
    }

    @Test
    void aMergeWhoseEndIsNotKnownIsNotForgottenInTheNextAttempt() {
        run(model(submit("A")), bench.dispatch(ALL_MERGED));
        AuditLog.StoryRecord row = bench.store.story("s-01").orElseThrow();
        StoryProgress progress = new StoryProgress();
        progress.published().merging();
        progress.turns().planned("the old plan");
        AuditLog.StoryRecord failed = new AuditLog.StoryRecord(
                row.id(),
                row.sessionId(),
                row.title(),
                row.content(),
                row.type(),
                true,
                CoderState.ERROR,
                3,
                "coder-002",
                "branch",
                null,
                "error",
                progress.toJson(),
                "s",
                List.of("s-00"),
                Instant.now());

        AuditLog.StoryRecord next =
                new SpecStories(bench.store, bench.leases, "life-9").nextAttempt(failed, "New", "text");

        assertThat(next.attempt()).isEqualTo(4);
        assertThat(next.state()).isEqualTo(CoderState.WAITING);
        assertThat(next.express()).isTrue();
        assertThat(next.dependsOn()).containsExactly("s-00");
        assertThat(next.data()).isEqualTo("{\"mayBeMerged\":true}");
        assertThat(next)
                .extracting(AuditLog.StoryRecord::branch, AuditLog.StoryRecord::error)
                .containsOnlyNulls();
    }

    private static StoryResult result(String id, Outcome outcome, Optional<String> error) {
        return new StoryResult(
                id,
                2,
                outcome,
                Optional.of(TestOutcome.UNTESTED),
                Optional.of("c"),
                Optional.of("b"),
                error,
                new Usage(1, 2, 3, 4),
                Optional.of(new BigDecimal("0.25")),
                Duration.ofMillis(9),
                List.of());
    }

    @Test
    void progressMakesTheRoundTrip() {
        SpecProgress progress = new SpecProgress();
        progress.begin(7);
        progress.edited("s-01");
        progress.edited("s-01");
        progress.ended(result("s-02", Outcome.MERGED, Optional.empty()));
        progress.edit(result("s-01", Outcome.REJECTED, Optional.of("no \"luck\"")));
        AuditLog.StoryRecord story =
                StoryRows.waiting(Story.builder("s-03", "T").content("C").build(), null, "s", "session");
        progress.giveUp(story, "why");
        progress.suspendIn(ArchitectState.EDITING);
        progress.ended(SpecResult.Outcome.FAILED);
        assertThat(SpecProgress.fromJson(progress.toJson()))
                .usingRecursiveComparison()
                .isEqualTo(progress);
        assertThat(SpecProgress.fromJson("{\"added_later\":1}").ended()).isEmpty();
        assertThatThrownBy(() -> SpecProgress.fromJson("null")).isInstanceOf(MaestroException.class);
        assertThatThrownBy(() -> SpecProgress.fromJson("{")).isInstanceOf(MaestroException.class);
    }

    /** Each life is killed when it asks a second time: together they have one budget. */
    @Test
    void aProcessThatIsKilledAgainAndAgainHasOneBudget() {
        bench.limits.tokensPerStory(100);
        AtomicInteger asked = new AtomicInteger();
        ScriptedLlm model = ScriptedLlm.builder("architect")
                .repeat(Turn.any()
                        .reply(request -> asked.incrementAndGet() % 2 == 1
                                ? Reply.toolCall("list_files", Map.of()).usage(new Usage(40, 0, 0, 0))
                                : Reply.failure(new StoreException("killed", null))))
                .build();
        SpecResult result = null;
        int lives = 0;
        while (result == null && lives < 10) {
            lives++;
            try {
                result = bench.agent(model, bench.dispatch(Map.of())).run(SPEC, new StopSignal());
            } catch (StoreException e) {
                assertThat(bench.store.spec("s").orElseThrow().state()).isEqualTo(ArchitectState.SCOPING);
            }
        }
        assertThat(lives).as("%s", result).isEqualTo(3);
        assertThat(result.error().orElseThrow()).contains("120 of 100 tokens are used up");
    }
}
