package io.maestro.team.internal.coder;

import io.maestro.git.Forge;
import io.maestro.internal.Uninterrupted;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back what a story has proposed that ends without being merged: before its end is in the record, so that a killed process
 * leaves it to the next one. Stateless.
 */
final class Withdrawal {
    private static final Logger LOG = LoggerFactory.getLogger(Withdrawal.class);

    private final StoryProposal proposals;
    private final Forge forge;

    Withdrawal(StoryProposal proposals, Forge forge) {
        this.proposals = proposals;
        this.forge = forge;
    }

    /** The story ends all the same when it fails. */
    void of(StoryAttempt run, String reason) {
        if (!run.work().isCommitted() || run.sandbox().ownWorkspace().isEmpty()) {
            return;
        }
        try {
            Forge.Proposal proposal = proposals.of(run);
            // What has cancelled the story is not to cancel this. Each request to a forge has a time limit.
            Uninterrupted.run(() -> forge.withdraw(proposal, proposals.reason(reason)));
        } catch (RuntimeException e) {
            LOG.warn("what {} has proposed may stay open: {}", run, e.getMessage());
        }
    }
}
