package io.maestro.git.github;

/** Who merges a pull request, and when. Checks that fail and changes that people ask for go back to the coder in any case. */
public enum MergePolicy {
    /** People, or a queue or rule of GitHub; Maestro never merges. */
    BY_PEOPLE,
    /**
     * Maestro, when all checks are green, at least one person with a say in the repository has approved the change, and no
     * review thread is unresolved.
     */
    WHEN_APPROVED,
    /** Maestro, when all checks are green and GitHub's own rules allow it. */
    AUTO
}
