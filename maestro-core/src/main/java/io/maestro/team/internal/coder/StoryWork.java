package io.maestro.team.internal.coder;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.llm.LlmClient;
import io.maestro.settings.Settings;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.ServiceChecks;
import io.maestro.team.internal.dispatch.StoryHistory;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StopSignal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
        Resources resources = services.resources();
        Settings settings = resources.settings();
        TestRuns tests = new TestRuns(resources.tests(), resources.store(), resources.redactor(), services.events());
        SetupHandler setup = new SetupHandler(
                resources,
                new ServiceChecks(models(), settings.forge(), resources.store()),
                services.workspaces(),
                services.markers(),
                services.driver(),
                tests);
        ReviewRounds rounds = new ReviewRounds(settings.limits());
        StoryProposal proposals = new StoryProposal(resources.git(), resources.prompts(), resources.redactor());
        this.coder = new CoderAgent(
                handlers(setup, rounds, proposals, tests),
                rounds,
                settings.limits(),
                resources.store(),
                new Withdrawal(proposals, settings.forge()),
                resources.redactor(),
                services.events());
        this.starter = new StoryStarter(
                resources.store(),
                setup,
                services.markers(),
                settings.limits(),
                settings.agents().prices()::cost,
                resources.sessionId());
    }

    /** Those that stories ask. */
    private List<LlmClient> models() {
        Settings settings = services.resources().settings();
        Stream<LlmClient> architect =
                settings.people().needModel() ? Stream.of(settings.agents().architectModel()) : Stream.of();
        return Stream.concat(services.driver().services().stream(), architect).toList();
    }

    private Map<CoderState, StateHandler<CoderState, StoryRun>> handlers(
            SetupHandler setup, ReviewRounds rounds, StoryProposal proposals, TestRuns tests) {
        Map<CoderState, StateHandler<CoderState, StoryRun>> handlers = new EnumMap<>(CoderState.class);
        Resources resources = services.resources();
        Settings settings = resources.settings();
        handlers.put(CoderState.WAITING, this::take);
        handlers.put(CoderState.SETUP, setup);
        handlers.put(CoderState.PLANNING, new PlanningHandler(services.driver()));
        handlers.put(CoderState.PLAN_REVIEW, new PlanReviewHandler(services.effects()));
        handlers.put(CoderState.CODING, new CodingHandler(services.driver(), rounds, tests));
        handlers.put(CoderState.TESTING, new TestingHandler(tests));
        handlers.put(CoderState.CODE_REVIEW, new CodeReviewHandler(services.effects(), resources.store()));
        handlers.put(CoderState.QUESTION, new QuestionHandler(services.effects()));
        handlers.put(CoderState.BUDGET_REVIEW, new BudgetReviewHandler(services.effects(), settings.limits()));
        handlers.put(
                CoderState.PREPARE_MERGE,
                new PrepareMergeHandler(
                        new CommitMessages(resources.prompts(), resources.redactor(), settings.git()),
                        services.driver().author(),
                        proposals,
                        settings.forge(),
                        tests,
                        settings.git().conflictGuidance()));
        handlers.put(
                CoderState.AWAIT_MERGE,
                new AwaitMergeHandler(
                        services.effects(),
                        proposals,
                        settings.forge(),
                        services.bell(),
                        resources.store(),
                        settings.limits()));
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
            return StoryHistory.withCosts(
                    services.resources().store(),
                    services.resources().settings().agents().prices()::cost,
                    coder.run(run));
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
