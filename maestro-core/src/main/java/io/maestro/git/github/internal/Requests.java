package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.github.internal.ApiException.Kind;
import io.maestro.git.internal.ProposedCommits;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the pull request of a story's attempt, or makes it: at most one. A request is known by its branch and by the mark in its
 * text. Before one is made it is looked for; when the answer to making it is lost, or is that there is one, it is looked for
 * again, some times, as a list may show it late. GitHub itself allows one open request of a branch, so that what is not found
 * is not made twice either.
 */
final class Requests {
    private static final int KEPT = 1000;

    /** How many commits of earlier attempts are looked up. */
    private static final int MOST_EARLIER = 10;

    private final GitHubApi api;
    private final RepositoryName repository;
    private final ProposedCommits commits;
    private final Map<String, Integer> numbers = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > KEPT;
        }
    });

    Requests(GitHubApi api, RepositoryName repository, ProposedCommits commits) {
        this.api = api;
        this.repository = repository;
        this.commits = commits;
    }

    PullRequest findOrMake(Proposal proposal) {
        return find(proposal).or(() -> ofEarlierAttempt(proposal)).orElseGet(() -> make(proposal));
    }

    /** The request is over; another story may have its branch's name. */
    void forget(Proposal proposal) {
        numbers.remove(proposal.branch());
    }

    /** As it is now. */
    PullRequest read(int number) {
        return PullRequest.of(api.get(repository.path() + "/pulls/" + number));
    }

    /** Maestro's own section as it should be; what people have written stays. */
    PullRequest updated(Proposal proposal, PullRequest request) {
        return withBody(request, RequestBody.with(request.body(), owner(proposal), proposal.text()));
    }

    /** Notes what the coder is told. */
    void remember(Proposal proposal, PullRequest request, List<String> keys) {
        Map<String, String> told = RequestBody.told(request.body());
        keys.forEach(key -> {
            told.remove(key);
            told.put(key, proposal.commit());
        });
        PullRequest unused = withBody(request, RequestBody.with(request.body(), owner(proposal), told));
    }

    private PullRequest withBody(PullRequest request, String body) {
        if (body.equals(request.body())) {
            return request;
        }
        return PullRequest.of(api.change(
                "PATCH",
                repository.path() + "/pulls/" + request.number(),
                GitHubApi.object().put("body", body)));
    }

    private Optional<PullRequest> find(Proposal proposal) {
        Integer number = numbers.get(proposal.branch());
        if (number != null) {
            return Optional.of(read(number));
        }
        String head = URLEncoder.encode(repository.owner() + ":" + proposal.branch(), StandardCharsets.UTF_8);
        JsonNode listed =
                api.get(repository.path() + "/pulls?state=all&sort=created&direction=desc&per_page=50&head=" + head);
        PullRequest best = null;
        for (JsonNode item : listed) {
            PullRequest request = PullRequest.of(item);
            boolean better = best == null || !best.open() && request.open();
            if (better && isOf(proposal, request)) {
                best = request;
            }
        }
        return Optional.ofNullable(best).map(request -> known(proposal, request));
    }

    /** A server that does not understand the branch in a query lists all requests. */
    private boolean isOf(Proposal proposal, PullRequest request) {
        if (!request.headRef().equals(proposal.branch())
                || !request.headRepository().equalsIgnoreCase(repository.toString())) {
            return false;
        }
        boolean marked = isMarked(proposal, request);
        // An open one that somebody has made of this branch is the one: GitHub takes no second. One that is over may be
        // of
        // another story that had this name long ago.
        return request.open()
                ? marked || request.baseRef().equals(proposal.targetBranch())
                : marked
                        && (commits.isOwn(proposal, request.headSha())
                                || contains(request.headSha(), proposal.commit()));
    }

    /** Whether a commit has another in its history, by what the server knows. */
    boolean contains(String commit, String part) {
        String status = api.find(repository.path() + "/compare/" + part + "..." + commit)
                .map(json -> PullRequest.text(json.path("status")))
                .orElse("");
        return status.equals("ahead") || status.equals("identical");
    }

    private static boolean isMarked(Proposal proposal, PullRequest request) {
        return RequestBody.owner(request.body()).filter(owner(proposal)::equals).isPresent();
    }

    private PullRequest known(Proposal proposal, PullRequest request) {
        numbers.put(proposal.branch(), request.number());
        return read(request.number());
    }

    /** A squashed commit is in no branch: that it was merged only its request knows. */
    private Optional<PullRequest> ofEarlierAttempt(Proposal proposal) {
        for (String commit : proposal.earlier().stream().limit(MOST_EARLIER).toList()) {
            Optional<JsonNode> listed = api.find(repository.path() + "/commits/" + commit + "/pulls");
            for (JsonNode item : listed.orElseGet(GitHubApi::object)) {
                PullRequest request = PullRequest.of(item);
                boolean ours = RequestBody.owner(request.body())
                        .filter(owner -> owner.story().equals(proposal.storyId()))
                        .isPresent();
                if (ours && request.merged() && request.headSha().equals(commit)) {
                    return Optional.of(read(request.number()));
                }
            }
        }
        return Optional.empty();
    }

    private PullRequest make(Proposal proposal) {
        ObjectNode body = GitHubApi.object()
                .put("title", proposal.title())
                .put("head", proposal.branch())
                .put("base", proposal.targetBranch())
                .put("body", RequestBody.with("", owner(proposal), proposal.text()));
        try {
            PullRequest made = PullRequest.of(api.change("POST", repository.path() + "/pulls", body));
            if (made.number() > 0) {
                return known(proposal, made);
            }
        } catch (ApiException e) {
            boolean there = e.status() == 422 && e.getMessage().contains("already exists");
            if (e.kind() != Kind.LOST && !there) {
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
                Kind.LOST, 0, "whether there is a pull request of " + proposal.branch() + " is not known yet", null);
    }

    static RequestBody.Owner owner(Proposal proposal) {
        return new RequestBody.Owner(proposal.storyId(), proposal.attempt());
    }
}
