package io.maestro.git.github.internal;

/**
 * A check of a commit, by an app or by a status.
 *
 * @param id of the run; 0 for a status
 * @param job whether it is a job of GitHub Actions, which has a log
 * @param said what it says about itself; may be empty
 */
record Check(String name, State state, String word, String url, long id, boolean job, String said) {
    /** What a check means for a merge. */
    enum State {
        /** Nothing is in the way. */
        GREEN,
        /** It has not ended. */
        RUNNING,
        /** The coder has to mend something. */
        RED,
        /** It has ended without a verdict: people have to start it again or agree. */
        STUCK
    }

    /** The table of conclusions of check runs; a word that is new to it waits for people. */
    static State ofRun(String status, String conclusion) {
        if (!status.equals("completed")) {
            return State.RUNNING;
        }
        return switch (conclusion) {
            case "success", "neutral", "skipped" -> State.GREEN;
            case "failure", "timed_out", "startup_failure" -> State.RED;
            default -> State.STUCK;
        };
    }

    /** The table of statuses. */
    static State ofStatus(String state) {
        return switch (state) {
            case "success" -> State.GREEN;
            case "failure", "error" -> State.RED;
            default -> State.RUNNING;
        };
    }
}
