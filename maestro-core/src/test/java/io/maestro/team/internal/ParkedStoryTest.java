package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect.Kind;
import io.maestro.event.MaestroEvent;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Leases;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stories that wait for a person, and stories that have failed and are gone on with. */
@Timeout(120)
class ParkedStoryTest {
    @TempDir
    Path directory;

    private TeamBench bench;
    private PlaceLlm model;
    private final BlockingQueue<MaestroEvent.RequestOpened> asked = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.people = EnumSet.allOf(Kind.class);
        bench.listeners.add(event -> {
            if (event instanceof MaestroEvent.RequestOpened request) {
                asked.add(request);
            }
        });
        model = new PlaceLlm()
                .calls("CODING", "shell", "cmd", "echo good > $(date +%s%N).txt")
                .calls("CODING", "done", "summary", "wrote it");
        bench.coder = model;
    }

    private MaestroEvent.RequestOpened next() throws InterruptedException {
        MaestroEvent.RequestOpened request = asked.poll(60, TimeUnit.SECONDS);
        assertThat(request).isNotNull();
        return request;
    }

    private static void approve(TeamBench.Life life, MaestroEvent.RequestOpened request) {
        assertThat(life.inbox
                        .answer(request.requestId(), InboxAnswer.approve("alice"))
                        .status())
                .isEqualTo(Inbox.Status.COUNTS);
    }

    @Test
    void aStoryThatWaitsForAPersonHoldsNoCoderAndUsesNoTime() throws Exception {
        try (TeamBench.Life life = bench.life()) {
            RunningStory first = life.team.submit(TeamBench.express("first"), event -> {});
            MaestroEvent.RequestOpened waiting = next();
            assertThat(waiting.storyId()).isEqualTo("first");
            // The only coder is free.
            RunningStory second = life.team.submit(TeamBench.express("second"), event -> {});
            for (int i = 0; i < 2; i++) {
                MaestroEvent.RequestOpened request = next();
                assertThat(request.storyId()).isEqualTo("second");
                approve(life, request);
            }
            assertThat(life.end(second).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(life.store.leases().acquire(List.of(Leases.story("first")), "other", Duration.ofHours(1)))
                    .as("the lease is kept")
                    .isEmpty();

            approve(life, waiting);
            approve(life, next());
            StoryResult result = life.end(first);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(result.attempt()).isEqualTo(1);
            assertThat(asked).isEmpty();
        }
    }

    @Test
    void aParkedStoryCanBeCancelled() throws Exception {
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.express("042"), event -> {});
            next();
            running.cancel();
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(life.inbox.pending()).isEmpty();
        }
    }

    @Test
    void aStoryThatHasFailedGoesOnWhereItDid() throws Exception {
        bench.limits.replyTime(Duration.ofMillis(1));
        try (TeamBench.Life life = bench.life()) {
            StoryResult failed = life.run(TeamBench.express("042"));
            assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(failed.error().orElseThrow()).contains("has not replied");
            asked.clear();
        }
        int turns = model.requests.size();
        bench.limits.replyTime(Duration.ofDays(1));
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.reopen("042", 1);
            approve(life, next());
            approve(life, next());
            StoryResult result = life.end(running);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(result.attempt()).isEqualTo(1);
            assertThat(life.store.transitions("042"))
                    .extracting(AuditLog.StateTransition::to)
                    .containsSubsequence(CoderState.ERROR, CoderState.CODE_REVIEW, CoderState.DONE);
        }
        assertThat(model.requests.size()).as("the coder has nothing left to do").isEqualTo(turns);
    }

    /** In its workspace, and in its conversation: nothing that was paid is paid again. */
    @Test
    void aStoryWhoseBudgetIsUsedUpGoesOnWithMoreOfIt() throws Exception {
        model = new PlaceLlm()
                .calls("CODING", "shell", "cmd", "echo good > paid.txt")
                .calls("CODING", "shell", "cmd", "cat paid.txt")
                .calls("CODING", "shell", "cmd", "cat paid.txt")
                .calls("CODING", "done", "summary", "wrote it");
        bench.coder = model;
        // What one answer of the model takes.
        bench.limits.tokensPerStory(11).budgetReviews(0);
        try (TeamBench.Life life = bench.life()) {
            StoryResult failed = life.run(TeamBench.express("042"));
            assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(failed.error().orElseThrow()).contains("Limits.budgetReviews is 0");
        }
        assertThat(model.requests).hasSize(1);
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.reopen("042", 3);
            for (Kind kind : List.of(Kind.CODE_REVIEW, Kind.MERGE)) {
                MaestroEvent.RequestOpened request = next();
                assertThat(request.kind()).isEqualTo(kind);
                approve(life, request);
            }
            StoryResult result = life.end(running);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(result.attempt()).isEqualTo(1);
            assertThat(life.store.toolExecutions("042"))
                    .extracting(call -> String.valueOf(call.result()))
                    .anyMatch(answer -> answer.contains("good"));
        }
        assertThat(model.requests).as("no turn is taken twice").hasSize(4);
    }
}
