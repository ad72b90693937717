package io.maestro.git.hosted;

/** Who merges a request, and when. Checks that fail and changes that people ask for go back to the coder in any case. */
public enum MergePolicy {
    /** People, or a queue or rule of the server; Maestro never merges. */
    BY_PEOPLE,
    /**
     * Maestro, when all checks have run and are green, at least one person who may write to the repository has approved the
     * change, and no review thread with words of such a person is unresolved.
     */
    WHEN_APPROVED,
    /** Maestro, when all checks have run and are green and the server's own rules allow it. */
    AUTO
}
