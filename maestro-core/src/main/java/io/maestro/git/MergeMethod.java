package io.maestro.git;

/** How a forge merges. A server's repository has to allow it. */
public enum MergeMethod {
    /** With a merge commit. */
    MERGE,
    /** As one new commit on the target branch. */
    SQUASH,
    /** With each commit made anew on the target branch, or moved there as it is where nothing came in between. */
    REBASE
}
