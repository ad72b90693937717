package io.maestro.git.internal;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;

/**
 * Merges a story's commit into the target branch of the real repository, by way of the mirror. What is pushed has the files
 * that were tested: the commit's own, on top of the tip that it was tested with. Stateless.
 */
public final class LocalMerge {
    private static final Identity IDENTITY = new Identity("Maestro", "maestro@maestro.local");

    private final GitCli git;

    /**
     * Creates it.
     *
     * @param times how long git may show no progress
     */
    public LocalMerge(GitTimes times) {
        this.git = new GitCli(times);
    }

    /**
     * Merges and pushes.
     *
     * @param proposal what to merge
     * @return what came of it
     * @throws GitException when the commit does not contain its base, or the repository refuses; GitUnavailableException
     *     when it cannot be reached, or takes no push at the moment
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

    private static Outcome push(Mirror mirror, Repository repository, ObjectId base, ObjectId commit, Proposal proposal)
            throws IOException {
        String branch = proposal.targetBranch();
        if (!StoryCommits.contains(repository, commit, base)) {
            throw new GitException(
                    "the commit " + commit.name() + " of story " + proposal.storyId() + " does not contain "
                            + base.name() + ", the tip of the branch '" + branch + "' that it was to be tested with",
                    null);
        }
        ObjectId made = StoryCommits.create(
                repository,
                StoryCommits.tree(repository, commit),
                List.of(base, commit),
                IDENTITY.of(""),
                StoryCommits.message(
                        "Merge story " + proposal.storyId() + ": " + proposal.title(),
                        proposal.description(),
                        List.of(),
                        proposal.storyId(),
                        proposal.attempt()));
        if (mirror.push(made, branch)) {
            mirror.deletePushed(proposal.branch(), commit);
            return new Outcome.Merged(made.name(), false);
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
}
