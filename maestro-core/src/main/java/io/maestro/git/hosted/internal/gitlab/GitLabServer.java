package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Listed;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Review;
import io.maestro.git.hosted.internal.ReviewThread;
import io.maestro.git.hosted.internal.Server;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A project of GitLab. Words and paths are those of version 4 of its REST API. */
final class GitLabServer implements Server {
    private final ForgeApi api;
    private final String project;
    private final GitLabJobs jobs;
    private final GitLabPeople people;
    private final GitLabTalk talk;
    private final GitLabRights rights;
    private final GitLabTrain train;

    GitLabServer(ForgeApi api, RepositoryName repository) {
        this.api = api;
        this.project = "/projects/" + ForgeApi.encodedWhole(repository.toString());
        this.jobs = new GitLabJobs(api, project);
        this.people = new GitLabPeople(api, project);
        this.talk = new GitLabTalk(api, project, people);
        this.rights = new GitLabRights(api, repository, project);
        this.train = new GitLabTrain(api, project, jobs);
    }

    @Override
    public PullRequest read(int number) {
        return request(api.get(path(number)));
    }

    private String path(int number) {
        return project + "/merge_requests/" + number;
    }

    @Override
    public List<PullRequest> ofBranch(String branch) {
        return requests(api.get(project + "/merge_requests?state=all&order_by=created_at&sort=desc&per_page=50"
                + "&source_branch=" + ForgeApi.encodedWhole(branch)));
    }

    @Override
    public List<PullRequest> withCommit(String commit) {
        return api.find(project + "/repository/commits/" + commit + "/merge_requests")
                .map(GitLabServer::requests)
                .orElse(List.of());
    }

    private static List<PullRequest> requests(JsonNode list) {
        List<PullRequest> requests = new ArrayList<>();
        list.forEach(item -> requests.add(request(item)));
        return requests;
    }

    @Override
    public Optional<PullRequest> create(Proposal proposal, String body) {
        ObjectNode wanted = ForgeApi.object()
                .put("title", proposal.title())
                .put("source_branch", proposal.branch())
                .put("target_branch", proposal.targetBranch())
                .put("description", body);
        try {
            return Optional.of(request(api.change("POST", project + "/merge_requests", wanted)))
                    .filter(made -> made.number() > 0);
        } catch (ApiException e) {
            if (e.status() == 409) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public PullRequest write(PullRequest request, String body) {
        return request(
                api.change("PUT", path(request.number()), ForgeApi.object().put("description", body)));
    }

    @Override
    public void close(PullRequest request, String body) {
        ObjectNode closed = ForgeApi.object().put("description", body).put("state_event", "close");
        JsonNode unused = api.change("PUT", path(request.number()), closed);
    }

    @Override
    public PullRequest reopen(PullRequest request, String body) {
        ObjectNode opened = ForgeApi.object().put("description", body).put("state_event", "reopen");
        return request(api.change("PUT", path(request.number()), opened));
    }

    @Override
    public boolean contains(String commit, String part) {
        return api.find(project + "/repository/merge_base?refs%5B%5D=" + part + "&refs%5B%5D=" + commit)
                .map(json -> text(json.path("id")).equals(part))
                .orElse(false);
    }

    @Override
    public Optional<String> tip(String branch) {
        return api.find(project + "/repository/branches/" + ForgeApi.encodedWhole(branch))
                .map(json -> text(json.path("commit").path("id")));
    }

    @Override
    public Optional<String> firstParent(String commit) {
        return api.find(project + "/repository/commits/" + commit)
                .map(json -> text(json.path("parent_ids").path(0)));
    }

    @Override
    public Optional<String> closer(PullRequest request) {
        return api.find(path(request.number()))
                .map(json -> text(json.path("closed_by").path("username")))
                .filter(name -> !name.isEmpty());
    }

    @Override
    public Merge merge(Proposal proposal, PullRequest request, MergeMethod method) {
        if (method == MergeMethod.QUEUE) {
            return train.add(proposal, request);
        }
        String message = Merge.title(proposal, request) + "\n\n" + Merge.body(proposal);
        ObjectNode body = ForgeApi.object()
                .put("sha", proposal.commit())
                .put("squash", method == MergeMethod.SQUASH)
                .put(method == MergeMethod.SQUASH ? "squash_commit_message" : "merge_commit_message", message);
        try {
            JsonNode answer = api.change("PUT", path(request.number()) + "/merge", body);
            PullRequest now = request(answer);
            return now.state().merged() && !now.state().mergeCommit().isEmpty()
                    ? Merge.as(now.state().mergeCommit())
                    : Merge.refused(text(answer.path("merge_error")));
        } catch (ApiException e) {
            // Not ready, and another commit than the one that was asked for.
            if (e.status() == 405 || e.status() == 406 || e.status() == 409 || e.status() == 422) {
                return Merge.refused(e.getMessage());
            }
            throw e;
        }
    }

    @Override
    public Queue queue(PullRequest request) {
        return train.of(request);
    }

    @Override
    public void dequeue(PullRequest request) {
        train.remove(request);
    }

    @Override
    public List<Check> queueChecks(PullRequest request, String commit, long since) {
        return train.checks(request, commit);
    }

    @Override
    public List<Check> checks(PullRequest request, String commit) {
        return jobs.of(request, commit);
    }

    @Override
    public boolean requiresChecks(String targetBranch) {
        return rights.requiresChecks();
    }

    @Override
    public String details(Check check) {
        return jobs.details(check);
    }

    @Override
    public boolean mayWriteNow(String id) {
        return people.mayWriteNow(id);
    }

    @Override
    public Listed<ReviewThread> threads(PullRequest request, Predicate<String> writers) {
        return talk.threads(request, writers);
    }

    @Override
    public Listed<Review> reviews(PullRequest request, Predicate<String> writers) {
        return talk.reviews(request, writers);
    }

    @Override
    public List<String> reviewed(PullRequest request) {
        return talk.reviewers(request, true);
    }

    @Override
    public Set<String> asked(PullRequest request) {
        Set<String> asked = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        asked.addAll(talk.reviewers(request, false));
        return asked;
    }

    @Override
    public void answer(PullRequest request, ReviewThread thread, String text) {
        JsonNode unused = api.change(
                "POST",
                path(request.number()) + "/discussions/" + thread.id() + "/notes",
                ForgeApi.object().put("body", text));
    }

    @Override
    public void resolve(PullRequest request, ReviewThread thread) {
        JsonNode unused = api.change(
                "PUT",
                path(request.number()) + "/discussions/" + thread.id(),
                ForgeApi.object().put("resolved", true));
    }

    @Override
    public void label(PullRequest request, List<String> names) {
        JsonNode unused =
                api.change("PUT", path(request.number()), ForgeApi.object().put("add_labels", String.join(",", names)));
    }

    @Override
    public void invite(PullRequest request, Collection<String> names) {
        talk.invite(request, names);
    }

    @Override
    public String check(String targetBranch, @Nullable MergeMethod method) {
        return rights.check(targetBranch, method);
    }

    private static PullRequest request(JsonNode json) {
        int number = json.path("iid").asInt();
        String state = text(json.path("state"));
        boolean merged = state.equals("merged");
        return new PullRequest(
                number,
                "!" + number,
                text(json.path("web_url")),
                new PullRequest.MergeState(
                        state.equals("opened") || state.equals("locked"),
                        merged,
                        json.path("draft").asBoolean(),
                        mergeable(text(json.path("detailed_merge_status"))),
                        merged ? mergeCommit(json) : "",
                        first(
                                json.path("merge_user").path("username"),
                                json.path("merged_by").path("username"))),
                new PullRequest.Branches(
                        text(json.path("sha")),
                        text(json.path("source_branch")),
                        json.path("source_project_id").isIntegralNumber()
                                && json.path("source_project_id").equals(json.path("target_project_id")),
                        text(json.path("target_branch"))),
                new PullRequest.Participants(text(json.path("author").path("username")), Set.of()),
                text(json.path("description")),
                labels(json.path("labels")));
    }

    /** Where the project's branches only go forward, the request's own commit is what came in. */
    private static String mergeCommit(JsonNode json) {
        String made = first(json.path("merge_commit_sha"), json.path("squash_commit_sha"));
        return made.isEmpty() ? text(json.path("sha")) : made;
    }

    private static String first(JsonNode one, JsonNode other) {
        return text(one).isEmpty() ? text(other) : text(one);
    }

    private static Set<String> labels(JsonNode list) {
        Set<String> labels = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        list.forEach(label -> labels.add(text(label)));
        return labels;
    }

    /** The table of {@code detailed_merge_status}; each word that is not in it says what a rule still wants. */
    static PullRequest.Mergeable mergeable(String status) {
        return switch (status) {
            case "mergeable" -> PullRequest.Mergeable.READY;
            case "conflict", "broken_status" -> PullRequest.Mergeable.STALE;
            case "need_rebase" -> PullRequest.Mergeable.BEHIND;
            case "", "unchecked", "checking", "preparing", "approvals_syncing" -> PullRequest.Mergeable.UNKNOWN;
            default -> PullRequest.Mergeable.BLOCKED;
        };
    }
}
