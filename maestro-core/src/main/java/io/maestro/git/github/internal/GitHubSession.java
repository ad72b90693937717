package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.internal.ProposedCommits;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works with one repository of GitHub. Failures of the API end here: what passes is told as unavailable, what somebody has to
 * mend is waited for, since the work is approved and pushed. Safe for use by several threads.
 */
public final class GitHubSession {
    private static final Logger LOG = LoggerFactory.getLogger(GitHubSession.class);
    private static final int KEPT = 1000;

    private final RepositoryName repository;
    private final Timing timing;
    private final GitHubApi api;
    private final ProposedCommits commits;
    private final Requests requests;
    private final Reviews reviews;
    private final ReviewThreads threads;
    private final Answers answers;
    private final Invitations invitations;
    private final Checks checks;
    private final Merging merging;
    private final Standing standing;
    private final Rights rights;
    private final Map<String, Known> seen = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > KEPT;
        }
    });

    /** What this process knows of a proposed commit. */
    private static final class Known {
        final long since = System.nanoTime();
        volatile boolean complete;
    }

    /**
     * Opens nothing yet.
     *
     * @param set what is set
     * @param repository which repository
     */
    public GitHubSession(GitHubSettings set, RepositoryName repository) {
        this.repository = repository;
        this.timing = set.timing();
        URI base = set.baseUrl() != null ? set.baseUrl() : baseUrl(repository.host());
        this.api = new GitHubApi(
                new GitHubHttp(set.client(), repository.host(), set.token(), timing.call()), base, timing);
        this.commits = new ProposedCommits(set.git());
        this.requests = new Requests(api, repository, commits);
        this.reviews = new Reviews(api, repository.path());
        this.threads = new ReviewThreads(api, repository);
        this.answers = new Answers(api, repository.path(), threads);
        this.invitations = new Invitations(api, repository.path(), set.labels(), set.reviewers(), reviews);
        this.checks = new Checks(api, repository.path());
        this.merging = new Merging(api, repository, requests, set.method(), timing);
        this.rights = new Rights(api, repository, set.method());
        this.standing = new Standing(requests, checks, merging, commits, set.policy(), timing);
    }

    /** Where the API of a server is. */
    static URI baseUrl(String host) {
        if (host.equals("github.com") || host.endsWith(".ghe.com")) {
            return URI.create("https://api." + host);
        }
        return URI.create("https://" + host + "/api/v3");
    }

    /**
     * Looks whether requests could be made and merged.
     *
     * @param targetBranch the branch to merge into
     * @return what was found
     */
    public String check(String targetBranch) {
        try {
            return rights.check(targetBranch);
        } catch (ApiException e) {
            if (e.kind() == ApiException.Kind.LOST || e.kind() == ApiException.Kind.LIMITED) {
                throw new GitUnavailableException(e.getMessage(), e, e.retryAfter());
            }
            throw new GitException(e.getMessage(), e);
        }
    }

    /**
     * Makes or updates the request.
     *
     * @param proposal see {@link io.maestro.git.Forge#propose}
     * @return its address; empty when somebody has to mend something first, which {@link #merge} waits for
     */
    public Optional<String> propose(Proposal proposal) {
        try {
            Known unused = seen.computeIfAbsent(proposal.commit(), commit -> new Known());
            PullRequest request = requests.findOrMake(proposal);
            return Optional.of(complete(proposal, request).url());
        } catch (ApiException e) {
            return switch (e.kind()) {
                case DENIED -> {
                    LOG.warn("no pull request for story {} yet: {}", proposal.storyId(), e.getMessage());
                    yield Optional.empty();
                }
                case LIMITED -> throw new GitUnavailableException(e.getMessage(), e, e.retryAfter());
                case LOST -> throw new GitUnavailableException(e.getMessage(), e);
                case REFUSED -> throw new GitException(e.getMessage(), e);
            };
        }
    }

    /** Whatever belongs to a proposal beside the request itself; done again it changes nothing. */
    private PullRequest complete(Proposal proposal, PullRequest found) {
        if (!found.open()) {
            return found;
        }
        PullRequest request = requests.updated(proposal, found);
        invitations.send(request);
        answers.give(proposal, request);
        inviteAgain(proposal, request);
        seen.computeIfAbsent(proposal.commit(), commit -> new Known()).complete = true;
        return request;
    }

    /** Those whose wishes the coder was told of, once it has made another commit. */
    private void inviteAgain(Proposal proposal, PullRequest request) {
        Map<String, String> told = RequestBody.told(request.body());
        if (told.keySet().stream().noneMatch(key -> key.startsWith("r"))) {
            return;
        }
        Set<String> people = new TreeSet<>();
        reviews.of(request, "").stream()
                .filter(Reviews.Review::wantsChanges)
                .filter(review ->
                        !told.getOrDefault(review.key(), proposal.commit()).equals(proposal.commit()))
                .forEach(review -> people.add(review.login()));
        invitations.invite(request, people);
    }

    /**
     * Merges the request, or says how it stands.
     *
     * @param proposal see {@link io.maestro.git.Forge#merge}
     * @return see there
     */
    public Outcome merge(Proposal proposal) {
        try {
            Outcome outcome = stands(proposal);
            if (outcome instanceof Outcome.Merged) {
                deleteBranch(proposal);
            }
            if (outcome instanceof Outcome.Merged || outcome instanceof Outcome.Closed) {
                requests.forget(proposal);
            }
            return outcome;
        } catch (ApiException e) {
            return switch (e.kind()) {
                case DENIED -> {
                    LOG.warn("story {} waits to be merged: {}", proposal.storyId(), e.getMessage());
                    yield new Outcome.Pending(timing.mend(), e.getMessage());
                }
                case LIMITED ->
                    new Outcome.Pending(e.retryAfter() == null ? timing.mend() : e.retryAfter(), e.getMessage());
                case LOST -> throw new GitUnavailableException(e.getMessage(), e);
                case REFUSED -> throw new GitException(e.getMessage(), e);
            };
        }
    }

    private void deleteBranch(Proposal proposal) {
        try {
            commits.deleteBranch(proposal);
        } catch (GitException | GitUnavailableException e) {
            LOG.info("the merged branch '{}' may stay: {}", proposal.branch(), e.getMessage());
        }
    }

    private Outcome stands(Proposal proposal) {
        Known known = seen.computeIfAbsent(proposal.commit(), commit -> new Known());
        PullRequest request = requests.findOrMake(proposal);
        if (request.merged()) {
            return mergedBySomebody(proposal, request);
        }
        if (!request.open()) {
            return new Outcome.Closed("pull request " + request + " was closed by " + closer(request));
        }
        if (!known.complete) {
            // Nobody could propose it, or an earlier life has.
            request = complete(proposal, request);
        }
        if (!request.baseRef().equals(proposal.targetBranch())) {
            return new Outcome.Pending(
                    timing.poll(),
                    request + " now goes into " + request.baseRef() + ": set it back to " + proposal.targetBranch()
                            + ", or close it");
        }
        if (!request.headSha().equals(proposal.commit())) {
            return otherHead(proposal, request);
        }
        ReviewThreads.All people = threads.of(request);
        Feedback feedback = new Feedback(
                proposal, request, checks.of(proposal.commit()), reviews.of(request, people.self()), people.threads());
        Duration old = Duration.ofNanos(System.nanoTime() - known.since);
        return standing.of(proposal, request, feedback, timing.settle().minus(old));
    }

    private Outcome mergedBySomebody(Proposal proposal, PullRequest request) {
        String head = request.headSha();
        if (proposal.commits().contains(head) || requests.contains(head, proposal.commit())) {
            return request.mergeCommit().isEmpty()
                    ? new Outcome.Pending(merging.soon(), request + " does not show yet what it was merged as")
                    : new Outcome.Merged(request.mergeCommit(), true);
        }
        return new Outcome.Closed("pull request " + request + " was merged by " + request.mergedBy() + " at " + head
                + ", without the story's last commit " + proposal.commit() + ", which stays on the branch "
                + proposal.branch());
    }

    private String closer(PullRequest request) {
        String login = api.find(repository.path() + "/issues/" + request.number())
                .map(json -> PullRequest.text(json.path("closed_by").path("login")))
                .orElse("");
        return login.isEmpty() ? "somebody" : login;
    }

    /** The request shows a push late; or somebody else has pushed. */
    private Outcome otherHead(Proposal proposal, PullRequest request) {
        String branch = api.find(repository.path() + "/git/ref/heads/" + GitHubApi.encoded(proposal.branch()))
                .map((JsonNode json) -> PullRequest.text(json.path("object").path("sha")))
                .orElse("");
        if (branch.equals(proposal.commit())) {
            return new Outcome.Pending(merging.soon(), request + " does not show the last push yet");
        }
        return new Outcome.Closed("somebody has pushed " + (branch.isEmpty() ? request.headSha() : branch)
                + " to the branch " + proposal.branch() + " of pull request " + request
                + ", where Maestro had pushed " + proposal.commit() + "; it is left to people");
    }
}
