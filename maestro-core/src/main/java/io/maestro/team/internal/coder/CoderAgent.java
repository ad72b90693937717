package io.maestro.team.internal.coder;

import io.maestro.agent.CoderState;
import io.maestro.agent.CoderTransitions;
import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.event.MaestroEvent;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.loop.OutOfTimeException;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StateMachine;
import io.maestro.telemetry.Telemetry;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Drives a story through the states of a coder. Safe for use by several threads, each with a story of its own. */
public final class CoderAgent extends StateMachine<CoderState, StoryRun> {
    /** Arriving in one of these from a later state means that the coder was sent back to work. */
    private static final Set<CoderState> WORK = EnumSet.of(CoderState.PLANNING, CoderState.CODING);

    private final Map<CoderState, StateHandler<CoderState, StoryRun>> handlers;
    private final ReviewRounds rounds;
    private final Store store;
    private final Withdrawal withdrawal;

    /** A coder that does in each state what its handler does. */
    CoderAgent(
            Map<CoderState, StateHandler<CoderState, StoryRun>> handlers,
            ReviewRounds rounds,
            Limits limits,
            Store store,
            Withdrawal withdrawal,
            Redactor redactor,
            Events events) {
        super(
                new Table<>(
                        CoderState.SUSPEND,
                        CoderState.ERROR,
                        CoderState::isFinal,
                        CoderTransitions::isAllowed,
                        CoderTransitions::check),
                limits,
                redactor,
                events);
        this.handlers = new EnumMap<>(handlers);
        this.rounds = rounds;
        this.store = store;
        this.withdrawal = withdrawal;
    }

    /**
     * Runs a story to its end.
     *
     * @throws io.maestro.error.MaestroException when it has not ended: see {@link StateMachine}
     */
    public StoryResult run(StoryRun run) {
        runToEnd(run);
        return run.result();
    }

    @Override
    protected Telemetry.Operation agent(StoryRun run) {
        return new Telemetry.Operation(
                Telemetry.Kind.AGENT, run.agentId(), run.story().id(), run.agentId(), run.attempt(), "", null);
    }

    @Override
    protected @Nullable StateHandler<CoderState, StoryRun> handler(CoderState state) {
        return handlers.get(state);
    }

    @Override
    protected void check(StoryRun run, Next<CoderState> next) {
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
    protected Optional<Next<CoderState>> mended(StoryRun run, RuntimeException failure) {
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

    private Optional<Next<CoderState>> outOfTime(StoryRun run, String facts) {
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
    protected void ended(StoryRun run, Throwable failure, String message) {
        StoryResult.Outcome outcome = failure instanceof CancelledException
                ? StoryResult.Outcome.CANCELLED
                : failure instanceof RejectedException ? StoryResult.Outcome.REJECTED : StoryResult.Outcome.FAILED;
        run.ended(outcome, message);
        if (!(failure instanceof ClosedByOthersException)) {
            withdrawal.of(run, message);
        }
    }

    @Override
    protected void record(StoryRun run, Next<CoderState> next, String reason) {
        if (next.state() == CoderState.DONE && run.mergeCommit() == null) {
            withdrawal.of(run, reason);
        }
        if (next.state() == CoderState.DONE) {
            run.ended(run.mergeCommit() == null ? StoryResult.Outcome.NO_CHANGE : StoryResult.Outcome.MERGED, null);
        }
        if (run.state() != CoderState.SUSPEND && next.state() != CoderState.SUSPEND) {
            run.nextStep();
        }
        store.recordTransition(
                new Store.StateTransition(
                        run.sessionId(),
                        run.story().id(),
                        run.attempt(),
                        run.agentId(),
                        run.state(),
                        next.state(),
                        reason,
                        Instant.now()),
                run.toRecord(next.state()));
    }

    @Override
    protected MaestroEvent changed(StoryRun run, CoderState from, CoderState to, String reason) {
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
