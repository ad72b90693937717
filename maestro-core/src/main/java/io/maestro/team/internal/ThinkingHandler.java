package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.environment.Phase;
import io.maestro.tools.ToolSignal;

/** PLANNING and CODING: the states in which a coder thinks. */
abstract class ThinkingHandler implements StateHandler {
    private final Thinking thinking;
    private final Phase phase;

    ThinkingHandler(Thinking thinking, Phase phase) {
        this.thinking = thinking;
        this.phase = phase;
    }

    @Override
    public Next handle(StoryRun run) {
        boolean waits = false;
        try {
            run.environment().enter(phase);
            run.outage.set(null);
            Next next = next(run, thinking.think(run));
            waits = next.state() == CoderState.QUESTION;
            return next;
        } finally {
            if (!waits) {
                thinking.leave(run);
            }
        }
    }

    private Next next(StoryRun run, ToolLoop.Outcome outcome) {
        if (outcome instanceof ToolLoop.Outcome.Signalled signalled) {
            ToolSignal signal = signalled.signal();
            return switch (signal.name()) {
                case "ask_question" -> question(run, signal);
                case "report_blocked" ->
                    throw new StuckException("the coder is blocked: " + Signals.text(signal, "reason"));
                default -> completed(run, signal);
            };
        }
        if (outcome instanceof ToolLoop.Outcome.OverBudget over) {
            run.progress.origin = run.state;
            run.progress.budgetFacts = over.facts();
            return new Next(
                    CoderState.BUDGET_REVIEW, over.facts().lines().findFirst().orElse("a budget is used up"));
        }
        throw new StuckException(((ToolLoop.Outcome.Stuck) outcome).reason());
    }

    private static Next question(StoryRun run, ToolSignal signal) {
        run.progress.origin = run.state;
        run.progress.question = Signals.text(signal, "question");
        return new Next(CoderState.QUESTION, "asks the architect");
    }

    /** What follows from the state's own terminal tool. */
    abstract Next completed(StoryRun run, ToolSignal signal);

    final void tellMore(StoryRun run, String text) {
        thinking.tellMore(run, text);
    }
}
