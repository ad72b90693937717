package io.maestro.story;

/** The states of a coder; which may follow which is said by {@code CoderTransitions}. */
public enum CoderState {
    /** Waits for a free coder. */
    WAITING,
    /** Workspace and branch are made. */
    SETUP,
    /** The coder explores the workspace and writes a plan. */
    PLANNING,
    /** The architect reviews the plan, or the claim that there is nothing to do. */
    PLAN_REVIEW,
    /** The coder changes the workspace. */
    CODING,
    /** The project's tests run. */
    TESTING,
    /** The architect reviews the change. */
    CODE_REVIEW,
    /** A budget is used up; the architect decides whether the coder goes on. */
    BUDGET_REVIEW,
    /** The coder has asked the architect something. */
    QUESTION,
    /** The change is committed and pushed. */
    PREPARE_MERGE,
    /** The architect decides on the merge, and it is made. */
    AWAIT_MERGE,
    /** The model's service is down; all is kept and it is asked again later. */
    SUSPEND,
    /** The end: merged, or nothing to do. */
    DONE,
    /** The end: failed, rejected or cancelled. */
    ERROR;

    /**
     * Whether the state is an end.
     *
     * @return true for {@link #DONE} and {@link #ERROR}
     */
    public boolean isFinal() {
        return this == DONE || this == ERROR;
    }
}
