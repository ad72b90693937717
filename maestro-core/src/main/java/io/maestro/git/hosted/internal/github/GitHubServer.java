package io.maestro.git.hosted.internal.github;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Listed;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Review;
import io.maestro.git.hosted.internal.ReviewThread;
import io.maestro.git.hosted.internal.Server;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A repository of GitHub. */
final class GitHubServer implements Server {
    private final ForgeApi api;
    private final RepositoryName repository;
    private final String path;
    private final GitHubChecks checks;
    private final GitHubReviews reviews;
    private final GitHubThreads threads;
    private final GitHubRights rights;
    private final GitHubQueue queue;
    private final GitHubDiscussion discussion;

    GitHubServer(ForgeApi api, RepositoryName repository) {
        this.api = api;
        this.repository = repository;
        this.path = "/repos/" + repository;
        this.checks = new GitHubChecks(api, path);
        this.reviews = new GitHubReviews(api, path);
        this.threads = new GitHubThreads(api, repository);
        this.queue = new GitHubQueue(api, repository, path, checks);
        this.rights = new GitHubRights(api, repository, path, queue);
        this.discussion = new GitHubDiscussion(api, path);
    }

    @Override
    public PullRequest read(int number) {
        return request(api.get(pull(number)));
    }

    private String pull(int number) {
        return path + "/pulls/" + number;
    }

    @Override
    public List<PullRequest> ofBranch(String branch) {
        String head = URLEncoder.encode(repository.owner() + ":" + branch, StandardCharsets.UTF_8);
        return requests(api.get(path + "/pulls?state=all&sort=created&direction=desc&per_page=50&head=" + head));
    }

    @Override
    public List<PullRequest> withCommit(String commit) {
        return api.find(path + "/commits/" + commit + "/pulls")
                .map(this::requests)
                .orElse(List.of());
    }

    private List<PullRequest> requests(JsonNode list) {
        List<PullRequest> requests = new ArrayList<>();
        list.forEach(item -> requests.add(request(item)));
        return requests;
    }

    @Override
    public Optional<PullRequest> create(Proposal proposal, String body) {
        ObjectNode wanted = ForgeApi.object()
                .put("title", proposal.title())
                .put("head", proposal.branch())
                .put("base", proposal.targetBranch())
                .put("body", body);
        try {
            return Optional.of(request(api.change("POST", path + "/pulls", wanted)))
                    .filter(made -> made.number() > 0);
        } catch (ApiException e) {
            if (e.status() == 422 && e.getMessage().contains("already exists")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public PullRequest write(PullRequest request, String body) {
        return request(
                api.change("PATCH", pull(request.number()), ForgeApi.object().put("body", body)));
    }

    @Override
    public void close(PullRequest request, String body) {
        ObjectNode closed = ForgeApi.object().put("body", body).put("state", "closed");
        JsonNode unused = api.change("PATCH", pull(request.number()), closed);
    }

    @Override
    public PullRequest reopen(PullRequest request, String body) {
        ObjectNode opened = ForgeApi.object().put("body", body).put("state", "open");
        return request(api.change("PATCH", pull(request.number()), opened));
    }

    @Override
    public boolean contains(String commit, String part) {
        String status = api.find(path + "/compare/" + part + "..." + commit)
                .map(json -> text(json.path("status")))
                .orElse("");
        return status.equals("ahead") || status.equals("identical");
    }

    @Override
    public Optional<String> tip(String branch) {
        return api.find(path + "/git/ref/heads/" + ForgeApi.encoded(branch))
                .map(json -> text(json.path("object").path("sha")));
    }

    @Override
    public Optional<String> firstParent(String commit) {
        return api.find(path + "/git/commits/" + commit)
                .map(json -> text(json.path("parents").path(0).path("sha")));
    }

    @Override
    public Optional<String> closer(PullRequest request) {
        return api.find(path + "/issues/" + request.number())
                .map(json -> text(json.path("closed_by").path("login")))
                .filter(login -> !login.isEmpty());
    }

    @Override
    public Merge merge(Proposal proposal, PullRequest request, MergeMethod method) {
        if (method == MergeMethod.QUEUE) {
            return queue.add(proposal, request);
        }
        ObjectNode body = ForgeApi.object()
                .put("sha", proposal.commit())
                .put("merge_method", method.name().toLowerCase(Locale.ROOT));
        if (method != MergeMethod.REBASE) {
            body.put("commit_title", Merge.title(proposal, request)).put("commit_message", Merge.body(proposal));
        }
        try {
            JsonNode merged = api.change("PUT", pull(request.number()) + "/merge", body);
            return merged.path("merged").asBoolean()
                    ? Merge.as(text(merged.path("sha")))
                    : Merge.refused(text(merged.path("message")));
        } catch (ApiException e) {
            if (e.status() == 405 || e.status() == 409) {
                return Merge.refused(e.getMessage());
            }
            throw e;
        }
    }

    @Override
    public Queue queue(PullRequest request) {
        return queue.of(request);
    }

    @Override
    public void dequeue(PullRequest request) {
        queue.remove(request);
    }

    @Override
    public List<Check> queueChecks(PullRequest request, String commit, long since) {
        return queue.checks(request, since);
    }

    @Override
    public List<Check> checks(PullRequest request, String commit) {
        return checks.of(commit);
    }

    @Override
    public boolean requiresChecks(String targetBranch) {
        return rights.requiresChecks(targetBranch);
    }

    @Override
    public String details(Check check) {
        return checks.details(check);
    }

    @Override
    public boolean mayWriteNow(String login) {
        return rights.mayWriteNow(login);
    }

    @Override
    public Listed<ReviewThread> threads(PullRequest request, Predicate<String> writers) {
        return threads.of(request, writers);
    }

    @Override
    public Optional<Discussion> discussion() {
        return Optional.of(discussion);
    }

    @Override
    public Listed<Review> reviews(PullRequest request, Predicate<String> writers) {
        return reviews.of(request, threads.self(), writers);
    }

    @Override
    public List<String> reviewed(PullRequest request) {
        return reviews.authors(request);
    }

    @Override
    public void answer(PullRequest request, ReviewThread thread, String text) {
        JsonNode unused = api.change(
                "POST",
                pull(request.number()) + "/comments/" + thread.root() + "/replies",
                ForgeApi.object().put("body", text));
    }

    @Override
    public void resolve(PullRequest request, ReviewThread thread) {
        threads.resolve(thread);
    }

    @Override
    public void label(PullRequest request, List<String> names) {
        ObjectNode body = ForgeApi.object();
        names.forEach(body.putArray("labels")::add);
        JsonNode unused = api.change("POST", path + "/issues/" + request.number() + "/labels", body);
    }

    @Override
    public void invite(PullRequest request, Collection<String> names) {
        ObjectNode body = ForgeApi.object();
        ArrayNode users = body.putArray("reviewers");
        ArrayNode teams = body.putArray("team_reviewers");
        for (String one : names) {
            (one.contains("/") ? teams : users).add(one.substring(one.indexOf('/') + 1));
        }
        JsonNode unused = api.change("POST", pull(request.number()) + "/requested_reviewers", body);
    }

    @Override
    public String check(String targetBranch, @Nullable MergeMethod method) {
        return rights.check(targetBranch, method);
    }

    private PullRequest request(JsonNode json) {
        JsonNode head = json.path("head");
        Set<String> reviewers = ForgeApi.names(json.path("requested_reviewers"), "login");
        reviewers.addAll(ForgeApi.names(json.path("requested_teams"), "slug"));
        int number = json.path("number").asInt();
        return new PullRequest(
                number,
                "#" + number,
                text(json.path("html_url")),
                new PullRequest.MergeState(
                        text(json.path("state")).equals("open"),
                        !text(json.path("merged_at")).isEmpty()
                                || json.path("merged").asBoolean(),
                        json.path("draft").asBoolean(),
                        mergeable(text(json.path("mergeable_state"))),
                        text(json.path("merge_commit_sha")),
                        text(json.path("merged_by").path("login"))),
                new PullRequest.Branches(
                        text(head.path("sha")),
                        text(head.path("ref")),
                        text(head.path("repo").path("full_name")).equalsIgnoreCase(repository.toString()),
                        text(json.path("base").path("ref"))),
                new PullRequest.Participants(text(json.path("user").path("login")), reviewers),
                text(json.path("body")),
                ForgeApi.names(json.path("labels"), "name"));
    }

    /** The table of GitHub's words. */
    private static PullRequest.Mergeable mergeable(String state) {
        return switch (state) {
            case "clean", "unstable", "has_hooks" -> PullRequest.Mergeable.READY;
            case "dirty" -> PullRequest.Mergeable.STALE;
            case "behind" -> PullRequest.Mergeable.BEHIND;
            case "blocked" -> PullRequest.Mergeable.BLOCKED;
            default -> PullRequest.Mergeable.UNKNOWN;
        };
    }
}
