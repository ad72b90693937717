package io.maestro.agent;

import static io.maestro.agent.Scenario.done;
import static io.maestro.agent.Scenario.write;
import static io.maestro.story.CoderState.AWAIT_MERGE;
import static io.maestro.story.CoderState.CODE_REVIEW;
import static io.maestro.story.CoderState.CODING;
import static io.maestro.story.CoderState.DONE;
import static io.maestro.story.CoderState.ERROR;
import static io.maestro.story.CoderState.PREPARE_MERGE;
import static io.maestro.story.CoderState.QUESTION;
import static io.maestro.story.CoderState.TESTING;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/** The ways from PREPARE_MERGE to the end; {@link CoderPathsTest} runs them. */
final class MergeScenarios {
    private MergeScenarios() {}

    static List<Scenario> all() {
        return List.of(
                twice("the architect wants changes before the merge", "good, better")
                        .architect(Kind.MERGE, Decision.NEEDS_CHANGES, "better"),
                once("the merge is rejected", ERROR)
                        .architect(Kind.MERGE, Decision.REJECTED, "not now")
                        .ends(Outcome.REJECTED, "not now"),
                colleague("a conflict is found before the push", Kind.CODE_REVIEW, "feature.txt")
                        .coder(write("good and theirs"), done())
                        .then(
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                colleague("a conflict is found at the merge", Kind.MERGE, "feature.txt")
                        .coder(write("good and theirs"), done())
                        .then(
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                PREPARE_MERGE,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                asked("the architect is asked about a conflict")
                        .coder(write("good and theirs"), done())
                        .then(
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                QUESTION,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                // Who decides on the merge is asked about what was tested; what others have merged comes in when it is
                // its turn.
                moved("the target branch moves before the push", Kind.CODE_REVIEW),
                moved("the target branch moves before the merge", Kind.MERGE),
                once("the checks of a forge take their time", DONE)
                        .setUp((builder, repository) -> builder.forge(new AnsweringForge(
                                new Forge.Outcome.Pending(Duration.ofMillis(1)),
                                new Forge.Outcome.Pending(Duration.ofNanos(1))))),
                twice("a check of a forge fails", "good, checked")
                        .setUp((builder, repository) ->
                                builder.forge(new AnsweringForge(new Forge.Outcome.Refused("style: no")))),
                once("somebody closes the proposal", ERROR)
                        .setUp((builder, repository) ->
                                builder.forge(new AnsweringForge(new Forge.Outcome.Closed("by Jo: not wanted"))))
                        .ends(Outcome.REJECTED, "the proposal was closed: by Jo: not wanted"));
    }

    private static Scenario scenario(String name, List<CoderState> path) {
        return new Scenario(name).express().coder(write("good"), done()).then(path.toArray(CoderState[]::new));
    }

    private static Scenario once(String name, CoderState end) {
        return scenario(name, List.of(CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, end));
    }

    /** What is merged in the end is the coder's second version. */
    private static Scenario twice(String name, String better) {
        List<CoderState> path = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            path.addAll(List.of(CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE));
        }
        path.add(DONE);
        return scenario(name, path).coder(write(better), done());
    }

    /** Somebody else merges another version of a file while the architect looks at the coder's. */
    private static Scenario colleague(String name, Kind meanwhile, String file) {
        Scenario scenario = scenario(name, List.of());
        return scenario.setUp((builder, repository) -> scenario.architect.on(meanwhile, request -> {
            repository.commit("theirs", Map.of(file, "theirs, and good"));
            return new Architect.Reply(request.id(), Decision.APPROVED, "");
        }));
    }

    private static Scenario moved(String name, Kind meanwhile) {
        return colleague(name, meanwhile, "other.txt")
                .then(CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, PREPARE_MERGE, AWAIT_MERGE, DONE);
    }

    private static Scenario asked(String name) {
        Scenario scenario = colleague(name, Kind.CODE_REVIEW, "feature.txt");
        BiConsumer<MaestroBuilder, TestRepository> setUp = scenario.setUp;
        return scenario.setUp((builder, repository) -> {
            setUp.accept(builder, repository);
            builder.git(git -> git.conflictGuidance(true));
            scenario.architect.on(Kind.QUESTION, request -> {
                assertThat(request.facts().get(Architect.Request.QUESTION))
                        .contains("Merge conflict in feature.txt", "both versions between");
                return new Architect.Reply(request.id(), Decision.APPROVED, "keep both");
            });
        });
    }

    /** A forge that gives these answers before it merges. */
    private static final class AnsweringForge implements Forge {
        private final Forge forge = new LocalForge();
        private final Queue<Forge.Outcome> answers;

        AnsweringForge(Forge.Outcome... answers) {
            this.answers = new ConcurrentLinkedQueue<>(Arrays.asList(answers));
        }

        @Override
        public String id() {
            return "answering";
        }

        @Override
        public Optional<String> propose(Proposal proposal) {
            return forge.propose(proposal);
        }

        @Override
        public Forge.Outcome merge(Proposal proposal) {
            Forge.Outcome answer = answers.poll();
            return answer == null ? forge.merge(proposal) : answer;
        }
    }
}
