package io.maestro.git.github;

/** How GitHub merges. The repository has to allow it. */
public enum MergeMethod {
    /** With a merge commit. */
    MERGE,
    /** As one new commit on the target branch. */
    SQUASH,
    /** With each commit made anew on the target branch. */
    REBASE
}
