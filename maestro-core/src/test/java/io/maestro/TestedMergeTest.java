package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.story.TestOutcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every commit that gets into the target branch was tested, on the target branch as it was then. */
@Timeout(120)
class TestedMergeTest {
    /** Fails where both files are. */
    private static final String TESTS = "if test -f a.txt && test -f b.txt; then echo BROKEN TOGETHER; exit 1; fi";

    @TempDir
    Path directory;

    private TestRepository repository;

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    private static ScriptedLlm.Builder writes(ScriptedLlm.Builder model, String story, String file) {
        return model.story(
                story,
                script -> script.turn(write(file)).turn(Reply.toolCall("done", Map.of("summary", "wrote " + file))));
    }

    private static Reply write(String file) {
        return Reply.toolCall("write_file", Map.of("path", file, "content", "x"));
    }

    private MaestroBuilder builder(String project, ScriptedLlm coder, Architect architect) {
        return Maestro.builder()
                .projectDirectory(directory.resolve(project))
                .repository(repository.url())
                .coderModel(coder)
                .architect(architect)
                .testCommand("sh t.sh")
                .tools(tools -> tools.discover(false));
    }

    private void create() {
        repository = TestRepository.create(directory, Map.of("t.sh", TESTS));
    }

    private static List<Integer> tests(Maestro maestro, String story) {
        return maestro.auditLog().toolExecutions(story).stream()
                .filter(call -> call.tool().equals("test"))
                .map(AuditLog.ToolExecution::exitCode)
                .toList();
    }

    /** Somebody merges a file while the architect decides on the merge for the first time. */
    private final class Overtaken extends Approving {
        final List<Request> merges = new CopyOnWriteArrayList<>();
        private final String theirs;

        Overtaken(String theirs) {
            this.theirs = theirs;
        }

        @Override
        public Reply reply(Request request) {
            if (request.kind() == Kind.MERGE) {
                if (merges.isEmpty()) {
                    repository.commit("theirs", Map.of(theirs, "x"));
                }
                merges.add(request);
            }
            return super.reply(request);
        }
    }

    @Test
    void aTargetThatMovesDuringTheDecisionIsTestedWithTheChangeAndTheArchitectAskedOnce() {
        create();
        Overtaken architect = new Overtaken("c.txt");
        try (Maestro maestro = builder(
                        "project",
                        writes(ScriptedLlm.builder("coder"), "1", "b.txt").build(),
                        architect)
                .build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(tests(maestro, "1")).containsExactly(0, 0);
            assertThat(architect.merges).hasSize(1);
            assertThat(repository.git("ls-tree", "--name-only", "main")).isEqualTo("b.txt\nc.txt\nt.sh");
            // The second parent is the commit that was tested.
            assertThat(repository.git("rev-parse", "main^{tree}"))
                    .isEqualTo(repository.git("rev-parse", "main^2^{tree}"));
        }
    }

    /** What the architect has agreed to had passed its tests. */
    @ParameterizedTest
    @CsvSource({
        "'all:', UNTESTED",
        "'test:\n\t@echo \"=== RUN TestOld\"; echo \"--- FAIL: TestOld (0.00s)\"; exit 1\n', FAILED_BEFORE"
    })
    void anAgreementFallsWhenTestsGoInAnotherWayWithWhatOthersHaveMerged(String theirs, TestOutcome outcome) {
        repository = TestRepository.create(directory, Map.of("Makefile", "test:\n\ttrue\n"));
        List<Architect.Request> merges = new CopyOnWriteArrayList<>();
        Architect architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE) {
                    if (merges.isEmpty()) {
                        repository.commit("theirs", Map.of("Makefile", theirs));
                    }
                    merges.add(request);
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(writes(ScriptedLlm.builder("coder"), "1", "b.txt").build())
                .architect(architect)
                .tools(tools -> tools.discover(false))
                .build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(result.tests()).contains(outcome);
            assertThat(merges).hasSize(2);
            assertThat(merges.get(0).facts().get(Architect.Request.TESTS)).startsWith("tests passed");
            assertThat(merges.get(1).facts().get(Architect.Request.TESTS))
                    .startsWith(outcome == TestOutcome.UNTESTED ? "UNTESTED" : "only tests fail that failed without");
        }
    }

    @Test
    void aSandboxThatIsDownWhileTheNewsAreTestedSavesNoTest() {
        create();
        RecordingEnvironments environments = new RecordingEnvironments();
        Architect architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.CODE_REVIEW) {
                    repository.commit("theirs", Map.of("c.txt", "x"));
                    environments.fails("fresh 1/1", new LlmUnavailableException("down", null, null));
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder(
                        "project",
                        writes(ScriptedLlm.builder("coder"), "1", "b.txt").build(),
                        architect)
                .environment(environments)
                .limits(Limits.builder().suspendInterval(Duration.ofMillis(1)).build())
                .build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(maestro.auditLog().transitions("1"))
                    .extracting(AuditLog.StateTransition::to)
                    .containsSubsequence(CoderState.PREPARE_MERGE, CoderState.SUSPEND, CoderState.PREPARE_MERGE);
            assertThat(tests(maestro, "1")).containsExactly(0, null, 0);
        }
    }

    @Test
    void whatIsBrokenTogetherIsNotPushedAndGoesBackToTheCoder() {
        create();
        Overtaken architect = new Overtaken("a.txt");
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(write("b.txt"))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote b.txt")))
                .turn(request -> {
                    assertThat(request.messages().toString()).contains("BROKEN TOGETHER");
                    return Reply.toolCall("shell", Map.of("cmd", "mv b.txt c.txt"));
                })
                .turn(Reply.toolCall("done", Map.of("summary", "renamed b.txt")))
                .build();
        try (Maestro maestro = builder("project", coder, architect).build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            // The third is what others have merged, alone.
            assertThat(tests(maestro, "1")).containsExactly(0, 1, 0, 0);
            // What the coder has changed since was reviewed, and is another merge to decide on.
            assertThat(architect.merges).hasSize(2);
            assertThat(repository.git("ls-tree", "--name-only", "main")).isEqualTo("a.txt\nc.txt\nt.sh");
            assertThat(repository.git("rev-list", "--count", "--first-parent", "main"))
                    .isEqualTo("3");
        }
    }

    @Test
    void whatChangesInTheWorkspaceWhileTheArchitectDecidesIsReviewedAgain() {
        create();
        List<String> asked = new CopyOnWriteArrayList<>();
        Path workspace = directory.resolve("project/coder-001");
        Architect architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                asked.add(request.kind() + (request.facts().toString().contains("late.txt") ? " with late.txt" : ""));
                if (asked.size() == 2) {
                    repository.commit("theirs", Map.of("c.txt", "x"));
                    writeLate(workspace);
                }
                return super.reply(request);
            }
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(write("b.txt"))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote b.txt")))
                .turn(Reply.toolCall("done", Map.of("summary", "that is all")))
                .build();
        try (Maestro maestro = builder("project", coder, architect).build()) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(asked)
                    .containsExactly("CODE_REVIEW", "MERGE", "CODE_REVIEW with late.txt", "MERGE with late.txt");
        }
    }

    private static void writeLate(Path workspace) {
        try {
            Files.writeString(workspace.resolve("late.txt"), "by a process that the coder has left");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The checks of the first story end when the second is merged: with one coder. */
    @Test
    void aStoryThatWaitsForTheChecksOfAForgeHoldsNoCoder() throws Exception {
        create();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Forge local = new LocalForge();
        Forge checking = new Forge() {
            @Override
            public String id() {
                return "checking";
            }

            @Override
            public Optional<String> propose(Proposal proposal) {
                return Optional.of("https://forge.example.org/" + proposal.storyId());
            }

            @Override
            public Outcome merge(Proposal proposal) {
                if (proposal.storyId().equals("1") && second.getCount() > 0) {
                    asked.countDown();
                    return new Outcome.Pending(Duration.ofMillis(20));
                }
                Outcome outcome = local.merge(proposal);
                second.countDown();
                return outcome;
            }
        };
        ScriptedLlm coder = writes(writes(ScriptedLlm.builder("coder"), "1", "b.txt"), "2", "c.txt")
                .build();
        try (Maestro maestro = builder("project", coder, new Approving())
                .maxCoders(1)
                .forge(checking)
                .limits(Limits.builder().parkAfter(Duration.ofMillis(1)).build())
                .build()) {
            Submission<StoryResult> first = maestro.submit(story("1"));
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(maestro.run(story("2")).outcome()).isEqualTo(Outcome.MERGED);
            StoryResult result = first.await();
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            // The second story has moved the target branch meanwhile.
            assertThat(tests(maestro, "1")).containsExactly(0, 0);
        }
    }

    /** Agrees to merges when so many have been asked for: then all of them were tested with the same tip. */
    private static final class Together extends Approving {
        private final CountDownLatch all;

        Together(int stories) {
            all = new CountDownLatch(stories);
        }

        @Override
        public Reply reply(Request request) {
            if (request.kind() == Kind.MERGE) {
                all.countDown();
                try {
                    assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return super.reply(request);
        }
    }

    /** The one of the two stories that comes second gives up, once it is told. */
    private static ScriptedLlm coder() {
        ScriptedLlm.Builder model = ScriptedLlm.builder("coder");
        for (String name : List.of("a", "b")) {
            model.story(
                    name,
                    script -> script.turn(write(name + ".txt"))
                            .turn(Reply.toolCall("done", Map.of("summary", "done")))
                            .turn(Reply.toolCall("report_blocked", Map.of("reason", "BROKEN TOGETHER"))));
        }
        writes(model, "c", "c.txt");
        return model.build();
    }

    private void twoGreenStoriesMakeNoRedMain(List<Submission<StoryResult>> stories) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        for (Submission<StoryResult> story : stories) {
            outcomes.add(story.await().outcome());
        }
        assertThat(outcomes).containsExactlyInAnyOrder(Outcome.MERGED, Outcome.MERGED, Outcome.FAILED);
        for (String commit :
                repository.git("rev-list", "--first-parent", "main").lines().toList()) {
            List<String> files =
                    repository.git("ls-tree", "--name-only", commit).lines().toList();
            assertThat(files.containsAll(List.of("a.txt", "b.txt")))
                    .as("files of %s: %s", commit, files)
                    .isFalse();
        }
        assertThat(repository.git("ls-tree", "--name-only", "main")).contains("c.txt");
    }

    @Test
    void twoGreenStoriesOfOneMaestroMakeNoRedMain() throws Exception {
        create();
        try (Maestro maestro =
                builder("project", coder(), new Together(3)).maxCoders(3).build()) {
            twoGreenStoriesMakeNoRedMain(
                    List.of(maestro.submit(story("a")), maestro.submit(story("b")), maestro.submit(story("c"))));
        }
    }

    @Test
    void twoGreenStoriesOfTwoProjectDirectoriesMakeNoRedMain() throws Exception {
        create();
        Architect architect = new Together(3);
        try (Maestro one = builder("one", coder(), architect).build();
                Maestro two = builder("two", coder(), architect).build()) {
            twoGreenStoriesMakeNoRedMain(
                    List.of(one.submit(story("a")), two.submit(story("b")), two.submit(story("c"))));
        }
    }
}
