package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** People decide by the inbox, from wherever they are. */
@Timeout(120)
class PeopleTest {
    private static final InboxAnswer YES = InboxAnswer.approve("alice");

    @TempDir
    Path directory;

    private TeamBench bench;
    private PlaceLlm model;
    private final List<MaestroEvent.ArchitectReplied> replies = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.people = EnumSet.allOf(Kind.class);
        bench.listeners.add(event -> {
            if (event instanceof MaestroEvent.ArchitectReplied reply) {
                replies.add(reply);
            }
        });
        model = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write bad.txt")
                .calls("CODING", "shell", "cmd", "echo good > $(date +%s%N).txt")
                .calls("CODING", "done", "summary", "wrote it");
        bench.coder = model;
    }

    /** The one request that waits. */
    private static InboxItem waiting(Inbox inbox, Kind kind) {
        Await.until(kind + " waits", () -> inbox.pending().stream().anyMatch(item -> item.kind() == kind));
        assertThat(inbox.pending()).hasSize(1);
        return inbox.pending().get(0);
    }

    private static void approve(Inbox inbox, Kind kind) {
        assertThat(inbox.answer(waiting(inbox, kind).id(), YES).status()).isEqualTo(Inbox.Status.COUNTS);
    }

    @Test
    void anotherProcessAnswersAndThePlanIsTheirs() {
        try (TeamBench.Life life = bench.life();
                Store elsewhere = bench.record()) {
            Inbox inbox = new Inbox(elsewhere.requests(), () -> {});
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem plan = waiting(inbox, Kind.PLAN_REVIEW);
            assertThat(plan.storyTitle()).isEqualTo("Story 042");
            assertThat(plan.facts()).containsExactly(Map.entry(Architect.Request.PLAN, "write bad.txt"));
            assertThat(plan.outcome()).isEmpty();
            assertThat(Duration.between(plan.askedAt(), plan.until())).isEqualTo(Duration.ofDays(7));

            Inbox.Result result = inbox.answer(plan.id(), YES.withPlan("write good.txt"));
            assertThat(result.status()).isEqualTo(Inbox.Status.COUNTS);
            assertThat(result.item().outcome())
                    .hasValueSatisfying(
                            outcome -> assertThat(outcome.toString()).isEqualTo("alice has decided APPROVED"));
            approve(inbox, Kind.CODE_REVIEW);
            approve(inbox, Kind.MERGE);
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(inbox.pending()).isEmpty();
        }
        assertThat(model.requests.get(1).messages().toString())
                .contains("The plan was changed before it was approved", "write good.txt");
        assertThat(replies)
                .extracting(MaestroEvent.ArchitectReplied::agentId)
                .containsExactly("alice", "alice", "alice");
    }

    @Test
    void whatIsAnsweredWhileNobodyLivesCountsInTheNextLife() {
        try (TeamBench.Life life = bench.life()) {
            RunningStory unused = life.team.submit(TeamBench.story("042"), event -> {});
            waiting(life.inbox, Kind.PLAN_REVIEW);
        }
        try (Store elsewhere = bench.record()) {
            approve(new Inbox(elsewhere.requests(), () -> {}), Kind.PLAN_REVIEW);
        }
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            approve(life.inbox, Kind.CODE_REVIEW);
        }
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            approve(life.inbox, Kind.MERGE);
            StoryResult result = life.end(running);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        }
        assertThat(model.requests).as("no turn is taken twice").hasSize(3);
        // Each once, in whatever life it was given and by whom it was taken.
        assertThat(replies).extracting(MaestroEvent.ArchitectReplied::kind).contains(Kind.PLAN_REVIEW, Kind.MERGE);
    }

    /** A host that was down for long does not begin to wait anew. */
    @Test
    void theDeadlineOutlastsARestart() {
        bench.limits.replyTime(Duration.ofSeconds(2));
        try (TeamBench.Life life = bench.life()) {
            RunningStory unused = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem plan = waiting(life.inbox, Kind.PLAN_REVIEW);
            assertThat(plan.otherwise()).contains("ends in ERROR");
        }
        bench.limits.replyTime(Duration.ofDays(1));
        try (TeamBench.Life life = bench.life()) {
            StoryResult result = life.run(TeamBench.story("042"));
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow()).contains("has not replied");
            InboxItem over = life.inbox.find("042/1/3").orElseThrow();
            assertThat(over.outcome())
                    .hasValueSatisfying(outcome ->
                            assertThat(outcome.toString()).startsWith("nobody has decided: no reply until "));
            Inbox.Result late = life.inbox.answer(over.id(), YES);
            assertThat(late.status()).isEqualTo(Inbox.Status.TOO_LATE);
        }
    }

    @Test
    void aCancelledStoryAsksNobodyAnyMore() {
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem plan = waiting(life.inbox, Kind.PLAN_REVIEW);
            running.cancel();
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(life.inbox.pending()).isEmpty();
            Inbox.Result late = life.inbox.answer(plan.id(), YES);
            assertThat(late.status()).isEqualTo(Inbox.Status.TOO_LATE);
            assertThat(late.item().outcome().orElseThrow().person()).isEmpty();
        }
    }

    @Test
    void twoPeopleMustApprove() {
        bench.fourEyes = EnumSet.of(Kind.MERGE);
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            approve(life.inbox, Kind.PLAN_REVIEW);
            approve(life.inbox, Kind.CODE_REVIEW);
            InboxItem merge = waiting(life.inbox, Kind.MERGE);
            assertThat(merge.approvals()).isEqualTo(2);
            assertThat(life.inbox.answer(merge.id(), YES).status()).isEqualTo(Inbox.Status.MORE_NEEDED);
            Inbox.Result again = life.inbox.answer(merge.id(), YES);
            assertThat(again.status()).isEqualTo(Inbox.Status.MORE_NEEDED);
            assertThat(again.item().given()).hasSize(1);
            assertThat(life.store.story("042").orElseThrow().state()).isEqualTo(CoderState.AWAIT_MERGE);
            assertThat(life.inbox
                            .answer(merge.id(), InboxAnswer.approve("bob", "mind the weekend"))
                            .status())
                    .isEqualTo(Inbox.Status.COUNTS);
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    @Test
    void twoPeopleApproveTheSamePlan() {
        bench.fourEyes = EnumSet.of(Kind.PLAN_REVIEW);
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem plan = waiting(life.inbox, Kind.PLAN_REVIEW);
            assertThatThrownBy(() -> life.inbox.answer(plan.id(), YES.withPlan("write what only alice has seen")))
                    .hasMessageContaining("they must approve the same plan");
            assertThat(life.inbox.find(plan.id()).orElseThrow().given()).isEmpty();
            running.cancel();
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.CANCELLED);
        }
    }

    /** The next life of the host lets the model decide on everything. */
    @Test
    void whatPeopleWereAskedIsTheirs() {
        bench.fourEyes = EnumSet.of(Kind.PLAN_REVIEW);
        try (TeamBench.Life life = bench.life()) {
            RunningStory unused = life.team.submit(TeamBench.story("042"), event -> {});
            assertThat(life.inbox
                            .answer(waiting(life.inbox, Kind.PLAN_REVIEW).id(), YES)
                            .status())
                    .isEqualTo(Inbox.Status.MORE_NEEDED);
        }
        bench.people = EnumSet.noneOf(Kind.class);
        bench.fourEyes = EnumSet.noneOf(Kind.class);
        PlaceLlm architect = new PlaceLlm()
                .calls("ANSWERING", "review_complete", "decision", "APPROVED")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED");
        bench.architectModel = architect;
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem plan = waiting(life.inbox, Kind.PLAN_REVIEW);
            assertThat(plan.given()).hasSize(1);
            assertThat(life.inbox.answer(plan.id(), InboxAnswer.approve("bob")).status())
                    .isEqualTo(Inbox.Status.COUNTS);
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(architect.requests).hasSize(2);
    }

    /** The first answer wins; who sits at the terminal is told that the request is gone. */
    @Test
    void somebodyElseIsFasterThanTheHostsArchitect() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CountDownLatch thinks = new CountDownLatch(1);
        bench.people = EnumSet.noneOf(Kind.class);
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "bob";
            }

            @Override
            public Reply reply(Request request) {
                if (request.kind() != Kind.PLAN_REVIEW) {
                    return new Reply(request.id(), Decision.APPROVED, "");
                }
                thinks.countDown();
                try {
                    new CountDownLatch(1).await();
                    throw new AssertionError();
                } catch (InterruptedException e) {
                    interrupted.complete(true);
                    throw new MaestroException("withdrawn", e);
                }
            }
        };
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            assertThat(thinks.await(60, TimeUnit.SECONDS)).isTrue();
            approve(life.inbox, Kind.PLAN_REVIEW);
            assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(replies).extracting(MaestroEvent.ArchitectReplied::agentId).containsExactly("alice", "bob", "bob");
    }

    /** The plan is among the facts of the merge, too. */
    @Test
    void theHostsArchitectChangesNoPlanButTheOneThatItReviews() {
        bench.people = EnumSet.noneOf(Kind.class);
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "bob";
            }

            @Override
            public Reply reply(Request request) {
                boolean merge = request.kind() == Kind.MERGE;
                return new Reply(request.id(), Decision.APPROVED, "", merge ? "another plan" : null);
            }
        };
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            StoryResult result = life.end(running);
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow()).contains("bob has replied with a plan", "is a MERGE");
        }
    }

    @Test
    void whatIsNoAnswerIsRefused() {
        model = new PlaceLlm()
                .calls("PLANNING", "ask_question", "question", "which?")
                .calls("PLANNING", "submit_plan", "plan", "write good.txt");
        bench.coder = model;
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem question = waiting(life.inbox, Kind.QUESTION);
            assertThat(question.otherwise()).contains("goes on without an answer");
            for (InboxAnswer none : List.of(
                    YES,
                    InboxAnswer.approve("a", "that one"),
                    YES.withPlan("c"),
                    InboxAnswer.changes("a", "that one"))) {
                assertThatThrownBy(() -> life.inbox.answer(question.id(), none))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("is a QUESTION, which " + none.kind() + " does not answer");
            }
            assertThat(life.inbox.find(question.id()).orElseThrow().outcome()).isEmpty();
            assertThatThrownBy(() -> life.inbox.answer("7", YES)).hasMessageContaining("no request '7'");
            Inbox.Result answered = life.inbox.answer(question.id(), InboxAnswer.say("alice", "that one"));
            assertThat(answered.status()).isEqualTo(Inbox.Status.COUNTS);
            assertThat(answered.summary()).isEqualTo("answered: 042 goes on with the answer");
            assertThat(answered.item().outcome().orElseThrow().toString()).isEqualTo("alice has answered: that one");
            InboxItem plan = waiting(life.inbox, Kind.PLAN_REVIEW);
            assertThat(model.requests.get(1).messages().toString()).contains("that one");
            Inbox.Result unused = life.inbox.answer(plan.id(), InboxAnswer.reject("alice", "no\nnever"));
            StoryResult result = life.end(running);
            assertThat(result.error().orElseThrow()).contains("no\nnever");
            assertThat(life.inbox
                            .find(plan.id())
                            .orElseThrow()
                            .outcome()
                            .orElseThrow()
                            .toString())
                    .isEqualTo("alice has decided REJECTED: no never");
        }
    }
}
