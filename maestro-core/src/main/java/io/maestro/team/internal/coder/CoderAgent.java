package io.maestro.team.internal.coder;

import io.maestro.agent.CoderTransitions;
import io.maestro.event.MaestroEvent;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.llm.LlmClient;
import io.maestro.record.AuditLog;
import io.maestro.settings.Settings;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.dispatch.ServiceChecks;
import io.maestro.team.internal.loop.OutOfTimeException;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StateMachine;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.telemetry.Telemetry;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Drives stories that the dispatcher has leased through the states of a coder, and gives back what they had. Safe for use by
 * several threads, each with a story of its own.
 */
public final class CoderAgent extends StateMachine<CoderState, StoryAttempt> implements Dispatcher.DispatchedWork {
    /** Arriving in one of these from a later state means that the coder was sent back to work. */
    private static final Set<CoderState> WORK = EnumSet.of(CoderState.PLANNING, CoderState.CODING);

    private final CoderServices services;
    private final WorkspaceCleanup cleanup;
    private final Map<String, StoryAttempt> runs;
    private final Consumer<String> onEnd;
    private final Map<CoderState, StateHandler<CoderState, StoryAttempt>> handlers;
    private final ReviewRounds rounds;
    private final Withdrawal withdrawal;
    private final AttemptStarter starter;

    /**
     * A coder of each name.
     *
     * @param runs the attempts that are at work, by story; kept by this
     * @param onEnd told of a story about which nobody waits for a reply any more
     */
    public CoderAgent(
            CoderServices services, WorkspaceCleanup cleanup, Map<String, StoryAttempt> runs, Consumer<String> onEnd) {
        super(
                new Table<>(
                        CoderState.SUSPEND,
                        CoderState.ERROR,
                        CoderState::isFinal,
                        CoderTransitions::isAllowed,
                        CoderTransitions::check),
                services.resources().settings().limits(),
                services.resources().redactor(),
                services.events());
        this.services = services;
        this.cleanup = cleanup;
        this.runs = runs;
        this.onEnd = onEnd;
        Resources resources = services.resources();
        Settings settings = resources.settings();
        this.rounds = new ReviewRounds(settings.limits());
        TestRuns tests = new TestRuns(
                resources.tests(), services.turns(), resources.store(), resources.redactor(), services.events());
        SetupHandler setup = new SetupHandler(
                resources,
                new ServiceChecks(models(), settings.forge(), resources.store()),
                services.workspaces(),
                services.markers(),
                services.driver(),
                tests);
        StoryProposal proposals = new StoryProposal(resources.git(), resources.prompts(), resources.redactor());
        this.handlers = handlers(setup, proposals, tests);
        this.withdrawal = new Withdrawal(proposals, settings.forge());
        this.starter = new AttemptStarter(
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

    private Map<CoderState, StateHandler<CoderState, StoryAttempt>> handlers(
            SetupHandler setup, StoryProposal proposals, TestRuns tests) {
        Map<CoderState, StateHandler<CoderState, StoryAttempt>> handlers = new EnumMap<>(CoderState.class);
        Resources resources = services.resources();
        Settings settings = resources.settings();
        handlers.put(CoderState.WAITING, this::take);
        handlers.put(CoderState.SETUP, setup);
        handlers.put(CoderState.PLANNING, new PlanningHandler(services.driver()));
        handlers.put(CoderState.PLAN_REVIEW, new PlanReviewHandler(services.effects()));
        AheadTests ahead = new AheadTests(tests, services.turns(), resources.store());
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
                        services.turns(),
                        ahead,
                        settings.git().conflictGuidance()));
        handlers.put(
                CoderState.AWAIT_MERGE,
                new AwaitMergeHandler(
                        services.effects(),
                        proposals,
                        settings.forge(),
                        services.bell(),
                        services.turns(),
                        ahead,
                        resources.store(),
                        settings.limits()));
        return handlers;
    }

    private Next<CoderState> take(StoryAttempt run) {
        run.progress().readChatFrom(services.notes().newest());
        return new Next<>(CoderState.SETUP, "taken by " + run.agentId());
    }

    @Override
    public StoryResult run(AuditLog.StoryRecord row, Story story, String agentId, StopSignal stop) {
        StoryAttempt run = starter.start(row, story, agentId, stop);
        runs.put(story.id(), run);
        boolean parked = false;
        try {
            services.turns().begun(story.id());
            runToEnd(run);
            return StoryRows.withCosts(
                    services.resources().store(),
                    services.resources().settings().agents().prices()::cost,
                    run.result());
        } catch (ParkedException e) {
            parked = true;
            throw e;
        } finally {
            release(run);
            runs.remove(story.id(), run);
            if (!parked) {
                services.turns().forget(story.id());
                onEnd.accept(story.id());
            }
        }
    }

    @Override
    public void left(String storyId) {
        services.turns().forget(storyId);
    }

    private void release(StoryAttempt run) {
        // Who waits for something else than its turn, or is stopped, holds nobody up.
        services.turns().end(run.story().id(), MergeTurns.TurnEnd.of(run.state()));
        if (run.stop().cause().equals(Optional.of(StopCause.PAUSED))) {
            services.turns().pass(run.story().id());
        }
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

    @Override
    protected Telemetry.Operation agent(StoryAttempt run) {
        return new Telemetry.Operation(
                Telemetry.Kind.AGENT, run.agentId(), run.story().id(), run.agentId(), run.attempt(), "", null);
    }

    @Override
    protected @Nullable StateHandler<CoderState, StoryAttempt> handler(CoderState state) {
        return handlers.get(state);
    }

    @Override
    protected void check(StoryAttempt run, Next<CoderState> next) {
        if (isSentBack(run.state(), next.state())) {
            rounds.sendBack(run, run.state(), next.reason());
        }
    }

    private static boolean isSentBack(CoderState from, CoderState to) {
        if (from == CoderState.PREPARE_MERGE && to == CoderState.QUESTION) {
            return true;
        }
        boolean forward = from == CoderState.SETUP
                || from == CoderState.SUSPEND
                || from == CoderState.PLAN_REVIEW && to == CoderState.CODING;
        return WORK.contains(to) && !forward;
    }

    /** Only the coder can mend what lies in its workspace, and time is granted where it works. */
    @Override
    protected Optional<Next<CoderState>> mended(StoryAttempt run, RuntimeException failure) {
        if (failure instanceof OutOfTimeException) {
            return outOfTime(run, String.valueOf(failure.getMessage()));
        }
        if (!(failure instanceof WorkspaceProblem) || !CoderTransitions.isAllowed(run.state(), CoderState.CODING)) {
            return Optional.empty();
        }
        rounds.sendBack(run, run.state(), String.valueOf(failure.getMessage()));
        run.rebased();
        run.guidance().tell("Your work cannot be committed: " + failure.getMessage());
        return Optional.of(new Next<>(CoderState.CODING, "the workspace cannot be committed"));
    }

    private Optional<Next<CoderState>> outOfTime(StoryAttempt run, String facts) {
        String reason = facts.lines().findFirst().orElse("");
        if (WORK.contains(run.state())) {
            run.overBudget(facts);
            return Optional.of(new Next<>(CoderState.BUDGET_REVIEW, reason));
        }
        if (!CoderTransitions.isAllowed(run.state(), CoderState.CODING)) {
            return Optional.empty();
        }
        rounds.sendBack(run, run.state(), reason);
        run.rebased();
        run.guidance()
                .tell("The project's tests were not run to their end: " + reason
                        + ". See that they don't hang, then call `done` again.");
        return Optional.of(new Next<>(CoderState.CODING, reason));
    }

    @Override
    protected void ended(StoryAttempt run, Throwable failure, String message) {
        StoryResult.Outcome outcome = failure instanceof CancelledException
                ? StoryResult.Outcome.CANCELLED
                : failure instanceof RejectedException ? StoryResult.Outcome.REJECTED : StoryResult.Outcome.FAILED;
        run.ended(outcome, message);
        if (!(failure instanceof ClosedByOthersException)) {
            withdrawal.of(run, message);
        }
    }

    @Override
    protected void record(StoryAttempt run, Next<CoderState> next, String reason) {
        if (next.state() == CoderState.DONE && run.mergeCommit() == null) {
            withdrawal.of(run, reason);
        }
        if (next.state() == CoderState.DONE) {
            run.ended(run.mergeCommit() == null ? StoryResult.Outcome.NO_CHANGE : StoryResult.Outcome.MERGED, null);
        }
        if (run.state() != CoderState.SUSPEND && next.state() != CoderState.SUSPEND) {
            run.progress().nextStep();
        }
        services.resources()
                .store()
                .recordTransition(
                        new AuditLog.StateTransition(
                                run.sessionId(),
                                run.story().id(),
                                run.attempt(),
                                run.agentId(),
                                run.state(),
                                next.state(),
                                reason,
                                Instant.now()),
                        run.toRecord(next.state()));
        if (!MergeTurns.isMerging(next.state())) {
            services.turns().end(run.story().id(), MergeTurns.TurnEnd.of(next.state()));
        }
    }

    @Override
    protected MaestroEvent changed(StoryAttempt run, CoderState from, CoderState to, String reason) {
        return new MaestroEvent.StateChanged(
                run.story().id(),
                run.agentId(),
                run.attempt(),
                from,
                to,
                reason,
                run.work().tests(),
                Instant.now());
    }
}
