package io.maestro.git.internal;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.MergeMethod;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges a story's commit into the target branch of the real repository, by way of the mirror. What is pushed has the files
 * that were tested: the commit's own, on top of the tip that it was tested with. Stateless.
 */
public final class LocalMerge {
    private static final Logger LOG = LoggerFactory.getLogger(LocalMerge.class);

    /** So long somebody has to mend what keeps a branch from being pushed, before it is tried again. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(5);

    private final GitCli git;
    private final MergeMethod method;

    /**
     * Creates it.
     *
     * @param times how long git may show no progress
     * @param method how it merges
     */
    public LocalMerge(GitTimes times, MergeMethod method) {
        this.git = new GitCli(times);
        this.method = method;
    }

    /**
     * Merges and pushes.
     *
     * @param proposal what to merge
     * @return what came of it
     * @throws GitException when the commit does not contain its base; GitUnavailableException when the repository
     *     cannot be reached, or takes no push at the moment
     */
    public Outcome merge(Proposal proposal) {
        Mirror mirror = new Mirror(proposal.repository().toAbsolutePath(), RemoteUrl.parse(proposal.remote()), git);
        return mirror.locked(() -> {
            ObjectId tip = mirror.fetchBranch(proposal.targetBranch());
            try (Repository repository = mirror.open()) {
                ObjectId commit = StoryCommits.require(repository, proposal.commit());
                ObjectId merged = StoryCommits.merged(repository, tip, proposal.commits());
                if (merged != null) {
                    if (StoryCommits.contains(repository, tip, commit)) {
                        mirror.deletePushed(proposal.branch(), commit);
                    }
                    return new Outcome.Merged(merged.name(), true);
                }
                if (!tip.name().equals(proposal.base())) {
                    return new Outcome.Moved(tip.name());
                }
                return push(mirror, repository, tip, commit, proposal);
            }
        });
    }

    private Outcome push(Mirror mirror, Repository repository, ObjectId base, ObjectId commit, Proposal proposal)
            throws IOException {
        String branch = proposal.targetBranch();
        if (!StoryCommits.contains(repository, commit, base)) {
            throw new GitException(
                    "the commit " + commit.name() + " of story " + proposal.storyId() + " does not contain "
                            + base.name() + ", the tip of the branch '" + branch + "' that it was to be tested with",
                    null);
        }
        ObjectId made = made(mirror, repository, base, commit, proposal);
        try {
            if (mirror.push(made, branch, false)) {
                mirror.deletePushed(proposal.branch(), commit);
                return new Outcome.Merged(made.name(), false);
            }
        } catch (RemoteFailure.RemoteRefusal e) {
            LOG.warn("story {} waits to be merged, which was refused: {}", proposal.storyId(), e.getMessage());
            return new Outcome.Pending(AFTER_REFUSAL, String.valueOf(e.getMessage()));
        }
        ObjectId tip = mirror.fetchBranch(branch);
        if (tip.equals(base)) {
            throw new GitUnavailableException(
                    "the branch '" + branch + "' of " + mirror.remote() + " takes no push, although it has not moved:"
                            + " another push is under way there, or a killed one has left refs/heads/" + branch
                            + ".lock or HEAD.lock, which may be removed then",
                    null);
        }
        return new Outcome.Moved(tip.name());
    }

    /** What is pushed: it has the commit's files, and its base as an ancestor. */
    private ObjectId made(Mirror mirror, Repository repository, ObjectId base, ObjectId commit, Proposal proposal)
            throws IOException {
        try (RevWalk walk = new RevWalk(repository)) {
            RevCommit tested = walk.parseCommit(commit);
            Committer committer = new Committer(tested.getCommitterIdent(), tested.getRawGpgSignature() != null);
            if (method == MergeMethod.MERGE) {
                String message = StoryCommits.message(
                        "Merge story " + proposal.storyId() + ": " + proposal.title(),
                        proposal.description(),
                        List.of(),
                        proposal.storyId(),
                        proposal.attempt());
                return committer.commit(mirror, repository, tested.getTree(), List.of(base, commit), message);
            }
            // One commit on the target branch's tip is what both ask for.
            return tested.getParent(0).equals(base) && tested.getParentCount() == 1
                            || method == MergeMethod.REBASE && isLine(walk, base, tested)
                    ? commit
                    : committer.commit(mirror, repository, tested.getTree(), List.of(base), tested.getFullMessage());
        }
    }

    /** Whether a commit lies on a base without a merge in between. */
    private static boolean isLine(RevWalk walk, ObjectId base, RevCommit commit) throws IOException {
        RevCommit at = commit;
        while (!at.equals(base) && at.getParentCount() == 1) {
            at = walk.parseCommit(at.getParent(0));
        }
        return at.equals(base);
    }
}
