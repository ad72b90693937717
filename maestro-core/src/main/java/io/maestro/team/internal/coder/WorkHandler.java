package io.maestro.team.internal.coder;

import io.maestro.environment.Phase;
import io.maestro.story.CoderState;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StuckException;
import io.maestro.tools.ToolSignal;

/** PLANNING and CODING: the states in which a coder thinks. */
abstract class WorkHandler implements StateHandler<CoderState, StoryAttempt> {
    private final CoderDriver driver;
    private final Phase phase;

    WorkHandler(CoderDriver driver, Phase phase) {
        this.driver = driver;
        this.phase = phase;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        boolean waits = false;
        try {
            run.environment().enter(phase);
            prepare(run);
            run.sandbox().forgetCommandFailure();
            Next<CoderState> next = next(run, driver.work(run));
            waits = next.state() == CoderState.QUESTION;
            return next;
        } finally {
            if (!waits) {
                driver.leave(run);
                run.sandbox().endStarted();
            }
        }
    }

    private Next<CoderState> next(StoryAttempt run, ToolLoop.LoopOutcome outcome) {
        if (outcome instanceof ToolLoop.LoopOutcome.Signalled signalled) {
            ToolSignal signal = signalled.signal();
            return switch (signal.name()) {
                case "ask_question" -> question(run, signal);
                case "report_blocked" ->
                    throw new StuckException("the coder is blocked: " + Signals.text(signal, "reason"));
                default -> completed(run, signal);
            };
        }
        if (outcome instanceof ToolLoop.LoopOutcome.OverBudget over) {
            run.overBudget(over.facts());
            return new Next<>(
                    CoderState.BUDGET_REVIEW, over.facts().lines().findFirst().orElse("a budget is used up"));
        }
        throw new StuckException(((ToolLoop.LoopOutcome.Stuck) outcome).reason());
    }

    private static Next<CoderState> question(StoryAttempt run, ToolSignal signal) {
        run.asks(Signals.text(signal, "question"));
        return new Next<>(CoderState.QUESTION, "asks the architect");
    }

    /** What is done in the environment before the coder works. */
    void prepare(StoryAttempt run) {}

    /** What follows from the state's own terminal tool. */
    abstract Next<CoderState> completed(StoryAttempt run, ToolSignal signal);

    final void tellMore(StoryAttempt run, String text) {
        driver.tellMore(run, text);
    }
}
