package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.github.internal.ApiException.Kind;
import io.maestro.git.github.internal.ReviewThreads.ReviewThread;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the review threads that the coder was told of when it comes back with a commit, and resolves them. Each comment of a
 * person is answered once: an answer names the comment in a mark, and is looked for before and after it is sent.
 */
final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private final GitHubApi api;
    private final String path;
    private final ReviewThreads threads;

    /** @param path of the repository */
    Answers(GitHubApi api, String path, ReviewThreads threads) {
        this.api = api;
        this.path = path;
        this.threads = threads;
    }

    void give(Proposal proposal, PullRequest request) {
        Map<String, String> told = RequestBody.told(request.body());
        if (told.isEmpty()) {
            return;
        }
        for (ReviewThread thread : threads.of(request).threads()) {
            String toldAt = told.get(thread.key());
            if (thread.isOpen() && toldAt != null && !toldAt.equals(proposal.commit())) {
                answer(proposal, request, thread);
                resolve(thread);
            } else if (!thread.resolved()
                    && thread.last() == 0
                    && thread.answeredWith().equals(proposal.commit())) {
                // An earlier life was ended in between.
                resolve(thread);
            }
        }
    }

    private void answer(Proposal proposal, PullRequest request, ReviewThread thread) {
        String text = "Done in " + proposal.commit() + ".\n\n" + ReviewThreads.mark(thread.last(), proposal.commit());
        try {
            JsonNode unused = api.change(
                    "POST",
                    path + "/pulls/" + request.number() + "/comments/" + thread.root() + "/replies",
                    GitHubApi.object().put("body", text));
        } catch (ApiException e) {
            if (e.isAboutThisAlone()) {
                LOG.warn("a review thread of {} cannot be answered: {}", request, e.getMessage());
            } else if (e.kind() != Kind.LOST || !isAnswered(request, thread)) {
                throw e;
            }
        }
    }

    private boolean isAnswered(PullRequest request, ReviewThread thread) {
        for (int looks = 0; looks < Timing.LOOKS; looks++) {
            boolean there = threads.of(request).threads().stream()
                    .anyMatch(one -> one.id().equals(thread.id()) && one.answered() == thread.last());
            if (there) {
                return true;
            }
            api.pause(looks);
        }
        return false;
    }

    /** Not all may: then people do it. */
    private void resolve(ReviewThread thread) {
        try {
            threads.resolve(thread);
        } catch (ApiException e) {
            if (!e.isAboutThisAlone()) {
                throw e;
            }
            LOG.info("the review thread at {} is answered and stays open: {}", thread.place(), e.getMessage());
        }
    }
}
