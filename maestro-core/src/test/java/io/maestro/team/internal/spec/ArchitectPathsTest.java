package io.maestro.team.internal.spec;

import static io.maestro.story.ArchitectState.DISPATCHING;
import static io.maestro.story.ArchitectState.DONE;
import static io.maestro.story.ArchitectState.EDITING;
import static io.maestro.story.ArchitectState.ERROR;
import static io.maestro.story.ArchitectState.MONITORING;
import static io.maestro.story.ArchitectState.SCOPING;
import static io.maestro.story.ArchitectState.SUSPEND;
import static io.maestro.story.ArchitectState.WAITING;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.ArchitectTransitions;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.story.ArchitectState;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.StoryDispatch;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every edge of the architect's table, walked by the real machine on a real repository and a real record. */
class ArchitectPathsTest {
    private static final LlmUnavailableException DOWN = new LlmUnavailableException("the model is down", null, null);

    @TempDir
    Path directory;

    /** One way through the states. */
    private static final class Way {
        final String name;
        List<Reply> replies = List.of();
        Map<String, Outcome> stories = Map.of();
        List<ArchitectState> path = List.of();
        SpecResult.Outcome outcome = SpecResult.Outcome.COMPLETED;
        String error = "";
        Consumer<SpecBench> setUp = bench -> {};
        /** The thread is interrupted before this state's work begins. */
        ArchitectState interruptedIn;

        boolean stray;
        /** What the dispatch throws. */
        RuntimeException dispatchFails;

        Way(String name) {
            this.name = name;
        }

        Way replies(Reply... all) {
            replies = List.of(all);
            return this;
        }

        Way stories(Map<String, Outcome> outcomes) {
            stories = outcomes;
            return this;
        }

        Way path(ArchitectState... states) {
            List<ArchitectState> all = new ArrayList<>(List.of(WAITING));
            all.addAll(Arrays.asList(states));
            path = all;
            return this;
        }

        Way ends(SpecResult.Outcome expected, String errorContains) {
            outcome = expected;
            error = errorContains;
            return this;
        }

        Way setUp(Consumer<SpecBench> change) {
            setUp = change;
            return this;
        }

        Way interruptedIn(ArchitectState state) {
            interruptedIn = state;
            return this;
        }

        Way byAStranger() {
            stray = true;
            return this;
        }

        Way dispatchFails(RuntimeException failure) {
            dispatchFails = failure;
            return this;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Way> ways() {
        return List.of(
                new Way("straight on")
                        .replies(SpecBench.submit("A", "B<A"))
                        .stories(Map.of("s-01#1", Outcome.MERGED, "s-02#1", Outcome.NO_CHANGE))
                        .path(SCOPING, DISPATCHING, MONITORING, DONE),
                new Way("rewritten")
                        .replies(SpecBench.submit("A"), SpecBench.edit("better"))
                        .stories(Map.of("s-01#1", Outcome.FAILED, "s-01#2", Outcome.MERGED))
                        .path(SCOPING, DISPATCHING, MONITORING, EDITING, DISPATCHING, MONITORING, DONE),
                new Way("given up")
                        .replies(SpecBench.submit("A", "B<A", "C"), SpecBench.giveUp("hopeless"))
                        .stories(Map.of("s-01#1", Outcome.REJECTED, "s-03#1", Outcome.MERGED))
                        .path(SCOPING, DISPATCHING, MONITORING, EDITING, MONITORING, DONE)
                        .ends(SpecResult.Outcome.INCOMPLETE, ""),
                new Way("the model is down while scoping and editing")
                        .replies(
                                Reply.failure(DOWN),
                                Reply.failure(DOWN),
                                SpecBench.submit("A"),
                                Reply.failure(DOWN),
                                SpecBench.edit("better"))
                        .stories(Map.of("s-01#1", Outcome.FAILED, "s-01#2", Outcome.MERGED))
                        .path(
                                SCOPING,
                                SUSPEND,
                                SCOPING,
                                SUSPEND,
                                SCOPING,
                                DISPATCHING,
                                MONITORING,
                                EDITING,
                                SUSPEND,
                                EDITING,
                                DISPATCHING,
                                MONITORING,
                                DONE),
                new Way("the model stays down")
                        .replies(Reply.failure(DOWN), Reply.failure(DOWN))
                        .setUp(bench -> bench.limits.suspendTime(Duration.ofMillis(1)))
                        .path(SCOPING, SUSPEND, SCOPING, SUSPEND, ERROR)
                        .ends(SpecResult.Outcome.FAILED, "gave up after 0 s in SUSPEND: the model is down"),
                new Way("no stories")
                        .replies(Reply.text("I think that ..."), Reply.text("Well ..."))
                        .setUp(bench -> bench.limits.reminders(1))
                        .path(SCOPING, ERROR)
                        .ends(SpecResult.Outcome.FAILED, "in SCOPING: the architect came to no stories"),
                new Way("a failure while editing")
                        .replies(SpecBench.submit("A"), Reply.failure(new LlmException("no such model", null)))
                        .stories(Map.of("s-01#1", Outcome.FAILED))
                        .path(SCOPING, DISPATCHING, MONITORING, EDITING, ERROR)
                        .ends(SpecResult.Outcome.FAILED, "in EDITING: no such model"),
                new Way("cancelled before it was begun")
                        .interruptedIn(WAITING)
                        .path(ERROR)
                        .ends(SpecResult.Outcome.CANCELLED, "in WAITING: the specification was cancelled"),
                new Way("no dispatch")
                        .replies(SpecBench.submit("A"))
                        .dispatchFails(new IllegalStateException("closed"))
                        .path(SCOPING, DISPATCHING, ERROR)
                        .ends(SpecResult.Outcome.FAILED, "in DISPATCHING: java.lang.IllegalStateException: closed"),
                new Way("cancelled while stories run")
                        .replies(SpecBench.submit("A"))
                        .interruptedIn(MONITORING)
                        .path(SCOPING, DISPATCHING, MONITORING, ERROR)
                        .ends(SpecResult.Outcome.CANCELLED, "in MONITORING: the specification was cancelled"),
                new Way("interrupted by a stranger")
                        .replies(SpecBench.submit("A"))
                        .interruptedIn(MONITORING)
                        .byAStranger()
                        .path(SCOPING, DISPATCHING, MONITORING, ERROR)
                        .ends(
                                SpecResult.Outcome.FAILED,
                                "in MONITORING: the thread of specification s was interrupted by something unknown, and not"
                                        + " by Maestro"));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void walks(Way way) {
        try (SpecBench bench = new SpecBench(directory)) {
            way.setUp.accept(bench);
            ScriptedLlm.Builder script = ScriptedLlm.builder("architect");
            way.replies.forEach(script::turn);
            ScriptedLlm model = script.build();
            FakeStoryDispatch dispatch = bench.dispatch(way.stories);
            SpecAgent agent = bench.agent(model, way.dispatchFails == null ? dispatch : broken(way.dispatchFails));
            StopSignal stop = new StopSignal();
            bench.stop = way.stray ? null : stop;
            if (way.interruptedIn == WAITING) {
                stop.set(StopCause.CANCELLED);
                Thread.currentThread().interrupt();
            } else if (way.interruptedIn != null) {
                bench.interruptOn(way.interruptedIn);
            }
            SpecResult result;
            try {
                result = agent.run(SpecBench.SPEC, stop);
            } finally {
                assertThat(Thread.interrupted()).isEqualTo(way.interruptedIn != null && !way.stray);
            }

            assertThat(bench.path()).isEqualTo(way.path);
            assertThat(result.outcome()).as("%s", result).isEqualTo(way.outcome);
            assertThat(result.error().orElse("")).contains(way.error);
            assertThat(result.error().isEmpty()).isEqualTo(way.error.isEmpty());
            model.assertFinished();
        }
    }

    private static StoryDispatch broken(RuntimeException failure) {
        return new StoryDispatch() {
            @Override
            public CompletableFuture<StoryResult> watch(String storyId) {
                throw failure;
            }

            @Override
            public boolean cancel(String storyId, String why) {
                throw failure;
            }

            @Override
            public void giveUp(String storyId, String reason) {
                throw failure;
            }
        };
    }

    @Test
    void aCancelledSpecificationGoesOnWithItsStoriesWhenItIsRunAgain() {
        try (SpecBench bench = new SpecBench(directory)) {
            ScriptedLlm model = ScriptedLlm.builder("architect")
                    .turn(SpecBench.submit("A", "B", "C<B"))
                    .build();
            bench.interruptOn(MONITORING);
            FakeStoryDispatch first = bench.dispatch(Map.of("s-01#1", Outcome.MERGED));
            SpecResult cancelled = bench.agent(model, first).run(SpecBench.SPEC, bench.stop);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(cancelled.stories())
                    .extracting(story -> story.result().outcome())
                    .containsExactly(Outcome.MERGED, Outcome.CANCELLED, Outcome.CANCELLED);

            bench.interruptOn(null);
            FakeStoryDispatch second = bench.dispatch(Map.of("s-02#2", Outcome.MERGED, "s-03#2", Outcome.MERGED));
            SpecResult result = bench.agent(model, second).run(SpecBench.SPEC, new StopSignal());

            assertThat(result.outcome()).as("%s", result).isEqualTo(SpecResult.Outcome.COMPLETED);
            assertThat(second.begun).containsExactly("s-02#2", "s-03#2");
            assertThat(bench.transitions())
                    .containsExactly(
                            "WAITING->SCOPING",
                            "SCOPING->DISPATCHING",
                            "DISPATCHING->MONITORING",
                            "MONITORING->ERROR",
                            "WAITING->DISPATCHING",
                            "DISPATCHING->MONITORING",
                            "MONITORING->DONE");
        }
    }

    @Test
    void everyEdgeOfTheTableIsWalked() {
        // By the test above.
        Set<String> walked = new TreeSet<>(Set.of("WAITING->DISPATCHING"));
        for (Way way : ways()) {
            for (int i = 1; i < way.path.size(); i++) {
                walked.add(way.path.get(i - 1) + "->" + way.path.get(i));
            }
        }
        Set<String> table = new TreeSet<>();
        for (ArchitectState from : ArchitectState.values()) {
            ArchitectTransitions.from(from).forEach(to -> table.add(from + "->" + to));
        }
        assertThat(walked).isEqualTo(table);
    }
}
