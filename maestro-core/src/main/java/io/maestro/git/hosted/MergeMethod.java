package io.maestro.git.hosted;

/** How a server merges. The repository has to allow it. */
public enum MergeMethod {
    /** With a merge commit. */
    MERGE,
    /** As one new commit on the target branch. */
    SQUASH,
    /** With each commit made anew on the target branch. */
    REBASE
}
