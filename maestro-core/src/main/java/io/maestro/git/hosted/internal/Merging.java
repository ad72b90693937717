package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a server to merge: the proposed commit and no other, which the server checks, and only while its base is the target
 * branch's tip, which is looked at right before. A server keeps that last moment safe only where the branch's rules require
 * branches to be up to date. A merge queue is told the commit only, and tests it with the tip that it will be merged on. When the
 * answer is lost, or is no, the request is looked at again.
 */
final class Merging {
    private static final Logger LOG = LoggerFactory.getLogger(Merging.class);

    private final Server server;
    private final MergeMethod method;
    private final Timing timing;
    private final Lock one = new ReentrantLock();

    Merging(Server server, MergeMethod method, Timing timing) {
        this.server = server;
        this.method = method;
        this.timing = timing;
    }

    /** Whether a merge queue merges. */
    boolean queues() {
        return method == MergeMethod.QUEUE;
    }

    /** The target branch's tip now. */
    String tip(Proposal proposal) {
        return server.tip(proposal.targetBranch())
                .orElseThrow(() -> new ApiException(
                        ApiFault.DENIED,
                        404,
                        "there is no branch '" + proposal.targetBranch()
                                + "' any more: make it again, or submit the story for another branch",
                        null));
    }

    /** After so long something should be visible that has just happened. */
    Duration soon() {
        return timing.first().multipliedBy(8);
    }

    Outcome merge(Proposal proposal, PullRequest request) {
        one.lock();
        try {
            String tip = tip(proposal);
            return tip.equals(proposal.base()) ? ask(proposal, request) : new Outcome.Moved(tip);
        } finally {
            one.unlock();
        }
    }

    /** The queue looks for itself whether the target branch has moved. */
    Outcome enqueue(Proposal proposal, PullRequest request) {
        one.lock();
        try {
            return ask(proposal, request);
        } finally {
            one.unlock();
        }
    }

    private Outcome ask(Proposal proposal, PullRequest request) {
        try {
            Server.Merge merge = server.merge(proposal, request, method);
            return merge.commit()
                    .map(commit -> merged(proposal, commit))
                    .orElseGet(() -> again(proposal, request, merge.reason()));
        } catch (ApiException e) {
            if (e.kind() == ApiFault.LOST) {
                return again(proposal, request, "");
            }
            throw e;
        }
    }

    /** How it stands after an answer that was lost, or is no. */
    private Outcome again(Proposal proposal, PullRequest request, String why) {
        PullRequest now = server.read(request.number());
        if (now.state().merged() && now.branches().headSha().equals(proposal.commit())) {
            return merged(proposal, now.state().mergeCommit());
        }
        String tip = tip(proposal);
        if (method != MergeMethod.QUEUE
                && !tip.equals(proposal.base())
                && now.state().open()) {
            return new Outcome.Moved(tip);
        }
        return why.isEmpty()
                ? new Outcome.Pending(soon(), "whether " + request + " is merged is not known yet")
                : new Outcome.Pending(timing.poll(), request + " is not merged: " + why);
    }

    private Outcome merged(Proposal proposal, String commit) {
        if (method == MergeMethod.MERGE || method == MergeMethod.SQUASH) {
            warnOfUntested(proposal, commit);
        }
        return new Outcome.Merged(commit, false);
    }

    private void warnOfUntested(Proposal proposal, String commit) {
        try {
            String on = server.firstParent(commit).orElse("");
            if (!on.isEmpty() && !on.equals(proposal.base())) {
                LOG.warn(
                        "story {} was tested on {} and merged on {}, which came in at the same moment: let the rules of the"
                                + " branch {} require branches to be up to date",
                        proposal.storyId(),
                        proposal.base(),
                        on,
                        proposal.targetBranch());
            }
        } catch (ApiException e) {
            LOG.debug("on what {} was merged cannot be read: {}", commit, e.getMessage());
        }
    }
}
