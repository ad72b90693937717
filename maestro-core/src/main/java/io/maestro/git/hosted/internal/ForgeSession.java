package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.MergePolicy;
import io.maestro.git.internal.ProposedCommits;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works with one repository. Failures of the API end here: what passes is told as unavailable, what somebody has to
 * mend is waited for, since the work is approved and pushed. Safe for use by several threads.
 */
public final class ForgeSession {
    private static final Logger LOG = LoggerFactory.getLogger(ForgeSession.class);
    private static final int KEPT = 1000;

    private final Product product;
    private final Timing timing;
    private final @Nullable MergeMethod method;
    private final Server server;
    private final ProposedCommits commits;
    private final PullRequests requests;
    private final ThreadReplies answers;
    private final Invitations invitations;
    private final Merging merging;
    private final Standing standing;
    private final Comments comments;
    private final Writers writers;
    private final Map<String, KnownProposal> seen = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, KnownProposal> eldest) {
            return size() > KEPT;
        }
    });

    /** What this process knows of a proposed commit. */
    private static final class KnownProposal {
        final long since = System.nanoTime();
        volatile boolean complete;
    }

    /**
     * Opens nothing yet.
     *
     * @param set what is set
     * @param repository which repository
     */
    public ForgeSession(ForgeSettings set, RepositoryName repository) {
        this.product = set.connection().product();
        this.timing = set.timing();
        this.method = set.policy() == MergePolicy.BY_PEOPLE ? null : set.method();
        Function<TokenSource, ForgeApi> apis = tokens -> api(set, repository, tokens);
        ForgeApi api = apis.apply(set.connection().token().of(repository, apis));
        this.server = product.open(api, repository);
        this.commits = new ProposedCommits(set.git());
        this.requests = new PullRequests(server, api, product.noun(), commits);
        this.writers = new Writers(server::mayWriteNow, Writers.KEPT);
        this.answers = new ThreadReplies(server, api);
        this.invitations = new Invitations(server, set.labels(), set.reviewers());
        this.merging = new Merging(server, set.method(), timing);
        this.standing = new Standing(requests, server, product, merging, commits, set.policy(), timing);
        this.comments = new Comments(set.comments() ? server.discussion() : Optional.empty(), requests, writers);
    }

    /**
     * What is written below requests.
     *
     * @return their comments
     */
    public Comments comments() {
        return comments;
    }

    private static ForgeApi api(ForgeSettings set, RepositoryName repository, TokenSource tokens) {
        Product product = set.connection().product();
        ForgeHttp http = new ForgeHttp(
                set.connection().client(),
                repository.host(),
                tokens,
                product.tokenAdvice(),
                set.connection().baseUrl() != null ? "forge.base_url" : "the repository's URL (git.repository)",
                set.timing().call());
        URI base = set.connection().baseUrl() != null ? set.connection().baseUrl() : product.api(repository.host());
        return new ForgeApi(http, base, product, set.timing());
    }

    /**
     * Looks whether requests could be made and merged.
     *
     * @param targetBranch the branch to merge into
     * @return what was found
     */
    public String check(String targetBranch) {
        try {
            return server.check(targetBranch, method);
        } catch (ApiException e) {
            throw failure(e);
        }
    }

    static RuntimeException failure(ApiException e) {
        return e.kind() == ApiException.ApiFault.LOST || e.kind() == ApiException.ApiFault.LIMITED
                ? new GitUnavailableException(e.getMessage(), e, e.retryAfter())
                : new GitException(e.getMessage(), e);
    }

    /**
     * Closes the request.
     *
     * @param proposal see {@link io.maestro.git.Forge#withdraw}
     * @param reason see there
     */
    public void withdraw(Proposal proposal, String reason) {
        try {
            requests.withdraw(proposal, reason);
        } catch (ApiException e) {
            throw failure(e);
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
            KnownProposal unused = seen.computeIfAbsent(proposal.commit(), commit -> new KnownProposal());
            PullRequest request = requests.findOrMake(proposal);
            return Optional.of(complete(proposal, request).url());
        } catch (ApiException e) {
            return switch (e.kind()) {
                case DENIED -> {
                    LOG.warn("no {} for story {} yet: {}", product.noun(), proposal.storyId(), e.getMessage());
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
        if (!found.state().open()) {
            return found;
        }
        PullRequest request = requests.updated(proposal, found);
        closeEarlier(proposal, request);
        invitations.send(request);
        Writers.WriterLookup look = writers.look();
        answers.give(proposal, request, look);
        inviteAgain(proposal, request, look.list());
        // Whoever could not be asked about may wait for an answer.
        seen.computeIfAbsent(proposal.commit(), commit -> new KnownProposal()).complete = look.isWhole();
        return request;
    }

    /** One that may not be closed is left to people. */
    private void closeEarlier(Proposal proposal, PullRequest request) {
        try {
            requests.closeEarlier(proposal, request);
        } catch (ApiException e) {
            if (e.kind() != ApiException.ApiFault.DENIED && e.kind() != ApiException.ApiFault.REFUSED) {
                throw e;
            }
            LOG.info("an earlier {} of story {} may stay open: {}", product.noun(), proposal.storyId(), e.getMessage());
        }
    }

    /** Those whose wishes the coder was told of, once it has made another commit. */
    private void inviteAgain(Proposal proposal, PullRequest request, Predicate<String> look) {
        Map<String, String> told = RequestBody.told(request.body());
        if (told.keySet().stream().noneMatch(key -> key.startsWith("r"))) {
            return;
        }
        Set<String> people = new TreeSet<>();
        server.reviews(request, look).items().stream()
                .filter(Review::wantsChanges)
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
        KnownProposal known = seen.computeIfAbsent(proposal.commit(), commit -> new KnownProposal());
        PullRequest request = requests.findOrMake(proposal);
        if (request.state().merged()) {
            return mergedBySomebody(proposal, request);
        }
        if (!request.state().open()) {
            return new Outcome.Closed(product.noun() + " " + request + " was closed by "
                    + server.closer(request).orElse("somebody"));
        }
        if (!known.complete) {
            // Nobody could propose it, or an earlier life has.
            request = complete(proposal, request);
        }
        if (!request.branches().baseRef().equals(proposal.targetBranch())) {
            return new Outcome.Pending(
                    timing.poll(),
                    request + " now goes into " + request.branches().baseRef() + ": set it back to "
                            + proposal.targetBranch() + ", or close it");
        }
        if (!request.branches().headSha().equals(proposal.commit())) {
            return otherHead(proposal, request);
        }
        Writers.WriterLookup look = writers.look();
        Listed<ReviewThread> threads = server.threads(request, look);
        List<Check> checks = server.checks(request, proposal.commit());
        Listed<Review> reviews = server.reviews(request, look.list());
        Feedback feedback = new Feedback(proposal, request, checks, reviews, threads, look.isWhole());
        Duration old = Duration.ofNanos(System.nanoTime() - known.since);
        return standing.of(proposal, request, feedback, timing.settle().minus(old));
    }

    private Outcome mergedBySomebody(Proposal proposal, PullRequest request) {
        String head = request.branches().headSha();
        if (proposal.commits().contains(head) || server.contains(head, proposal.commit())) {
            return request.state().mergeCommit().isEmpty()
                    ? new Outcome.Pending(merging.soon(), request + " does not show yet what it was merged as")
                    : new Outcome.Merged(request.state().mergeCommit(), true);
        }
        return new Outcome.Closed(product.noun() + " " + request + " was merged by "
                + request.state().mergedBy() + " at " + head
                + ", without the story's last commit " + proposal.commit() + ", which stays on the branch "
                + proposal.branch());
    }

    /** The request shows a push late; or somebody else has pushed. */
    private Outcome otherHead(Proposal proposal, PullRequest request) {
        String branch = server.tip(proposal.branch()).orElse("");
        if (branch.equals(proposal.commit())) {
            return new Outcome.Pending(merging.soon(), request + " does not show the last push yet");
        }
        return new Outcome.Closed(
                "somebody has pushed " + (branch.isEmpty() ? request.branches().headSha() : branch)
                        + " to the branch " + proposal.branch() + " of " + product.noun() + " " + request
                        + ", where Maestro had pushed " + proposal.commit() + "; it is left to people");
    }
}
