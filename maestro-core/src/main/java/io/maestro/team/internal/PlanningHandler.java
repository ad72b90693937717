package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.environment.Phase;
import io.maestro.tools.ToolSignal;

/** PLANNING: the coder explores and submits a plan, or says that there is nothing to do. */
final class PlanningHandler extends ThinkingHandler {
    PlanningHandler(Thinking thinking) {
        super(thinking, Phase.PLANNING);
    }

    @Override
    Next completed(StoryRun run, ToolSignal signal) {
        if (signal.name().equals("story_complete")) {
            run.progress.plan = null;
            run.progress.claim = Signals.text(signal, "reason");
            return new Next(CoderState.PLAN_REVIEW, "says that there is nothing to do");
        }
        run.progress.claim = null;
        run.progress.plan = Signals.text(signal, "plan");
        return new Next(CoderState.PLAN_REVIEW, "submits a plan");
    }
}
