package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Proposal;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import io.maestro.git.internal.ProposedCommits;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the request of a story's attempt, or makes it: at most one. A request is known by its branch and by the mark in its
 * text. Before one is made it is looked for; when the answer to making it is lost, or is that there is one, it is looked for
 * again, some times, as a list may show it late. The servers themselves allow one open request of a branch, so that what is not
 * found is not made twice either.
 */
final class PullRequests {
    private static final int KEPT = 1000;

    /** How many commits of earlier attempts are looked up. */
    private static final int MOST_EARLIER = 10;

    private final Server server;
    private final ForgeApi api;
    private final String noun;
    private final ProposedCommits commits;
    private final Map<ProposalKey, Integer> numbers = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ProposalKey, Integer> eldest) {
            return size() > KEPT;
        }
    });

    /** A branch may have had its name from another story, or from another attempt. */
    private record ProposalKey(RequestBody.RequestOwner owner, String branch) {
        static ProposalKey of(Proposal proposal) {
            return new ProposalKey(PullRequests.owner(proposal), proposal.branch());
        }
    }

    PullRequests(Server server, ForgeApi api, String noun, ProposedCommits commits) {
        this.server = server;
        this.api = api;
        this.noun = noun;
        this.commits = commits;
    }

    PullRequest findOrMake(Proposal proposal) {
        PullRequest found = find(proposal).or(() -> ofEarlierAttempt(proposal)).orElseGet(() -> make(proposal));
        // The story had ended and was resumed, or its process was killed before it had ended.
        return !found.state().open() && !found.state().merged() && RequestBody.isEnded(found.body())
                ? server.reopen(found, RequestBody.begunAgain(found.body(), owner(proposal)))
                : found;
    }

    /** The request is over. */
    void forget(Proposal proposal) {
        numbers.remove(ProposalKey.of(proposal));
    }

    /** Maestro's own section as it should be; what people have written stays. */
    PullRequest updated(Proposal proposal, PullRequest request) {
        Map<String, String> told = RequestBody.told(request.body());
        if (!isMarked(proposal, request)) {
            told.put(RequestBody.ADOPTED, proposal.commit());
        }
        String body = RequestBody.withoutEnd(request.body());
        return withBody(request, RequestBody.with(body, owner(proposal), proposal.text(), told));
    }

    /** Notes what the coder is told. */
    PullRequest remember(Proposal proposal, PullRequest request, List<String> keys) {
        Map<String, String> told = RequestBody.told(request.body());
        keys.forEach(key -> {
            told.remove(key);
            told.put(key, proposal.commit());
        });
        return withBody(request, RequestBody.with(request.body(), owner(proposal), told));
    }

    private PullRequest withBody(PullRequest request, String body) {
        return body.equals(request.body()) ? request : server.write(request, body);
    }

    private Optional<PullRequest> find(Proposal proposal) {
        Integer number = numbers.get(ProposalKey.of(proposal));
        if (number != null) {
            return Optional.of(server.read(number));
        }
        PullRequest best = null;
        for (PullRequest request : server.ofBranch(proposal.branch())) {
            boolean better =
                    best == null || !best.state().open() && request.state().open();
            if (better && isOf(proposal, request)) {
                best = request;
            }
        }
        return Optional.ofNullable(best).map(request -> known(proposal, request));
    }

    /** The request with a mark, as it stands; an open one first. */
    Optional<PullRequest> marked(RequestBody.RequestOwner owner, String branch) {
        ProposalKey key = new ProposalKey(owner, branch);
        Integer number = numbers.get(key);
        PullRequest best = null;
        for (PullRequest one : number == null ? server.ofBranch(branch) : List.of(server.read(number))) {
            boolean better = best == null || !best.state().open() && one.state().open();
            if (better && one.branches().own() && one.branches().headRef().equals(branch) && isMarked(owner, one)) {
                best = one;
            }
        }
        if (best != null && best.state().open()) {
            // It is looked for again and again, and a list may be long.
            numbers.put(key, best.number());
        }
        return Optional.ofNullable(best);
    }

    /** A server that does not understand the branch in a query lists all requests. */
    private boolean isOf(Proposal proposal, PullRequest request) {
        if (!request.branches().headRef().equals(proposal.branch())
                || !request.branches().own()) {
            return false;
        }
        boolean marked = isMarked(proposal, request);
        // An open one that somebody has made of this branch is the one: a server takes no second. One that is over may
        // be of another story that had this name long ago.
        return request.state().open()
                ? marked || request.branches().baseRef().equals(proposal.targetBranch())
                : marked
                        && (commits.isOwn(proposal, request.branches().headSha())
                                || server.contains(request.branches().headSha(), proposal.commit()));
    }

    private static boolean isMarked(Proposal proposal, PullRequest request) {
        return isMarked(owner(proposal), request);
    }

    private static boolean isMarked(RequestBody.RequestOwner owner, PullRequest request) {
        return RequestBody.owner(request.body()).filter(owner::equals).isPresent();
    }

    private PullRequest known(Proposal proposal, PullRequest request) {
        numbers.put(ProposalKey.of(proposal), request.number());
        return server.read(request.number());
    }

    /** A squashed commit is in no branch: that it was merged only its request knows. */
    private Optional<PullRequest> ofEarlierAttempt(Proposal proposal) {
        for (String commit : proposal.earlier().stream().limit(MOST_EARLIER).toList()) {
            for (PullRequest request : server.withCommit(commit)) {
                boolean ours = RequestBody.owner(request.body())
                        .filter(owner -> owner.story().equals(proposal.storyId()))
                        .isPresent();
                if (ours
                        && request.state().merged()
                        && request.branches().headSha().equals(commit)) {
                    return Optional.of(server.read(request.number()));
                }
            }
        }
        return Optional.empty();
    }

    /** Closes what earlier attempts have left open: this one's request takes their place. */
    void closeEarlier(Proposal proposal, PullRequest by) {
        if (proposal.attempt() == 1) {
            return;
        }
        String note = "Another attempt takes the place of this one: " + by.url();
        for (String commit : proposal.earlier().stream().limit(MOST_EARLIER).toList()) {
            for (PullRequest request : server.withCommit(commit)) {
                boolean earlier = RequestBody.owner(request.body())
                        .filter(owner ->
                                owner.story().equals(proposal.storyId()) && owner.attempt() < proposal.attempt())
                        .isPresent();
                if (earlier
                        && mayClose(request)
                        && proposal.earlier().contains(request.branches().headSha())
                        && request.branches().own()
                        && request.number() != by.number()) {
                    server.close(request, RequestBody.ended(request.body(), note));
                }
            }
        }
    }

    /** Closes what is open, shows the story's own work and was made by Maestro: what others have made or taken over is theirs. */
    void withdraw(Proposal proposal, String reason) {
        find(proposal)
                .filter(request -> mayClose(request)
                        && isMarked(proposal, request)
                        && commits.isOwn(proposal, request.branches().headSha()))
                .ifPresent(request -> server.close(
                        request,
                        RequestBody.ended(request.body(), "The story has ended without being merged: " + reason)));
        forget(proposal);
    }

    private static boolean mayClose(PullRequest request) {
        return request.state().open() && !RequestBody.told(request.body()).containsKey(RequestBody.ADOPTED);
    }

    private PullRequest make(Proposal proposal) {
        try {
            Optional<PullRequest> made =
                    server.create(proposal, RequestBody.with("", owner(proposal), proposal.text()));
            if (made.isPresent()) {
                return known(proposal, made.get());
            }
        } catch (ApiException e) {
            if (e.kind() != ApiFault.LOST) {
                throw e;
            }
        }
        for (int looks = 0; looks < Timing.LOOKS; looks++) {
            Optional<PullRequest> found = find(proposal);
            if (found.isPresent()) {
                return found.get();
            }
            api.pause(looks);
        }
        throw new ApiException(
                ApiFault.LOST,
                0,
                "whether there is a " + noun + " of " + proposal.branch() + " is not known yet",
                null);
    }

    static RequestBody.RequestOwner owner(Proposal proposal) {
        return new RequestBody.RequestOwner(proposal.storyId(), proposal.attempt());
    }
}
