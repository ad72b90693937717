package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Proposal;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies to the review threads that the coder was told of when it comes back with a commit, and resolves them. Each comment of a
 * person is answered once: an answer names the comment in a mark, and is looked for before and after it is sent.
 */
final class ThreadReplies {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadReplies.class);

    private final Server server;
    private final ForgeApi api;

    ThreadReplies(Server server, ForgeApi api) {
        this.server = server;
        this.api = api;
    }

    void give(Proposal proposal, PullRequest request, Predicate<String> look) {
        Map<String, String> told = RequestBody.told(request.body());
        if (told.isEmpty()) {
            return;
        }
        for (ReviewThread thread : server.threads(request, look).items()) {
            String toldAt = told.get(thread.key());
            if (thread.isOpen() && toldAt != null && !toldAt.equals(proposal.commit())) {
                answer(proposal, request, thread, look);
                resolve(request, thread);
            } else if (!thread.resolved()
                    && thread.unanswered().last() == 0
                    && thread.answer().commit().equals(proposal.commit())) {
                // An earlier life was ended in between.
                resolve(request, thread);
            }
        }
    }

    private void answer(Proposal proposal, PullRequest request, ReviewThread thread, Predicate<String> look) {
        String text = "Done in " + proposal.commit() + ".\n\n"
                + ReviewThread.mark(thread.unanswered().last(), proposal.commit());
        try {
            server.answer(request, thread, text);
        } catch (ApiException e) {
            if (e.isAboutThisAlone()) {
                LOG.warn("a review thread of {} cannot be answered: {}", request, e.getMessage());
            } else if (e.kind() != ApiFault.LOST || !isAnswered(request, thread, look)) {
                throw e;
            }
        }
    }

    private boolean isAnswered(PullRequest request, ReviewThread thread, Predicate<String> look) {
        for (int looks = 0; looks < Timing.LOOKS; looks++) {
            boolean there = server.threads(request, look).items().stream()
                    .anyMatch(one -> one.id().equals(thread.id())
                            && one.answer().comment() == thread.unanswered().last());
            if (there) {
                return true;
            }
            api.pause(looks);
        }
        return false;
    }

    /** Not all may: then people do it. */
    private void resolve(PullRequest request, ReviewThread thread) {
        try {
            server.resolve(request, thread);
        } catch (ApiException e) {
            if (!e.isAboutThisAlone()) {
                throw e;
            }
            LOG.info("the review thread at {} is answered and stays open: {}", thread.place(), e.getMessage());
        }
    }
}
