package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the next life makes of the workspace that a killed one has left. */
class KilledStoryTest {
    @TempDir
    Path directory;

    private TeamBench bench;
    private final Approves architect = new Approves();

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.architect = architect;
        bench.coder = coder();
    }

    private static PlaceLlm coder() {
        return new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "done", "summary", "wrote a.txt");
    }

    private Path workspace() {
        return bench.project().resolve("coder-001");
    }

    private Path mark() {
        return bench.project().resolve(".maestro/workspaces/coder-001");
    }

    private StoryResult goOn() {
        try (TeamBench.Life life = bench.life()) {
            return life.run(TeamBench.story("042"));
        }
    }

    private List<String> path() {
        try (Store record = bench.record()) {
            return record.transitions("042").stream()
                    .map(row -> row.attempt() + " " + row.from() + "->" + row.to())
                    .toList();
        }
    }

    private AuditLog.StateTransition closed() {
        try (Store record = bench.record()) {
            return record.transitions("042").stream()
                    .filter(row -> row.attempt() == 1 && row.to() == CoderState.ERROR)
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void assertMergedOnce(StoryResult result, int attempt) {
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        assertThat(result.attempt()).isEqualTo(attempt);
        // A commit of the story's branch may have two parents, too.
        assertThat(bench.repository.git("rev-list", "--count", "--merges", "--first-parent", "main"))
                .isEqualTo("1");
    }

    @Test
    void whatWaitedForItsWorkspaceStillDoes() {
        bench.environments = new RecordingEnvironments().fails("open 042/1", down(), down());
        bench.killedIn(CoderState.SUSPEND, TeamBench.express("042"));

        try (TeamBench.Life life = bench.life()) {
            assertMergedOnce(life.run(TeamBench.express("042")), 1);
        }
        assertThat(path())
                .startsWith(
                        "1 WAITING->SETUP",
                        "1 SETUP->SUSPEND",
                        "1 SUSPEND->SETUP",
                        "1 SETUP->SUSPEND",
                        "1 SUSPEND->SETUP",
                        "1 SETUP->CODING");
    }

    private static LlmUnavailableException down() {
        return new LlmUnavailableException("down", null, null);
    }

    // In the same workspace

    @ParameterizedTest
    @EnumSource(names = {"SETUP", "PLAN_REVIEW", "TESTING", "AWAIT_MERGE"})
    void aStoryGoesOnInTheStateInWhichItWasKilled(CoderState state) {
        bench.killedIn(state, TeamBench.story("042"));
        List<String> before = path();
        if (state != CoderState.SETUP) {
            assertThat(mark()).exists();
        }
        StoryResult result = goOn();
        assertMergedOnce(result, 1);
        assertThat(path())
                .startsWith(before.toArray(String[]::new))
                .containsExactly(
                        "1 WAITING->SETUP",
                        "1 SETUP->PLANNING",
                        "1 PLANNING->PLAN_REVIEW",
                        "1 PLAN_REVIEW->CODING",
                        "1 CODING->TESTING",
                        "1 TESTING->CODE_REVIEW",
                        "1 CODE_REVIEW->PREPARE_MERGE",
                        "1 PREPARE_MERGE->AWAIT_MERGE",
                        "1 AWAIT_MERGE->DONE");
        assertThat(((PlaceLlm) bench.coder).requests).hasSize(3);
        assertThat(architect.asked).hasSize(3);
        assertThat(workspace()).isEmptyDirectory();
        assertThat(mark()).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(names = {"PLANNING", "CODING", "CODE_REVIEW", "PREPARE_MERGE"})
    @Full("the short tier has every second state")
    void aStoryGoesOnInAnyOtherStateInWhichItWasKilled(CoderState state) {
        aStoryGoesOnInTheStateInWhichItWasKilled(state);
    }

    @Test
    void whatIsNotCommittedIsStillThere() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        assertThat(workspace().resolve("a.txt")).hasContent("good");
        // A command of the killed life may have written on; that, too, is work.
        Files.writeString(workspace().resolve("b.txt"), "good, too");
        assertMergedOnce(goOn(), 1);
        assertThat(bench.repository.show("main", "b.txt")).isEqualTo("good, too");
    }

    /** Done, but killed before the workspace was emptied. */
    @Test
    void theWorkspaceOfAStoryThatIsDoneIsEmptied() {
        bench.killedIn(CoderState.DONE, TeamBench.story("042"));
        assertThat(mark()).exists();
        assertThat(workspace()).isNotEmptyDirectory();
        try (TeamBench.Life life = bench.life()) {
            assertThat(workspace()).isEmptyDirectory();
            assertThat(mark()).doesNotExist();
            assertMergedOnce(life.run(TeamBench.story("042")), 1);
        }
    }

    @Test
    void theWorkspaceOfAStoryThatHasNotEndedIsNotGivenToAnother() {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.story("043")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(life.store.transitions("043"))
                    .extracting(AuditLog.StateTransition::agentId)
                    .contains("coder-002")
                    .doesNotContain("coder-001");
            assertThat(life.run(TeamBench.story("042")).attempt()).isEqualTo(1);
            assertThat(life.store.transitions("042"))
                    .extracting(AuditLog.StateTransition::agentId)
                    .containsOnly("coder-001");
        }
    }

    // Merging

    @Test
    void aMergeOfTheTargetsNewsThatWasKilledHalfWayIsUndone() throws Exception {
        bench.killedIn(CoderState.PREPARE_MERGE, TeamBench.story("042"));
        bench.repository.commit("news", Map.of("README.md", "a project with news", "news.txt", "good news"));
        Files.writeString(workspace().resolve("README.md"), "a project with ne");
        Files.writeString(workspace().resolve("a.txt"), "<<<<<<<");
        Files.writeString(workspace().resolve("half.txt"), "good half");
        assertMergedOnce(goOn(), 1);
        assertThat(path()).doesNotContain("1 PREPARE_MERGE->CODING").contains("1 PREPARE_MERGE->AWAIT_MERGE");
        assertThat(bench.repository.show("main", "README.md")).isEqualTo("a project with news");
        assertThat(bench.repository.git("ls-tree", "--name-only", "main").lines())
                .containsExactly("README.md", "a.txt", "check.sh", "news.txt");
    }

    @Test
    void aWorkspaceThatWasDisturbedBeforeTheMergeIsRestored() throws Exception {
        bench.killedIn(CoderState.AWAIT_MERGE, TeamBench.story("042"));
        Files.writeString(workspace().resolve("a.txt"), "<<<<<<<");
        // The merge conflicts now, so that the workspace is looked at again.
        bench.repository.commit("the same file", Map.of("a.txt", "good, but other"));
        ((PlaceLlm) bench.coder)
                .calls("CODING", "write_file", "path", "a.txt", "content", "good in both")
                .calls("CODING", "done", "summary", "resolved");
        // The resolution has two parents, too.
        StoryResult result = goOn();
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        assertThat(result.attempt()).isEqualTo(1);
        LlmRequest told = ((PlaceLlm) bench.coder).requests.get(3);
        assertThat(told.messages().toString()).contains("your change conflicts with theirs");
        assertThat(bench.repository.show("main", "a.txt")).isEqualTo("good in both");
    }

    /** A host's own executor may say that its service is down for a while. */
    @Test
    void aServiceThatIsDownWhileBothAreTestedDoesNotUndoWhatOthersHaveMerged() throws Exception {
        Set<String> down = new HashSet<>();
        bench.executors = workspace -> {
            LocalExecutor local = LocalExecutor.builder(workspace).build();
            return new Executor() {
                @Override
                public ExecResult run(ExecRequest request) {
                    if (Files.exists(workspace.resolve("news.txt")) && down.add("once")) {
                        throw new Down();
                    }
                    return local.run(request);
                }

                @Override
                public String workingDirectory() {
                    return local.workingDirectory();
                }
            };
        };
        bench.killedIn(CoderState.PREPARE_MERGE, TeamBench.story("042"));
        bench.repository.commit("news", Map.of("news.txt", "good news"));
        ((PlaceLlm) bench.coder).calls("CODING", "done", "summary", "nothing left");
        bench.killedIn(CoderState.SUSPEND, TeamBench.story("042"));
        assertMergedOnce(goOn(), 1);
        assertThat(bench.repository.git("ls-tree", "--name-only", "main").lines())
                .containsExactly("README.md", "a.txt", "check.sh", "news.txt");
    }

    private static final class Down extends RetriableException {
        private static final long serialVersionUID = 1L;

        Down() {
            super("the sandbox is down", null, null);
        }
    }

    // In another workspace

    private void assertBeginsAgain() {
        StoryResult result = goOn();
        assertMergedOnce(result, 2);
        assertThat(closed().reason()).isEqualTo("its process ended in TESTING, and its workspace is not here");
        assertThat(closed().from()).isEqualTo(CoderState.TESTING);
        assertThat(path()).endsWith("2 AWAIT_MERGE->DONE").contains("2 WAITING->SETUP");
        try (Store record = bench.record()) {
            assertThat(record.story("042").orElseThrow().attempt()).isEqualTo(2);
        }
    }

    @Test
    void aStoryWhoseWorkspaceHasNoMarkBeginsAgain() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        Files.delete(mark());
        assertBeginsAgain();
    }

    @Test
    void aStoryWhoseWorkspaceIsThatOfAnotherAttemptBeginsAgain() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        Files.writeString(mark(), "042 11111111-2222-3333-4444-555555555555\n");
        assertBeginsAgain();
    }

    @Test
    void aMarkThatIsNoneCountsAsMissing() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        Files.writeString(mark(), "042");
        assertBeginsAgain();
    }

    @Test
    void aStoryWhoseWorkspaceIsGoneBeginsAgain() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        delete(workspace());
        assertBeginsAgain();
    }

    @Test
    void aStoryWhoseMirrorIsGoneBeginsAgain() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        delete(bench.project().resolve(".mirrors"));
        assertBeginsAgain();
    }

    @Test
    void whatTheLostAttemptHasMergedIsNotMergedAgain() throws Exception {
        bench.killedIn(CoderState.DONE, TeamBench.story("042"));
        String merge = bench.repository.git("rev-parse", "main");
        // As if the last row had not been written.
        TeamBench other = new TeamBench(Files.createDirectory(directory.resolve("other")));
        other.architect = architect;
        other.coder = coder();
        other.killedIn(CoderState.AWAIT_MERGE, TeamBench.story("042"));
        other.repository.merge("maestro/story-042");
        delete(other.project().resolve("coder-001"));
        try (TeamBench.Life life = other.life()) {
            StoryResult result = life.run(TeamBench.story("042"));
            assertThat(result.outcome()).isEqualTo(Outcome.MERGED);
            assertThat(result.attempt()).isEqualTo(2);
            assertThat(result.mergeCommit()).contains(other.repository.git("rev-parse", "main"));
        }
        assertThat(merge).isEqualTo(bench.repository.git("rev-parse", "main"));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                file.toFile().setWritable(true);
                Files.delete(file);
            }
        }
    }

    // What the coder is told

    /** The model must hear of it each time, also when a life ended in between. */
    @ParameterizedTest
    @EnumSource(Killed.class)
    void workThatCannotBeCommittedIsSaidAsOftenAsItIsSo(Killed killed) {
        String nested = "mkdir -p sub && cd sub && git init -q . && git -c user.name=a -c user.email=a@b"
                + " commit -q --allow-empty -m x";
        PlaceLlm coder = new PlaceLlm()
                .calls("CODING", "shell", "cmd", nested)
                .calls("CODING", "done", "summary", "first")
                .calls("CODING", "done", "summary", "second")
                .calls("CODING", "shell", "cmd", "rm -rf sub; echo good > a.txt")
                .calls("CODING", "done", "summary", "third");
        bench.coder = coder;
        Story story = TeamBench.express("042");
        if (killed == Killed.YES) {
            int[] replies = {0};
            try (TeamBench.Life life = bench.life(store -> MortalStore.after(
                    store,
                    (method, arguments) -> method.equals("recordMessage")
                            && ((AuditLog.Message) arguments[0]).content().contains("tool_result")
                            && ++replies[0] == 3))) {
                life.dies(story);
            }
        }
        try (TeamBench.Life life = bench.life()) {
            assertMergedOnce(life.run(story), 1);
        }
        for (int asked = 2; asked <= 3; asked++) {
            List<LlmMessage> messages = coder.requests.get(asked).messages();
            assertThat(messages.get(messages.size() - 1).content().toString())
                    .as("request %s", asked)
                    .contains("Your work cannot be committed");
        }
    }

    private enum Killed {
        NO,
        YES
    }

    // The architect

    /** A tool that never ends, for the architect. */
    private static ToolFactory ponder(CountDownLatch begun) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("ponder")
                        .description("Thinks for ever")
                        .offeredTo(ToolAudience.ARCHITECT)
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return ToolResult.ok("");
                };
            }
        };
    }

    @Test
    void anArchitectThatWasStoppedInACallOfAToolCanBeAskedAgain() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        bench.tools.add(ponder(begun));
        bench.limits.replyTime(Architect.Kind.QUESTION, Duration.ofSeconds(2));
        bench.architect = null;
        PlaceLlm model = new PlaceLlm()
                .calls("ANSWERING", "ponder")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine");
        bench.architectModel = model;
        bench.coder = new PlaceLlm()
                .calls("PLANNING", "ask_question", "question", "how?")
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "done", "summary", "wrote a.txt");
        assertMergedOnce(goOn(), 1);
        assertThat(begun.await(0, TimeUnit.SECONDS)).isTrue();
        for (LlmRequest request : model.requests) {
            assertAnswered(request);
        }
    }

    /** As the services demand it: each call has its result in the next message. */
    private static void assertAnswered(LlmRequest request) {
        Set<String> open = new HashSet<>();
        for (LlmMessage message : request.messages()) {
            message.content().forEach(part -> {
                if (part instanceof LlmContent.ToolReply reply) {
                    open.remove(reply.toolUseId());
                }
            });
            assertThat(open).as("calls without a result").isEmpty();
            message.content().forEach(part -> {
                if (part instanceof LlmContent.ToolUse use) {
                    open.add(use.id());
                }
            });
        }
    }

    // Others in the same directory

    @Test
    void theEndOfAStoryThatWaitsDoesNotCloseTheWorkspaceOfTheOneAtWork() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.story("042"));
        Files.delete(mark());
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch reviewing = new CountDownLatch(1);
        bench.architect = null;
        PlaceLlm model = new PlaceLlm()
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine")
                .calls("ANSWERING", "get_diff")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine");
        bench.architectModel = new Waiting(model, 1, reviewing, cancelled);
        try (TeamBench.Life life = bench.life()) {
            RunningStory atWork = life.team.submit(TeamBench.story("043"), event -> {});
            assertThat(reviewing.await(60, TimeUnit.SECONDS)).isTrue();
            RunningStory waiting = life.team.submit(TeamBench.story("042"), event -> {});
            waiting.cancel();
            assertThat(life.end(waiting).outcome()).isEqualTo(Outcome.CANCELLED);
            cancelled.countDown();
            assertThat(life.end(atWork).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(life.store.toolExecutions("043"))
                    .filteredOn(row -> row.tool().equals("get_diff"))
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.error()).isNull();
                        assertThat(row.result()).contains("a.txt");
                    });
        }
    }

    /** Waits before it gives the answer with this number, from 0. */
    private record Waiting(PlaceLlm inner, int number, CountDownLatch reached, CountDownLatch go) implements LlmClient {
        @Override
        public LlmResponse complete(LlmRequest request) {
            if (inner.requests.size() == number) {
                reached.countDown();
                try {
                    assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return inner.complete(request);
        }

        @Override
        public String model() {
            return inner.model();
        }
    }
}
