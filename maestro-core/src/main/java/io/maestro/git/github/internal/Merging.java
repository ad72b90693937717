package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.github.MergeMethod;
import io.maestro.git.github.internal.ApiException.Kind;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks GitHub to merge: the proposed commit and no other, which the server checks, and only while its base is the target
 * branch's tip, which is looked at right before. GitHub itself keeps that last moment safe only where the branch's rules require
 * branches to be up to date. When the answer is lost, or is no, the request is looked at again.
 */
final class Merging {
    private static final Logger LOG = LoggerFactory.getLogger(Merging.class);

    private final GitHubApi api;
    private final RepositoryName repository;
    private final Requests requests;
    private final MergeMethod method;
    private final Timing timing;
    private final Lock one = new ReentrantLock();

    Merging(GitHubApi api, RepositoryName repository, Requests requests, MergeMethod method, Timing timing) {
        this.api = api;
        this.repository = repository;
        this.requests = requests;
        this.method = method;
        this.timing = timing;
    }

    /** The target branch's tip now. */
    String tip(Proposal proposal) {
        String ref = repository.path() + "/git/ref/heads/" + GitHubApi.encoded(proposal.targetBranch());
        return PullRequest.text(api.get(ref).path("object").path("sha"));
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

    private Outcome ask(Proposal proposal, PullRequest request) {
        ObjectNode body = GitHubApi.object()
                .put("sha", proposal.commit())
                .put("merge_method", method.name().toLowerCase(Locale.ROOT));
        if (method != MergeMethod.REBASE) {
            body.put(
                            "commit_title",
                            "Story " + proposal.storyId() + ": " + proposal.title() + " (#" + request.number() + ")")
                    .put("commit_message", proposal.description());
        }
        try {
            JsonNode merged = api.change("PUT", repository.path() + "/pulls/" + request.number() + "/merge", body);
            if (merged.path("merged").asBoolean()) {
                return merged(proposal, PullRequest.text(merged.path("sha")));
            }
            return again(proposal, request, PullRequest.text(merged.path("message")));
        } catch (ApiException e) {
            if (e.kind() == Kind.LOST || e.status() == 405 || e.status() == 409) {
                return again(proposal, request, e.kind() == Kind.LOST ? "" : e.getMessage());
            }
            throw e;
        }
    }

    /** How it stands after an answer that was lost, or is no. */
    private Outcome again(Proposal proposal, PullRequest request, String why) {
        PullRequest now = requests.read(request.number());
        if (now.merged() && now.headSha().equals(proposal.commit())) {
            return merged(proposal, now.mergeCommit());
        }
        String tip = tip(proposal);
        if (!tip.equals(proposal.base()) && now.open()) {
            return new Outcome.Moved(tip);
        }
        return why.isEmpty()
                ? new Outcome.Pending(soon(), "whether " + request + " is merged is not known yet")
                : new Outcome.Pending(timing.poll(), request + " is not merged: " + why);
    }

    private Outcome merged(Proposal proposal, String commit) {
        if (method != MergeMethod.REBASE) {
            warnOfUntested(proposal, commit);
        }
        return new Outcome.Merged(commit, false);
    }

    private void warnOfUntested(Proposal proposal, String commit) {
        try {
            Optional<JsonNode> made = api.find(repository.path() + "/git/commits/" + commit);
            String on = made.map(json ->
                            PullRequest.text(json.path("parents").path(0).path("sha")))
                    .orElse("");
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
