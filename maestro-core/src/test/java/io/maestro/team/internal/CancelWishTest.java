package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect.Kind;
import io.maestro.inbox.InboxAnswer;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellations.Status;
import io.maestro.record.internal.Store;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.team.internal.spec.RunningSpec;
import io.maestro.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody wants work to end, by the record alone, as another process does. */
@Timeout(120)
class CancelWishTest {
    private static final String WHY = "the story was cancelled by alice: not needed";
    private static final Spec SPEC =
            Spec.builder("spec", "Two files").content("Make them.").build();

    @TempDir
    Path directory;

    private TeamBench bench;
    private PlaceLlm model;

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.architect = new Approves();
        good();
        bench.architectModel = new PlaceLlm()
                .calls("SCOPING", "submit_stories", "requirements", List.of(draft("one"), draft("two", "one")));
    }

    private static Map<String, Object> draft(String title, String... dependencies) {
        return Map.of(
                "title",
                title,
                "description",
                "Do " + title,
                "acceptance_criteria",
                List.of("done"),
                "dependencies",
                List.of(dependencies));
    }

    private void good() {
        coder("echo good > $(date +%s%N).txt");
    }

    private void coder(String command) {
        model = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "shell", "cmd", command)
                .calls("CODING", "done", "summary", "wrote it");
        bench.coder = model;
    }

    /** The coder's command runs until it is ended. */
    private ProcessHandle hangs() throws IOException {
        Path pid = directory.resolve("pid");
        Await.until("a command runs", () -> Files.exists(pid));
        return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    }

    private void hanging() {
        Path pid = directory.resolve("pid");
        coder("echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; exec sleep 300");
    }

    private void asks(String id) {
        try (Store elsewhere = bench.record()) {
            assertThat(elsewhere.cancellations().ask(id, "alice", "not needed")).isEqualTo(Status.ASKED);
        }
    }

    private void nothingIsWanted() {
        try (Store record = bench.record()) {
            assertThat(record.cancellations().open()).isEmpty();
        }
    }

    @Test
    void aStoryThatRunsIsEndedWithItsCommandAndIsTriedAgainOnlyWhenSomebodyWantsThat() throws Exception {
        hanging();
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.express("042"), event -> {});
            ProcessHandle command = hangs();
            asks("042");
            StoryResult result = life.end(running);
            assertThat(result.outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(result.error()).contains("in CODING: " + WHY);
            assertThat(command.isAlive()).isFalse();
            assertThat(life.store.transitions("042"))
                    .last()
                    .satisfies(row -> assertThat(row.reason()).isEqualTo(WHY));
            nothingIsWanted();
            good();
        }
        try (TeamBench.Life life = bench.life()) {
            StoryResult again = life.run(TeamBench.express("042"));
            assertThat(again.outcome()).as("%s", again).isEqualTo(Outcome.MERGED);
            assertThat(again.attempt()).isEqualTo(2);
        }
    }

    @Test
    void aStoryThatNobodyRunsIsEndedBeforeAnythingIsDoneForIt() {
        bench.killedIn(CoderState.CODING, TeamBench.express("042"));
        int asked = model.requests.size();
        asks("042");
        try (TeamBench.Life life = bench.life()) {
            List<RunningStory> resumed = life.team.resumeStories(event -> {});
            assertThat(resumed).hasSize(1);
            StoryResult result = life.end(resumed.get(0));
            assertThat(result.outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(result.error()).contains("in CODING: " + WHY);
            assertThat(result.attempt()).isEqualTo(1);
        }
        assertThat(model.requests).hasSize(asked);
        nothingIsWanted();
    }

    @Test
    void soIsOneWhoseWorkspaceIsLost() throws Exception {
        bench.killedIn(CoderState.TESTING, TeamBench.express("042"));
        int asked = model.requests.size();
        asks("042");
        Files.delete(bench.project().resolve(".maestro/workspaces/coder-001"));
        try (TeamBench.Life life = bench.life()) {
            StoryResult result = life.run(TeamBench.express("042"));
            assertThat(result.outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(result.error().orElseThrow()).endsWith(WHY);
            assertThat(result.attempt()).isEqualTo(2);
        }
        assertThat(model.requests).hasSize(asked);
        nothingIsWanted();
    }

    @Test
    void aProcessThatIsKilledBeforeItHasWrittenTheEndLeavesItToTheNextOne() {
        bench.killedIn(CoderState.CODING, TeamBench.express("042"));
        int asked = model.requests.size();
        asks("042");
        try (TeamBench.Life life =
                bench.life(seen -> MortalStore.before(seen, MortalStore.Death.into(CoderState.ERROR)))) {
            life.dies(TeamBench.express("042"));
        }
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.store.cancellations().open()).hasSize(1);
            assertThat(life.run(TeamBench.express("042")).error()).contains("in CODING: " + WHY);
        }
        assertThat(model.requests).hasSize(asked);
        nothingIsWanted();
    }

    @Test
    void aStoryThatWaitsForAPersonIsEndedAndItsRequestWithdrawn() {
        bench.people = Set.of(Kind.PLAN_REVIEW);
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            Await.until("a plan waits", () -> !life.inbox.pending().isEmpty());
            asks("042");
            assertThat(life.end(running).error()).contains("in PLAN_REVIEW: " + WHY);
            assertThat(life.inbox.pending()).isEmpty();
        }
    }

    @Test
    void aStoryThatWaitsForAnotherOneIsEndedWhileAllCodersAreAtWork() throws Exception {
        hanging();
        try (TeamBench.Life life = bench.life()) {
            life.team.submit(TeamBench.express("works"), event -> {});
            hangs();
            RunningStory waits = life.team.submit(
                    Story.builder("waits", "Waits")
                            .content("for the other")
                            .dependsOn("works")
                            .build(),
                    event -> {});
            asks("waits");
            assertThat(life.end(waits).error()).contains("in WAITING: " + WHY);
            asks("works");
        }
    }

    private static SpecResult end(RunningSpec running) throws Exception {
        return running.done().get(60, TimeUnit.SECONDS);
    }

    private void allIsCancelled(SpecResult result) {
        assertThat(result.outcome()).as(result.toMarkdown()).isEqualTo(SpecResult.Outcome.CANCELLED);
        assertThat(result.stories())
                .extracting(story -> story.result().outcome())
                .containsExactly(Outcome.CANCELLED, Outcome.CANCELLED);
        assertThat(result.stories())
                .allSatisfy(story ->
                        assertThat(story.result().error().orElseThrow()).endsWith(WHY));
        try (Store record = bench.record()) {
            assertThat(record.storiesOf("spec"))
                    .extracting(AuditLog.StoryRecord::state)
                    .containsOnly(CoderState.ERROR);
            assertThat(record.spec("spec").orElseThrow().state()).isEqualTo(ArchitectState.ERROR);
        }
        nothingIsWanted();
    }

    @Test
    void aSpecificationIsEndedWithItsStories() throws Exception {
        hanging();
        try (TeamBench.Life life = bench.life()) {
            RunningSpec running = life.team.submit(SPEC, event -> {});
            ProcessHandle command = hangs();
            asks("spec");
            SpecResult result = end(running);
            assertThat(result.error()).contains("in MONITORING: the specification was cancelled by alice: not needed");
            allIsCancelled(result);
            assertThat(command.isAlive()).isFalse();
        }
    }

    @Test
    void aStoryThatIsNotWantedIsNotBegunAgainWhenItsSpecificationGoesOnInAnotherLife() throws Exception {
        bench.architectModel =
                new PlaceLlm().calls("SCOPING", "submit_stories", "requirements", List.of(draft("one"), draft("two")));
        bench.people = Set.of(Kind.PLAN_REVIEW);
        try (TeamBench.Life life = bench.life()) {
            life.team.submit(SPEC, event -> {});
            Await.until("both wait", () -> life.inbox.pending().size() == 2);
            asks("spec-01");
            Await.until("one has ended", () -> life.inbox.pending().size() == 1);
        }
        try (TeamBench.Life life = bench.life()) {
            RunningSpec running = life.team.resumeSpecs(event -> {}).get(0);
            Await.until("the other waits", () -> life.inbox.pending().size() == 1);
            life.inbox.answer(life.inbox.pending().get(0).id(), InboxAnswer.approve("alice"));
            SpecResult result = end(running);
            assertThat(result.stories())
                    .extracting(story ->
                            story.result().outcome() + " " + story.result().attempt())
                    .as(result.toMarkdown())
                    .containsExactly("CANCELLED 1", "MERGED 1");
        }
    }

    @Test
    void aSpecificationThatNobodyWorksOnIsEndedWithItsStories() throws Exception {
        try (TeamBench.Life life =
                bench.life(seen -> MortalStore.after(seen, MortalStore.Death.into(CoderState.TESTING)))) {
            RunningSpec running = life.team.submit(SPEC, event -> {});
            assertThat(running.done()).failsWithin(60, TimeUnit.SECONDS).withThrowableOfType(ExecutionException.class);
        }
        int asked = model.requests.size();
        asks("spec");
        try (TeamBench.Life life = bench.life()) {
            allIsCancelled(end(life.team.resumeSpecs(event -> {}).get(0)));
            assertThat(life.team.resumeStories(event -> {})).isEmpty();
        }
        assertThat(model.requests).hasSize(asked);
        // All of it is done when it is submitted again.
        try (TeamBench.Life life = bench.life()) {
            SpecResult again = end(life.team.submit(SPEC, event -> {}));
            assertThat(again.outcome()).as(again.toMarkdown()).isEqualTo(SpecResult.Outcome.COMPLETED);
        }
    }
}
