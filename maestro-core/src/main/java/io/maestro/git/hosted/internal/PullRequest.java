package io.maestro.git.hosted.internal;

import java.util.Set;

/**
 * A pull request or merge request as the server shows it.
 *
 * @param number its number in the repository
 * @param reference how the server writes it, as in {@code #1}
 * @param url where people see it
 * @param state whether it can be merged, or is
 * @param branches what goes where
 * @param people who has made it, and who looks at it
 * @param body its text
 * @param labels their names
 */
public record PullRequest(
        int number,
        String reference,
        String url,
        MergeState state,
        Branches branches,
        Participants people,
        String body,
        Set<String> labels) {
    /**
     * Whether it can be merged, or is.
     *
     * @param open neither closed nor merged
     * @param merged whether its work is in the target branch
     * @param draft whether it is not to be merged yet
     * @param standing whether it can be merged; in lists perhaps unknown
     * @param mergeCommit what brought it in, once it is merged; empty before
     * @param mergedBy who has merged it; empty before
     */
    public record MergeState(
            boolean open, boolean merged, boolean draft, Mergeable standing, String mergeCommit, String mergedBy) {}

    /**
     * What goes where.
     *
     * @param headSha its last commit
     * @param headRef its branch
     * @param own whether its branch is in this repository
     * @param baseRef the branch it goes into
     */
    public record Branches(String headSha, String headRef, boolean own, String baseRef) {}

    /**
     * Who has made it, and who looks at it.
     *
     * @param author who has made it
     * @param reviewers who is asked to look at it and has not yet; of a team what stands behind the slash
     */
    public record Participants(String author, Set<String> reviewers) {}

    /** Whether a server would merge. */
    public enum Mergeable {
        /** It would. */
        READY,
        /** Not before the target branch's news is in it. */
        BEHIND,
        /** The same, and that news may be in conflict with it. */
        STALE,
        /** Its rules do not allow it yet. */
        BLOCKED,
        /** It has not looked yet. */
        UNKNOWN
    }

    @Override
    public String toString() {
        return reference + " (" + url + ")";
    }
}
