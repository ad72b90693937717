package io.maestro.team.internal.coder;

import io.maestro.environment.Phase;
import io.maestro.story.CoderState;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.machine.Next;
import io.maestro.tools.ToolSignal;

/** PLANNING: the coder explores and submits a plan, or says that there is nothing to do. */
public final class PlanningHandler extends WorkHandler {
    public PlanningHandler(CoderDriver driver) {
        super(driver, Phase.PLANNING);
    }

    @Override
    Next<CoderState> completed(StoryAttempt run, ToolSignal signal) {
        if (signal.name().equals("story_complete")) {
            run.turns().claimed(Signals.text(signal, "reason"));
            return new Next<>(CoderState.PLAN_REVIEW, "says that there is nothing to do");
        }
        run.turns().planned(Signals.text(signal, "plan"));
        return new Next<>(CoderState.PLAN_REVIEW, "submits a plan");
    }
}
