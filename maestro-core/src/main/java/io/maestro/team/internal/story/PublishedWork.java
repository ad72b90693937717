package io.maestro.team.internal.story;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What of a story may be in the real repository, of this attempt and of those before it. */
public final class PublishedWork {
    private List<String> earlierCommits = new ArrayList<>();
    private LinkedHashSet<String> pushedBranches = new LinkedHashSet<>();
    private boolean mayBeMerged;

    PublishedWork() {}

    /** The same for the next attempt. A commit of this one is looked for on the target when it may be there. */
    PublishedWork next(boolean isMaybeMerged, @Nullable String commit) {
        PublishedWork next = new PublishedWork();
        next.earlierCommits.addAll(earlierCommits);
        next.pushedBranches.addAll(pushedBranches);
        next.mayBeMerged = isMaybeMerged;
        if (isMaybeMerged && commit != null) {
            next.earlierCommits.add(commit);
        }
        return next;
    }

    /** Commits of earlier attempts that may have been merged: when one of them is on the target branch, the story is done. */
    public List<String> earlierCommits() {
        return List.copyOf(earlierCommits);
    }

    /** The work is on this branch in the real repository. */
    public void pushed(String branch) {
        pushedBranches.add(branch);
    }

    /** The branches that this attempt and those before it have pushed, and that may still be in the real repository. */
    public Set<String> pushedBranches() {
        return Set.copyOf(pushedBranches);
    }

    /** A merge is begun. */
    public void merging() {
        mayBeMerged = true;
    }

    /** The end of the merge is known. */
    public void mergeEnded() {
        mayBeMerged = false;
    }

    /** Whether the work may be on the target branch although no row says so: the merge was begun, and its end is not known. */
    public boolean mayBeMerged() {
        return mayBeMerged;
    }
}
