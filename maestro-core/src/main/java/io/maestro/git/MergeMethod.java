package io.maestro.git;

/** How a forge merges. A server's repository has to allow it. */
public enum MergeMethod {
    /** With a merge commit. */
    MERGE,
    /** As one new commit on the target branch. */
    SQUASH,
    /** With each commit made anew on the target branch, or moved there as it is where nothing came in between. */
    REBASE,
    /**
     * By the target branch's merge queue (on GitLab, merge train). The server tests the work once more together with what stands
     * before it and merges by its own rule, so that a story need not be tested again whenever the target branch moves. git alone
     * and Gitea have none.
     */
    QUEUE
}
