package io.maestro.story;

/** How the project's tests went on the work of a story. That they could not be run is neither passed nor failed. */
public enum TestOutcome {
    /** The command of the tests has ended with exit code 0. */
    PASSED,
    /** Only tests failed that fail without the change, too, and no fewer have passed: the architect has decided on that. */
    FAILED_BEFORE,
    /** Tests failed, or can no longer be run because of the change: it goes back to the coder, and is not merged. */
    FAILED,
    /**
     * It is not known whether the tests pass. No test has run, with the change or without it: there is no command to run them, or
     * it cannot be run. Or only tests failed that fail without the change, too, and fewer have passed, or nobody knows how many.
     */
    UNTESTED
}
