package io.maestro.team.internal.story;

import java.time.Duration;

/** What a story has used of its budget, beside what the record has of its costs. */
public final class BudgetUse {
    private long workedMillis;
    private int grants;

    /** 0 when it is the attempt itself. */
    private int budgetFrom;

    BudgetUse() {}

    /** The same for an attempt that takes this one's place, and shares its budget. */
    BudgetUse goingOn(int attempt) {
        BudgetUse next = new BudgetUse();
        next.workedMillis = workedMillis;
        next.grants = grants;
        next.budgetFrom = firstAttempt(attempt);
        return next;
    }

    /** The first attempt whose cost counts for the budget of this one. */
    int firstAttempt(int attempt) {
        return budgetFrom == 0 ? attempt : budgetFrom;
    }

    /** How long the story was worked on, up to the last change of state. */
    public Duration worked() {
        return Duration.ofMillis(workedMillis);
    }

    /** It was worked on so long in all. */
    public void worked(Duration time) {
        workedMillis = time.toMillis();
    }

    /** How often the architect has granted more budget. */
    public int grants() {
        return grants;
    }

    /** It is granted once more. */
    public void grant() {
        grants++;
    }

    /** It is granted so often in all, or more often if it was. */
    void grantedInAll(int times) {
        grants = Math.max(grants, times);
    }
}
