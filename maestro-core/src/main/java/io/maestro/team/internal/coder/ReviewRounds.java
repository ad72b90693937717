package io.maestro.team.internal.coder;

import io.maestro.agent.Limits;
import io.maestro.story.CoderState;
import io.maestro.team.internal.machine.StuckException;

/** Bounds how often a coder is sent back to work by each state, so that two agents that disagree come to an end. */
public final class ReviewRounds {
    private final Limits limits;

    public ReviewRounds(Limits limits) {
        this.limits = limits;
    }

    /**
     * Counts that a state sends the coder back.
     *
     * @throws StuckException when it did so too often
     */
    void sendBack(StoryAttempt run, CoderState by, String reason) {
        int most = by == CoderState.BUDGET_REVIEW ? limits.budgetReviews() : limits.rounds();
        int count = run.progress().returnBy(by);
        if (count > most) {
            throw new StuckException(by + " has sent the coder back " + count + " times, " + most
                    + " are allowed (see Limits); the last reason was: " + reason);
        }
    }
}
