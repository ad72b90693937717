package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.agent.CoderTransitions;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.audit.StoreException;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.event.MaestroEvent;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.runtime.internal.Texts;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.StateHandler.Next;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives a story through the states of a coder. A change of state is in the record before the new state's work begins.
 * Whatever goes wrong in a state ends the story, never the process. Safe for use by several threads, each with a story of
 * its own.
 */
final class CoderAgent {
    private static final Logger LOG = LoggerFactory.getLogger(CoderAgent.class);

    /** Arriving in one of these from a later state means that the coder was sent back to work. */
    private static final Set<CoderState> WORK = EnumSet.of(CoderState.PLANNING, CoderState.CODING);

    private final Map<CoderState, StateHandler> handlers;
    private final SuspendHandler suspend;
    private final Rounds rounds;
    private final Store store;
    private final Redactor redactor;
    private final Events events;

    CoderAgent(
            Map<CoderState, StateHandler> handlers,
            SuspendHandler suspend,
            Rounds rounds,
            Store store,
            Redactor redactor,
            Events events) {
        this.handlers = new EnumMap<>(handlers);
        this.suspend = suspend;
        this.rounds = rounds;
        this.store = store;
        this.redactor = redactor;
        this.events = events;
    }

    /**
     * Runs a story to its end.
     *
     * @throws StoreException when the record cannot be written: nothing more is done then
     */
    StoryResult run(StoryRun run) {
        while (!run.state.isFinal()) {
            go(run, step(run));
        }
        return result(run);
    }

    private Next step(StoryRun run) {
        try {
            CancelledException.check();
            Next next = handler(run.state).handle(run);
            if (run.state != CoderState.SUSPEND) {
                run.recovered();
            }
            if (!next.state().isFinal()) {
                // What a cancelled state says is not to be trusted: its commands were killed.
                CancelledException.check();
            }
            if (isSentBack(run.state, next.state())) {
                rounds.sendBack(run, run.state, next.reason());
            }
            CoderTransitions.check(run.state, next.state());
            return next;
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            return failed(run, e);
        }
    }

    private StateHandler handler(CoderState state) {
        StateHandler handler = handlers.get(state);
        if (handler == null) {
            throw new IllegalStateException("no handler for state " + state);
        }
        return handler;
    }

    private static boolean isSentBack(CoderState from, CoderState to) {
        boolean forward = from == CoderState.SETUP
                || from == CoderState.SUSPEND
                || from == CoderState.PLAN_REVIEW && to == CoderState.CODING;
        return WORK.contains(to) && !forward;
    }

    private Next failed(StoryRun run, Throwable failure) {
        if (Thread.currentThread().isInterrupted() || failure instanceof CancelledException) {
            return ended(run, StoryResult.Outcome.CANCELLED, new CancelledException());
        }
        if (failure instanceof RetriableException retriable
                && CoderTransitions.isAllowed(run.state, CoderState.SUSPEND)) {
            return suspend.suspend(run, retriable);
        }
        if (failure instanceof RejectedException) {
            return ended(run, StoryResult.Outcome.REJECTED, failure);
        }
        if (failure instanceof WorkspaceProblem && CoderTransitions.isAllowed(run.state, CoderState.CODING)) {
            try {
                rounds.sendBack(run, run.state, String.valueOf(failure.getMessage()));
                run.progress.baseCommit = run.workspace().baseCommit();
                run.progress.guidance.add("Your work cannot be committed: " + failure.getMessage());
                return new Next(CoderState.CODING, "the workspace cannot be committed");
            } catch (StuckException e) {
                return ended(run, StoryResult.Outcome.FAILED, e);
            }
        }
        return ended(run, StoryResult.Outcome.FAILED, failure);
    }

    private Next ended(StoryRun run, StoryResult.Outcome outcome, Throwable failure) {
        // Maestro's own messages say it all; of a foreign exception one wants to know what it is.
        String message = failure instanceof MaestroException known ? known.getMessage() : Texts.describe(failure);
        run.progress.outcome = outcome;
        run.error = redactor.redact("in " + run.state + ": " + message);
        if (outcome == StoryResult.Outcome.FAILED) {
            LOG.warn("story {} attempt {} failed {}", run.story.id(), run.attempt, run.error);
            if (LOG.isDebugEnabled()) {
                LOG.debug("story {} failed: {}", run.story.id(), redactor.redact(Texts.stackTrace(failure)));
            }
        }
        return new Next(CoderState.ERROR, message);
    }

    private void go(StoryRun run, Next next) {
        if (next.state() == CoderState.DONE) {
            run.progress.outcome = run.mergeCommit == null ? StoryResult.Outcome.NO_CHANGE : StoryResult.Outcome.MERGED;
        }
        boolean suspension = run.state == CoderState.SUSPEND || next.state() == CoderState.SUSPEND;
        if (!suspension) {
            run.progress.step++;
        }
        String reason = redactor.redact(next.reason().lines().findFirst().orElse(""));
        store.recordTransition(
                new Store.StateTransition(
                        run.sessionId,
                        run.story.id(),
                        run.attempt,
                        run.agentId,
                        run.state,
                        next.state(),
                        reason,
                        Instant.now()),
                run.toRecord(next.state()));
        CoderState from = run.state;
        run.state = next.state();
        LOG.debug("story {}: {} -> {} ({})", run.story.id(), from, next.state(), reason);
        events.onEvent(new MaestroEvent.StateChanged(run.story.id(), run.agentId, from, next.state(), reason));
    }

    private static StoryResult result(StoryRun run) {
        StoryResult.Outcome outcome = run.progress.outcome;
        return new StoryResult(
                run.story.id(),
                run.attempt,
                outcome == null ? StoryResult.Outcome.FAILED : outcome,
                Optional.ofNullable(run.mergeCommit),
                Optional.ofNullable(run.workspace).map(workspace -> workspace.branch()),
                Optional.ofNullable(run.error),
                run.meter.usage(),
                run.meter.knownCost(),
                run.meter.elapsed());
    }
}
