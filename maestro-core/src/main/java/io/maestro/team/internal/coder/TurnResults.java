package io.maestro.team.internal.coder;

import io.maestro.team.internal.dispatch.StoryProgress;
import org.jspecify.annotations.Nullable;

/** What the coder's turns have come to: a plan or a claim, a summary, a question, a budget that is used up. */
final class TurnResults {
    private final StoryProgress progress;

    TurnResults(StoryProgress progress) {
        this.progress = progress;
    }

    /** The coder submits a plan. */
    void planned(String plan) {
        progress.claim = null;
        progress.plan = plan;
    }

    /** The coder says that there is nothing to do. */
    void claimed(String reason) {
        progress.plan = null;
        progress.claim = reason;
    }

    /** The plan, submitted or approved; empty when there is none. */
    String plan() {
        return progress.plan == null ? "" : progress.plan;
    }

    /** Why there is nothing to do; null unless the coder says so. */
    @Nullable
    String claim() {
        return progress.claim;
    }

    /** The coder says what it has changed. */
    void summarised(String summary) {
        progress.summary = summary;
    }

    /** What the coder says that it has changed; empty when it has said nothing. */
    String summary() {
        return progress.summary == null ? "" : progress.summary;
    }

    /** The coder asks. */
    void asked(String question) {
        progress.question = question;
    }

    /** What it asks. */
    String question() {
        return String.valueOf(progress.question);
    }

    /** A budget is used up. */
    void usedUp(String facts) {
        progress.budgetFacts = facts;
    }

    /** Which budget, and what for. */
    String usedUp() {
        return String.valueOf(progress.budgetFacts);
    }
}
