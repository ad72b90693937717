package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.hosted.MergePolicy;
import io.maestro.git.internal.ProposedCommits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a request stands that is open: back to the coder, back to be tested with the target branch's news, to wait, or to
 * be merged. What people and checks want comes first, so that nothing which the coder was told is ever taken for done by a
 * commit that it did not make. No check is not a green check: where some are required, or ran before, none is waited for.
 */
final class Standing {
    /** How many commits that were proposed before are looked at for checks. */
    private static final int MOST_EARLIER = 5;

    private final PullRequests requests;
    private final Server server;
    private final Product product;
    private final Merging merging;
    private final ProposedCommits commits;
    private final MergePolicy policy;
    private final Timing timing;

    Standing(
            PullRequests requests,
            Server server,
            Product product,
            Merging merging,
            ProposedCommits commits,
            MergePolicy policy,
            Timing timing) {
        this.requests = requests;
        this.server = server;
        this.product = product;
        this.merging = merging;
        this.commits = commits;
        this.policy = policy;
        this.timing = timing;
    }

    /**
     * Decides.
     *
     * @param settles how long checks may still appear
     */
    Outcome of(Proposal proposal, PullRequest request, Feedback feedback, Duration settles) {
        String tip = merging.tip(proposal);
        boolean moved = !tip.equals(proposal.base());
        Server.Queue queue = merging.queues() ? server.queue(request) : null;
        List<String> wanted = feedback.wanted();
        if (queue != null && queue.waits()) {
            if (wanted.isEmpty()) {
                // Checks are the queue's own business now.
                return pending(request + " is in the merge queue of " + proposal.targetBranch() + queue.said());
            }
            server.dequeue(request);
            queue = server.queue(request);
            if (queue.waits() || server.read(request.number()).state().merged()) {
                return new Outcome.Pending(merging.soon(), request + " is being taken out of the merge queue");
            }
            request = requests.remember(proposal, request, List.of(RequestBody.QUEUED + queue.left()));
        }
        if (!feedback.checks(Check.CheckState.RED).isEmpty() || !wanted.isEmpty()) {
            if (wanted.isEmpty() && moved) {
                // A check runs with the target branch's news in it, which may be at fault.
                return new Outcome.Moved(tip);
            }
            String text = feedback.text(server, product.noun());
            if (!wanted.isEmpty()) {
                List<String> told = new ArrayList<>(wanted);
                if (queue != null) {
                    // How it came out of the queue is no news, should the coder change nothing.
                    told.add(RequestBody.QUEUED + queue.left());
                }
                PullRequest unused = requests.remember(proposal, request, told);
            }
            return new Outcome.Refused(text);
        }
        if (moved
                && (request.state().standing() == PullRequest.Mergeable.STALE
                        || request.state().standing() == PullRequest.Mergeable.BEHIND && queue == null)) {
            return new Outcome.Moved(tip);
        }
        Optional<Outcome> wait = waits(proposal, request, feedback, settles, tip);
        if (wait.isPresent()) {
            return wait.get();
        }
        if (queue != null) {
            return notInQueue(proposal, request, queue, moved ? tip : null);
        }
        if (moved) {
            return new Outcome.Moved(tip);
        }
        return switch (request.state().standing()) {
            case READY -> merging.merge(proposal, request);
            case BLOCKED -> pending(request + " is blocked by rules of the branch " + proposal.targetBranch());
            case BEHIND, STALE, UNKNOWN -> notLooked(request);
        };
    }

    /**
     * Before work is put into the queue, its request notes with which commit, and how the queue had let it go the last time. What
     * is different then is about this commit.
     */
    private Outcome notInQueue(Proposal proposal, PullRequest request, Server.Queue queue, @Nullable String moved) {
        Optional<Long> before = RequestBody.told(request.body()).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(RequestBody.QUEUED)
                        && entry.getValue().equals(proposal.commit()))
                .map(entry -> Long.valueOf(entry.getKey().substring(1)))
                .max(Comparator.naturalOrder());
        if (before.isEmpty() || before.get() == queue.left()) {
            if (request.state().standing() == PullRequest.Mergeable.UNKNOWN) {
                return notLooked(request);
            }
            if (before.isPresent() && moved != null && request.state().standing() == PullRequest.Mergeable.BEHIND) {
                // It was to be put there and is not: this queue takes nothing that is behind.
                return new Outcome.Moved(moved);
            }
            PullRequest noted = requests.remember(proposal, request, List.of(RequestBody.QUEUED + queue.left()));
            return merging.enqueue(proposal, noted);
        }
        if (server.read(request.number()).state().merged()) {
            return new Outcome.Pending(merging.soon(), request + " was merged in this moment");
        }
        if (!queue.by().isEmpty()) {
            return pending(queue.by() + " has taken " + request + " out of the merge queue: put it back, or close it");
        }
        if (moved != null) {
            return new Outcome.Moved(moved);
        }
        List<Check> red = server.queueChecks(request, proposal.commit(), before.get()).stream()
                .filter(check -> check.state() == Check.CheckState.RED)
                .toList();
        return red.isEmpty()
                ? pending("the merge queue has let " + request + " go" + queue.said() + ": put it back, or close it")
                : new Outcome.Refused("The merge queue has tested " + product.noun() + " " + request.url()
                        + " together with what stands before it. Checks have failed there:\n"
                        + Check.report(red, server));
    }

    private Outcome notLooked(PullRequest request) {
        return new Outcome.Pending(
                merging.soon(), product.name() + " has not looked yet whether " + request + " can be merged");
    }

    private Optional<Outcome> waits(
            Proposal proposal, PullRequest request, Feedback feedback, Duration settles, String tip) {
        if (policy == MergePolicy.BY_PEOPLE) {
            return Optional.of(pending(request + " is to be merged by people"));
        }
        if (request.state().draft()) {
            return Optional.of(pending("somebody has made a draft of " + request + ": mark it as ready"));
        }
        Optional<String> unhappy = feedback.stillWantsChanges();
        if (unhappy.isPresent()) {
            return Optional.of(
                    pending(unhappy.get() + " has asked for changes of " + request + " and is to look again"));
        }
        Optional<String> unheard = feedback.unheard();
        if (unheard.isPresent()) {
            return Optional.of(pending(request + " " + unheard.get() + "; merge it by hand"));
        }
        List<Check> stuck = feedback.checks(Check.CheckState.STUCK);
        if (!stuck.isEmpty()) {
            return Optional.of(pending("checks of " + request
                    + " have ended without a verdict, and have to be run again: " + Check.names(stuck)));
        }
        List<Check> running = feedback.checks(Check.CheckState.RUNNING);
        if (!running.isEmpty()) {
            return Optional.of(pending("checks of " + request + " still run: " + Check.names(running)));
        }
        if (policy == MergePolicy.WHEN_APPROVED) {
            if (feedback.reviews().stream()
                    .noneMatch(review -> review.approves()
                            && !review.login().equalsIgnoreCase(request.people().author())
                            && commits.isCarriedOver(proposal, review.commit()))) {
                return Optional.of(pending(request + " needs an approving review of " + proposal.commit()));
            }
            if (feedback.hasUnresolvedThreads()) {
                return Optional.of(pending(request + " has review threads that are not resolved"));
            }
        }
        if (!settles.isZero() && !settles.isNegative()) {
            return Optional.of(new Outcome.Pending(settles, "checks of " + request + " may still begin"));
        }
        return feedback.hasChecks()
                ? Optional.empty()
                : shouldHaveChecks(proposal, request, tip)
                        .map(why -> pending("no check has run on " + proposal.commit() + " although " + why
                                + ": see why and start them, or merge " + request + " by hand"));
    }

    /** That nothing has failed says something only where nothing is ever checked; empty there. */
    private Optional<String> shouldHaveChecks(Proposal proposal, PullRequest request, String tip) {
        if (server.requiresChecks(proposal.targetBranch())) {
            return Optional.of("the rules of " + proposal.targetBranch() + " require checks");
        }
        if (merging.queues()) {
            // It tests what it merges, and its checks may be the only ones.
            return Optional.empty();
        }
        List<String> others = new ArrayList<>(commits.earlier(proposal, MOST_EARLIER));
        others.add(tip);
        return others.stream()
                .flatMap(other -> hadChecks(request, other).stream())
                .findFirst();
    }

    private Optional<String> hadChecks(PullRequest request, String commit) {
        try {
            int had = server.checks(request, commit).size();
            return had == 0 ? Optional.empty() : Optional.of(commit + " had " + had);
        } catch (ApiException e) {
            if (e.status() == 404 || e.status() == 422) {
                // It was never pushed.
                return Optional.empty();
            }
            throw e;
        }
    }

    private Outcome pending(String reason) {
        return new Outcome.Pending(timing.poll(), reason);
    }
}
