package io.maestro.agent;

import static io.maestro.agent.Scenario.ask;
import static io.maestro.agent.Scenario.done;
import static io.maestro.agent.Scenario.look;
import static io.maestro.agent.Scenario.plan;
import static io.maestro.agent.Scenario.write;
import static io.maestro.story.CoderState.AWAIT_MERGE;
import static io.maestro.story.CoderState.BUDGET_REVIEW;
import static io.maestro.story.CoderState.CODE_REVIEW;
import static io.maestro.story.CoderState.CODING;
import static io.maestro.story.CoderState.DONE;
import static io.maestro.story.CoderState.ERROR;
import static io.maestro.story.CoderState.PLANNING;
import static io.maestro.story.CoderState.PLAN_REVIEW;
import static io.maestro.story.CoderState.PREPARE_MERGE;
import static io.maestro.story.CoderState.QUESTION;
import static io.maestro.story.CoderState.SETUP;
import static io.maestro.story.CoderState.SUSPEND;
import static io.maestro.story.CoderState.TESTING;

import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.git.Forge;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.LocalForge;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The ways through the states that need nothing but replies; {@link CoderPathsTest} runs them. */
final class Scenarios {
    private Scenarios() {}

    /** As few as walk every edge that all of them walk, chosen one by one for the most new edges. */
    static List<Scenario> fewest() {
        List<Scenario> left = new ArrayList<>(all());
        List<Scenario> chosen = new ArrayList<>();
        Set<String> walked = new HashSet<>();
        while (true) {
            Scenario next = Collections.max(left, Comparator.comparingLong(scenario -> newEdges(scenario, walked)));
            if (newEdges(next, walked) == 0) {
                return chosen;
            }
            walked.addAll(next.edges());
            chosen.add(next);
            left.remove(next);
        }
    }

    private static long newEdges(Scenario scenario, Set<String> walked) {
        return scenario.edges().stream().filter(edge -> !walked.contains(edge)).count();
    }

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>(MergeScenarios.all());
        all.addAll(List.of(
                new Scenario("from a plan to the merge")
                        .coder(plan(), write("good"), done())
                        .then(PLANNING, PLAN_REVIEW, CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, DONE),
                new Scenario("an express story skips the plan")
                        .express()
                        .coder(write("good"), done())
                        .then(CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, DONE),
                new Scenario("a story that is done already")
                        .coder(Reply.toolCall("story_complete", Map.of("reason", "README.md says so")))
                        .then(PLANNING, PLAN_REVIEW, DONE)
                        .ends(Outcome.NO_CHANGE, ""),
                new Scenario("the claim that there is nothing to do is refused")
                        .coder(
                                Reply.toolCall("story_complete", Map.of("reason", "README.md says so")),
                                plan(),
                                write("good"),
                                done())
                        .architect(Kind.PLAN_REVIEW, Decision.NEEDS_CHANGES, "it does not")
                        .then(
                                PLANNING,
                                PLAN_REVIEW,
                                PLANNING,
                                PLAN_REVIEW,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                new Scenario("done without a difference")
                        .coder(plan(), done())
                        .then(PLANNING, PLAN_REVIEW, CODING, CODE_REVIEW, DONE)
                        .ends(Outcome.NO_CHANGE, ""),
                new Scenario("the plan is rejected")
                        .coder(plan())
                        .architect(Kind.PLAN_REVIEW, Decision.REJECTED, "we will not do this")
                        .then(PLANNING, PLAN_REVIEW, ERROR)
                        .ends(Outcome.REJECTED, "we will not do this"),
                new Scenario("tests fail first")
                        .express()
                        .coder(write("bad"), done(), write("good"), done())
                        .then(CODING, TESTING, CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, DONE),
                new Scenario("the review wants changes")
                        .express()
                        .coder(write("good"), done(), write("good and better"), done())
                        .architect(Kind.CODE_REVIEW, Decision.NEEDS_CHANGES, "better, please")
                        .then(
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                new Scenario("the change is rejected")
                        .express()
                        .coder(write("good"), done())
                        .architect(Kind.CODE_REVIEW, Decision.REJECTED, "not like this")
                        .then(CODING, TESTING, CODE_REVIEW, ERROR)
                        .ends(Outcome.REJECTED, "not like this"),
                new Scenario("questions while planning and coding")
                        .coder(ask(), plan(), ask(), write("good"), done())
                        .architect(Kind.QUESTION, Decision.APPROVED, "very")
                        .architect(Kind.QUESTION, Decision.APPROVED, "very, very")
                        .then(
                                PLANNING,
                                QUESTION,
                                PLANNING,
                                PLAN_REVIEW,
                                CODING,
                                QUESTION,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                new Scenario("a question ends the story")
                        .coder(ask())
                        .architect(Kind.QUESTION, Decision.REJECTED, "drop it")
                        .then(PLANNING, QUESTION, ERROR)
                        .ends(Outcome.REJECTED, "drop it"),
                new Scenario("budgets of planning and coding are used up and granted")
                        .limits(limits -> limits.turnsPerState(2))
                        .coder(look(), look(), plan(), look(), look(), write("good"), done())
                        .then(
                                PLANNING,
                                BUDGET_REVIEW,
                                PLANNING,
                                PLAN_REVIEW,
                                CODING,
                                BUDGET_REVIEW,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                new Scenario("no more budget")
                        .limits(limits -> limits.turnsPerState(2))
                        .coder(look(), look())
                        .architect(Kind.BUDGET_REVIEW, Decision.REJECTED, "enough")
                        .then(PLANNING, BUDGET_REVIEW, ERROR)
                        .ends(Outcome.REJECTED, "enough"),
                new Scenario("a model that only talks while planning")
                        .limits(limits -> limits.reminders(1))
                        .coder(Reply.text("hm"), Reply.nothing())
                        .then(PLANNING, ERROR)
                        .ends(
                                Outcome.FAILED,
                                "without calling one of [ask_question, report_blocked, story_complete, submit_plan]"),
                new Scenario("a model that only talks while coding")
                        .express()
                        .limits(limits -> limits.reminders(1))
                        .coder(Reply.nothing(), Reply.nothing())
                        .then(CODING, ERROR)
                        .ends(Outcome.FAILED, "without calling one of [ask_question, done, report_blocked]"),
                new Scenario("the coder gives up while coding")
                        .express()
                        .coder(Reply.toolCall("report_blocked", Map.of("reason", "the library does not exist")))
                        .then(CODING, ERROR)
                        .ends(Outcome.FAILED, "the coder is blocked: the library does not exist"),
                new Scenario("the model refuses the request")
                        .coder(Reply.failure(new LlmException("HTTP 401: check the key", null)))
                        .then(PLANNING, ERROR)
                        .ends(Outcome.FAILED, "HTTP 401: check the key"),
                suspended("the model is down while planning")
                        .coder(Reply.failure(down()), plan(), write("good"), done())
                        .then(
                                PLANNING,
                                SUSPEND,
                                PLANNING,
                                PLAN_REVIEW,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                suspended("the model is down while coding")
                        .express()
                        .coder(write("good"), Reply.failure(down()), Reply.failure(down()), done())
                        .then(
                                CODING,
                                SUSPEND,
                                CODING,
                                SUSPEND,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                suspended("the architect is down in every kind of request")
                        .limits(limits -> quick(limits).turnsPerState(2))
                        .coder(look(), look(), ask(), plan(), write("good"), done())
                        .architectFails(Kind.BUDGET_REVIEW, down())
                        .architectFails(Kind.QUESTION, down())
                        .architectFails(Kind.PLAN_REVIEW, down())
                        .architectFails(Kind.CODE_REVIEW, down())
                        .architectFails(Kind.MERGE, down())
                        .then(
                                PLANNING,
                                BUDGET_REVIEW,
                                SUSPEND,
                                BUDGET_REVIEW,
                                PLANNING,
                                QUESTION,
                                SUSPEND,
                                QUESTION,
                                PLANNING,
                                PLAN_REVIEW,
                                SUSPEND,
                                PLAN_REVIEW,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                SUSPEND,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                SUSPEND,
                                AWAIT_MERGE,
                                DONE),
                suspended("the sandbox is down")
                        .express()
                        .coder(write("good"), done())
                        .setUp((builder, repository) ->
                                builder.environment(new RecordingEnvironments().fails("fresh 042/1", down())))
                        .then(CODING, TESTING, SUSPEND, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, DONE),
                suspended("the sandbox is down when the workspace is made")
                        .express()
                        .coder(write("good"), done())
                        .setUp((builder, repository) ->
                                builder.environment(new RecordingEnvironments().fails("open 042/1", down())))
                        .then(SUSPEND, SETUP, CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, AWAIT_MERGE, DONE),
                suspended("the forge is down")
                        .express()
                        .coder(write("good"), done())
                        .setUp((builder, repository) ->
                                builder.forge(new FlakyForge(new GitUnavailableException("the forge is down", null))))
                        .then(CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, SUSPEND, PREPARE_MERGE, AWAIT_MERGE, DONE),
                new Scenario("the model stays down")
                        .limits(limits -> quick(limits).suspendTime(Duration.ofMillis(1)))
                        .express()
                        .coder(Reply.failure(down()), Reply.failure(down()))
                        .then(CODING, SUSPEND, CODING, SUSPEND, ERROR)
                        .ends(Outcome.FAILED, "gave up after"),
                new Scenario("the model is down again, long after it was up again")
                        .limits(limits -> quick(limits).suspendTime(Duration.ofMillis(100)))
                        .express()
                        .coder(
                                Reply.failure(down()),
                                Reply.toolCall("shell", Map.of("cmd", "sleep 0.2")),
                                Reply.failure(down()),
                                write("good"),
                                done())
                        .then(
                                CODING,
                                SUSPEND,
                                CODING,
                                SUSPEND,
                                CODING,
                                TESTING,
                                CODE_REVIEW,
                                PREPARE_MERGE,
                                AWAIT_MERGE,
                                DONE),
                new Scenario("the forge refuses the proposal")
                        .express()
                        .coder(write("good"), done())
                        .setUp((builder, repository) ->
                                builder.forge(new FlakyForge(new GitException("no such project", null))))
                        .then(CODING, TESTING, CODE_REVIEW, PREPARE_MERGE, ERROR)
                        .ends(Outcome.FAILED, "no such project")));
        return all;
    }

    private static Scenario suspended(String name) {
        return new Scenario(name).limits(Scenarios::quick);
    }

    private static Limits.Builder quick(Limits.Builder limits) {
        return limits.suspendInterval(Duration.ofMillis(1));
    }

    private static LlmUnavailableException down() {
        return new LlmUnavailableException("HTTP 529: overloaded", null, null);
    }

    /** A forge that fails at its first proposal. */
    private static final class FlakyForge implements Forge {
        private final Forge forge = new LocalForge();
        private final AtomicBoolean failed = new AtomicBoolean();
        private final MaestroException failure;

        FlakyForge(MaestroException failure) {
            this.failure = failure;
        }

        @Override
        public String id() {
            return "flaky";
        }

        @Override
        public Optional<String> propose(Proposal proposal) {
            if (failed.compareAndSet(false, true)) {
                throw failure;
            }
            return forge.propose(proposal);
        }

        @Override
        public Forge.Outcome merge(Proposal proposal) {
            return forge.merge(proposal);
        }
    }
}
