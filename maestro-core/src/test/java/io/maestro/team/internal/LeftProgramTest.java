package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.environment.Equipment;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An attempt that is left, since it waits or its Maestro is closed, goes on in the sessions of its program, which the
 * environment keeps; they go with its end.
 */
@Timeout(120)
class LeftProgramTest {
    @TempDir
    Path directory;

    private TeamBench bench;
    private PlaceLlm coder;
    private ScriptedCoderMode mode;

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        // It asks, and is sent back by everybody.
        coder = new PlaceLlm()
                .calls("PLANNING", "ask_question", "question", "how good?")
                .calls("PLANNING", "submit_plan", "plan", "write something")
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "ask_question", "question", "good enough?")
                .calls("CODING", "done", "summary", "wrote it")
                .calls("CODING", "write_file", "path", "b.txt", "content", "good")
                .calls("CODING", "done", "summary", "wrote what the architect wants");
        mode = new ScriptedCoderMode(coder);
        mode.equipment = new Equipment(true, Optional.empty(), false);
        bench.mode = mode;
    }

    /** Each answer of the model was asked for once, and each session begun once. */
    private void assertNothingIsPaidTwice(StoryResult result) {
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        assertThat(result.attempt()).isEqualTo(1);
        assertThat(mode.calls)
                .filteredOn(call -> call.startsWith("begin"))
                .containsExactly("begin PLANNING", "begin CODING");
        assertThat(coder.requests).hasSize(coder.answers());
        assertThat(state()).isEmptyDirectory();
    }

    private Path state() {
        return bench.project().resolve(".maestro/state");
    }

    // Waits

    @Test
    void theAnswersOfAPersonReachTheSameSession() throws Exception {
        BlockingQueue<MaestroEvent.RequestOpened> asked = new LinkedBlockingQueue<>();
        bench.people = EnumSet.allOf(Kind.class);
        bench.limits.tokensPerStory(50).budgetReviews(5);
        bench.listeners.add(event -> {
            if (event instanceof MaestroEvent.RequestOpened request) {
                asked.add(request);
            }
        });
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            Set<Kind> kinds = EnumSet.noneOf(Kind.class);
            Set<Kind> sentBack = EnumSet.of(Kind.PLAN_REVIEW, Kind.CODE_REVIEW);
            while (!running.done().isDone()) {
                MaestroEvent.RequestOpened request = asked.poll(10, TimeUnit.MILLISECONDS);
                if (request != null) {
                    kinds.add(request.kind());
                    InboxAnswer answer = sentBack.remove(request.kind())
                            ? InboxAnswer.changes("alice", "more")
                            : request.kind() == Kind.QUESTION
                                    ? InboxAnswer.say("alice", "good")
                                    : InboxAnswer.approve("alice");
                    assertThat(life.inbox.answer(request.requestId(), answer).status())
                            .isEqualTo(Inbox.Status.COUNTS);
                }
            }
            assertNothingIsPaidTwice(life.end(running));
            assertThat(kinds)
                    .containsExactlyInAnyOrder(
                            Kind.QUESTION, Kind.PLAN_REVIEW, Kind.CODE_REVIEW, Kind.BUDGET_REVIEW, Kind.MERGE);
        }
    }

    /** Longer than a story waits with its program held. */
    @Test
    void anAnswerOfAnArchitectWhoTakesTimeReachesTheSameSession() {
        RememberingArchitect architect = new RememberingArchitect();
        bench.limits.parkAfter(Duration.ofNanos(1));
        bench.architect = new Architect() {
            @Override
            public String id() {
                return architect.id();
            }

            @Override
            public Reply reply(Request request) {
                String ended =
                        request.kind() == Kind.QUESTION && architect.asked.isEmpty() ? "close 042/1 PLANNING" : "";
                while (!ended.isEmpty() && !mode.calls.contains(ended)) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
                return architect.reply(request);
            }
        };
        try (TeamBench.Life life = bench.life()) {
            assertNothingIsPaidTwice(life.run(TeamBench.story("042")));
        }
    }

    // The end of a Maestro

    @Test
    void aMaestroThatIsClosedInTheMiddleLeavesTheSessions() {
        assertNothingIsPaidTwice(
                closedIn(List.of(CoderState.QUESTION, CoderState.PLAN_REVIEW, CoderState.CODE_REVIEW)));
    }

    @Test
    @Full("as many lives as states; the one in the short tier has three of them")
    void aMaestroThatIsClosedInEachStateLeavesTheSessions() {
        assertNothingIsPaidTwice(closedIn(List.of(CoderState.values())));
    }

    /** Lives of which each is closed when the story comes into the next of these states, until one sees its end. */
    private StoryResult closedIn(List<CoderState> states) {
        bench.architect = new RememberingArchitect();
        List<CoderState> left = new ArrayList<>(states);
        BlockingQueue<CoderState> reached = new LinkedBlockingQueue<>();
        MaestroListener closes = event -> {
            if (event instanceof MaestroEvent.StateChanged changed
                    && !changed.to().isFinal()
                    && left.remove(changed.to())) {
                reached.add(changed.to());
                // On the story's own thread, until it is stopped.
                while (!Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                }
            }
        };
        bench.listeners.add(closes);
        while (true) {
            try (TeamBench.Life life = bench.life()) {
                RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
                while (reached.isEmpty() && !running.done().isDone()) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
                if (reached.poll() == null) {
                    return life.end(running);
                }
                life.team.close();
                assertThatThrownBy(() -> life.end(running)).hasMessageContaining("was in");
            }
        }
    }

    // The end of an attempt

    @Test
    void anAttemptThatIsCancelledWhileItWaitsLeavesNothing() throws Exception {
        bench.people = EnumSet.allOf(Kind.class);
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            while (life.inbox.pending().isEmpty()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            running.cancel();
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(state()).isEmptyDirectory();
        }
    }
}
