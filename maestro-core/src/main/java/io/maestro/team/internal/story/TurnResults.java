package io.maestro.team.internal.story;

import org.jspecify.annotations.Nullable;

/** What the coder's turns have come to: a plan or a claim, a summary, a question, a budget that is used up. */
public final class TurnResults {
    private @Nullable String plan;
    private @Nullable String claim;
    private @Nullable String summary;
    private @Nullable String question;
    private @Nullable String budgetFacts;

    TurnResults() {}

    /** The coder submits a plan. */
    public void planned(String submitted) {
        claim = null;
        plan = submitted;
    }

    /** The coder says that there is nothing to do. */
    public void claimed(String reason) {
        plan = null;
        claim = reason;
    }

    /** The plan, submitted or approved; empty when there is none. */
    public String plan() {
        return plan == null ? "" : plan;
    }

    /** Why there is nothing to do; null unless the coder says so. */
    public @Nullable String claim() {
        return claim;
    }

    /** The coder says what it has changed. */
    public void summarised(String said) {
        summary = said;
    }

    /** What the coder says that it has changed; empty when it has said nothing. */
    public String summary() {
        return summary == null ? "" : summary;
    }

    /** The coder asks. */
    public void asked(String asked) {
        question = asked;
    }

    /** What it asks. */
    public String question() {
        return String.valueOf(question);
    }

    /** A budget is used up. */
    public void usedUp(String facts) {
        budgetFacts = facts;
    }

    /** Which budget, and what for. */
    public String usedUp() {
        return String.valueOf(budgetFacts);
    }
}
