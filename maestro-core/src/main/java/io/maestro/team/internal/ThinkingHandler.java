package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.environment.Phase;
import io.maestro.error.RetriableException;
import io.maestro.llm.LlmClient;
import io.maestro.tools.ToolSignal;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * PLANNING and CODING: the states in which a coder's model works. Its desk is kept, so that it goes on where it was when it
 * comes back; whatever came in meanwhile is the first that the model reads.
 */
abstract class ThinkingHandler implements StateHandler {
    private final ToolLoop loop;
    private final LlmClient model;
    private final Map<String, List<String>> signals;
    private final Function<StoryRun, Desk> newDesk;
    private final SharedNotes notes;
    private final Phase phase;

    ThinkingHandler(
            ToolLoop loop,
            LlmClient model,
            Map<String, List<String>> signals,
            Function<StoryRun, Desk> newDesk,
            SharedNotes notes,
            Phase phase) {
        this.phase = phase;
        this.signals = signals;
        this.loop = loop;
        this.model = model;
        this.newDesk = newDesk;
        this.notes = notes;
    }

    @Override
    public Next handle(StoryRun run) {
        run.environment().enter(phase);
        run.outage.set(null);
        Desk desk = desk(run);
        desk.conversation().enter(run.progress.step);
        List<String> guidance = run.progress.guidance;
        guidance.forEach(desk.conversation()::tellOnce);
        guidance.clear();

        Visit visit = notes.join(Visit.of(desk.conversation(), desk.tools(), signals, model, run.meter), run);
        ToolLoop.Outcome outcome = loop.run(visit.news(() -> {
            requireNoOutage(run);
            return visit.news().get();
        }));
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

    /** A model cannot help it that nobody answers: it would use up its turns, and the story would fail. */
    private static void requireNoOutage(StoryRun run) {
        RetriableException outage = run.outage.getAndSet(null);
        if (outage != null) {
            throw outage;
        }
    }

    /** Where the coder works in this state; the same one until the attempt ends. */
    final Desk desk(StoryRun run) {
        return run.desks.computeIfAbsent(run.state, state -> newDesk.apply(run));
    }

    private static Next question(StoryRun run, ToolSignal signal) {
        run.progress.origin = run.state;
        run.progress.question = Signals.text(signal, "question");
        return new Next(CoderState.QUESTION, "asks the architect");
    }

    /** What follows from the state's own terminal tool. */
    abstract Next completed(StoryRun run, ToolSignal signal);
}
