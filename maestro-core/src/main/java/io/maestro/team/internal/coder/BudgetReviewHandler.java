package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.story.CoderState;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StuckException;
import java.util.Map;

/** BUDGET_REVIEW: the architect grants the budget once more, with advice, or ends the story. */
public final class BudgetReviewHandler implements StateHandler<CoderState, StoryAttempt> {
    private final Effects effects;
    private final Limits limits;

    public BudgetReviewHandler(Effects effects, Limits limits) {
        this.effects = effects;
        this.limits = limits;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        CoderState origin = run.origin();
        int grants = run.progress().returnedBy(CoderState.BUDGET_REVIEW);
        if (grants >= limits.budgetReviews()) {
            // Nobody is asked whose answer could not count.
            throw new StuckException((grants == 0
                            ? "no review may grant more budget, as Limits.budgetReviews is 0: "
                            : "the budget was granted " + grants
                                    + " times more, which is all that Limits.budgetReviews allows: ")
                    + run.turns().usedUp().lines().findFirst().orElse(""));
        }
        Architect.Reply reply = effects.ask(
                run,
                Architect.Kind.BUDGET_REVIEW,
                Map.of(
                        Architect.Request.BUDGET,
                        "in " + origin + ": " + run.turns().usedUp()));
        // Both other decisions let the coder go on; NEEDS_CHANGES says that it must go on differently.
        run.approved(reply, "more budget for " + origin);
        run.granted();
        return new Next<>(origin, "budget granted");
    }
}
