package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.story.CoderState;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.util.Map;

/** PLAN_REVIEW: the architect looks at the plan, or at the claim that there is nothing to do. */
public final class PlanReviewHandler implements StateHandler<CoderState, StoryAttempt> {
    private final Effects effects;

    public PlanReviewHandler(Effects effects) {
        this.effects = effects;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        String claim = run.turns().claim();
        Map<String, String> facts = claim != null
                ? Map.of(Architect.Request.CLAIM, claim)
                : Map.of(Architect.Request.PLAN, run.turns().plan());
        Architect.Reply reply = effects.ask(run, Architect.Kind.PLAN_REVIEW, facts);
        if (!run.approved(reply, claim != null ? "your claim that there is nothing to do" : "your plan")) {
            return new Next<>(CoderState.PLANNING, "the architect wants changes");
        }
        String changed = reply.plan();
        if (claim == null && changed != null) {
            run.turns().planned(changed);
            run.guidance().tell("The plan was changed before it was approved. This is the plan now:\n\n" + changed);
        }
        return claim != null
                ? new Next<>(CoderState.DONE, "there was nothing to do")
                : new Next<>(CoderState.CODING, "plan approved");
    }
}
