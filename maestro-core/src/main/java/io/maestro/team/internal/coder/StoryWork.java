package io.maestro.team.internal.coder;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.StoryHistory;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StopSignal;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** Runs stories that the dispatcher has leased, and gives back what they had. Safe for use by several threads. */
public final class StoryWork implements Dispatcher.Work {
    private final CoderServices services;
    private final Map<String, StoryRun> runs;
    private final Consumer<String> onEnd;
    private final CoderAgent coder;
    private final StoryStarter starter;
    private final WorkspaceCleanup cleanup;

    /**
     * Work on stories.
     *
     * @param runs the runs that are at work, by story; kept by this
     * @param onEnd told of a story about which nobody waits for a reply any more
     */
    public StoryWork(
            CoderServices services, WorkspaceCleanup cleanup, Map<String, StoryRun> runs, Consumer<String> onEnd) {
        this.services = services;
        this.cleanup = cleanup;
        this.runs = runs;
        this.onEnd = onEnd;
        TestRuns tests = new TestRuns(services.tests(), services.store(), services.redactor(), services.events());
        SetupHandler setup = new SetupHandler(
                services.git(),
                services.checks(),
                services.targetBranch(),
                services.workspaces(),
                services.markers(),
                services.environments(),
                services.equipment(),
                tests);
        ReviewRounds rounds = new ReviewRounds(services.limits());
        StoryProposal proposals = new StoryProposal(services.git(), services.prompts(), services.redactor());
        this.coder = new CoderAgent(
                handlers(setup, rounds, proposals, tests),
                rounds,
                services.limits(),
                services.store(),
                new Withdrawal(proposals, services.forge()),
                services.redactor(),
                services.events());
        this.starter = new StoryStarter(
                services.store(),
                setup,
                services.markers(),
                services.limits(),
                services.prices(),
                services.sessionId());
    }

    private Map<CoderState, StateHandler<CoderState, StoryRun>> handlers(
            SetupHandler setup, ReviewRounds rounds, StoryProposal proposals, TestRuns tests) {
        Map<CoderState, StateHandler<CoderState, StoryRun>> handlers = new EnumMap<>(CoderState.class);
        handlers.put(CoderState.WAITING, this::take);
        handlers.put(CoderState.SETUP, setup);
        handlers.put(CoderState.PLANNING, new PlanningHandler(services.driver()));
        handlers.put(CoderState.PLAN_REVIEW, new PlanReviewHandler(services.effects()));
        handlers.put(CoderState.CODING, new CodingHandler(services.driver(), rounds, tests));
        handlers.put(CoderState.TESTING, new TestingHandler(tests));
        handlers.put(CoderState.CODE_REVIEW, new CodeReviewHandler(services.effects(), services.store()));
        handlers.put(CoderState.QUESTION, new QuestionHandler(services.effects()));
        handlers.put(CoderState.BUDGET_REVIEW, new BudgetReviewHandler(services.effects(), services.limits()));
        handlers.put(
                CoderState.PREPARE_MERGE,
                new PrepareMergeHandler(
                        new CommitMessages(services.prompts(), services.redactor(), services.conventionalCommits()),
                        services.driver().author(),
                        proposals,
                        services.forge(),
                        tests,
                        services.git().settings().conflictGuidance()));
        handlers.put(
                CoderState.AWAIT_MERGE,
                new AwaitMergeHandler(
                        services.effects(),
                        proposals,
                        services.forge(),
                        services.bell(),
                        services.store(),
                        services.limits()));
        return handlers;
    }

    private Next<CoderState> take(StoryRun run) {
        run.readChatFrom(services.notes().newest());
        return new Next<>(CoderState.SETUP, "taken by " + run.agentId());
    }

    @Override
    public StoryResult run(Store.StoryRecord row, Story story, String agentId, StopSignal stop) {
        StoryRun run = starter.start(row, story, agentId, stop);
        runs.put(story.id(), run);
        boolean parked = false;
        try {
            return StoryHistory.withCosts(services.store(), services.prices(), coder.run(run));
        } catch (ParkedException e) {
            parked = true;
            throw e;
        } finally {
            release(run);
            runs.remove(story.id(), run);
            if (!parked) {
                onEnd.accept(story.id());
            }
        }
    }

    private void release(StoryRun run) {
        // A program works in the environment.
        services.driver().end(run);
        // A story that is parked or stopped goes on later, in what its attempt has kept.
        run.sandbox().close(run.state().isFinal());
        run.sandbox()
                .ownWorkspace()
                .ifPresent(workspace -> services.workspaces().close(run.agentId(), workspace));
        if (run.state() == CoderState.DONE) {
            cleanup.emptyAfter(run);
        }
        if (run.state().isFinal()) {
            cleanup.forget(run);
        }
    }
}
