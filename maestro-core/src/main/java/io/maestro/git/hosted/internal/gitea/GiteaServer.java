package io.maestro.git.hosted.internal.gitea;

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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A repository of Gitea. It has no list of the requests of a branch: the newest of all are looked through. */
final class GiteaServer implements Server {
    private static final int LOOKED_THROUGH = 500;

    private final ForgeApi api;
    private final RepositoryName repository;
    private final String path;
    private final GiteaPeople people;
    private final GiteaTalk talk;
    private final GiteaDiscussion discussion;
    private final GiteaLabels labels;
    private final GiteaRights rights;

    GiteaServer(ForgeApi api, RepositoryName repository) {
        this.api = api;
        this.repository = repository;
        this.path = "/repos/" + repository;
        this.people = new GiteaPeople(api, path);
        this.talk = new GiteaTalk(api, path, people);
        this.discussion = new GiteaDiscussion(api, path, people);
        this.labels = new GiteaLabels(api, path);
        this.rights = new GiteaRights(api, repository, path);
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
        return newest(request -> request.branches().headRef().equals(branch));
    }

    @Override
    public List<PullRequest> withCommit(String commit) {
        return newest(request -> request.branches().headSha().equals(commit));
    }

    private List<PullRequest> newest(Predicate<PullRequest> wanted) {
        List<PullRequest> found = new ArrayList<>();
        for (JsonNode item : api.newest(path + "/pulls?state=all", LOOKED_THROUGH)) {
            PullRequest request = request(item);
            if (wanted.test(request)) {
                found.add(request);
            }
        }
        return found;
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
            if (e.status() == 409) {
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

    /** Nothing of the one is missing in the other. */
    @Override
    public boolean contains(String commit, String part) {
        return api.find(path + "/compare/" + commit + "..." + part)
                .map(json -> json.path("total_commits").asInt(1) == 0)
                .orElse(false);
    }

    @Override
    public Optional<String> tip(String branch) {
        return api.find(path + "/branches/" + ForgeApi.encoded(branch))
                .map(json -> text(json.path("commit").path("id")));
    }

    @Override
    public Optional<String> firstParent(String commit) {
        return api.find(path + "/git/commits/" + commit)
                .map(json -> text(json.path("parents").path(0).path("sha")));
    }

    @Override
    public Optional<String> closer(PullRequest request) {
        String closer = "";
        for (JsonNode event : api.list(path + "/issues/" + request.number() + "/timeline", null)) {
            if (text(event.path("type")).equals("close")) {
                closer = text(event.path("user").path("login"));
            }
        }
        return Optional.of(closer).filter(login -> !login.isEmpty());
    }

    /** The answer is empty: as what it was merged stands in the request. */
    @Override
    public Merge merge(Proposal proposal, PullRequest request, MergeMethod method) {
        ObjectNode body = ForgeApi.object()
                .put("Do", method.name().toLowerCase(Locale.ROOT))
                .put("head_commit_id", proposal.commit());
        if (method != MergeMethod.REBASE) {
            body.put("MergeTitleField", Merge.title(proposal, request)).put("MergeMessageField", Merge.body(proposal));
        }
        try {
            JsonNode unused = api.change("POST", pull(request.number()) + "/merge", body);
        } catch (ApiException e) {
            if (e.status() == 405 || e.status() == 409 || e.status() == 422 || e.status() == 423) {
                return Merge.refused(e.getMessage());
            }
            throw e;
        }
        PullRequest now = read(request.number());
        return now.state().merged() && !now.state().mergeCommit().isEmpty()
                ? Merge.as(now.state().mergeCommit())
                : Merge.refused("");
    }

    @Override
    public List<Check> checks(PullRequest request, String commit) {
        List<Check> checks = new ArrayList<>();
        List<JsonNode> statuses = api.list(path + "/commits/" + commit + "/status", "statuses");
        for (JsonNode status : Check.newest(
                statuses,
                one -> List.of(text(one.path("context"))),
                one -> ForgeApi.time(one.path("created_at"), Instant.MIN))) {
            String word = text(status.path("status"));
            checks.add(new Check(
                    text(status.path("context")),
                    state(word),
                    word,
                    text(status.path("target_url")),
                    0,
                    false,
                    text(status.path("description"))));
        }
        return checks;
    }

    /** The table of statuses; a word that is new to it waits for people. */
    static Check.CheckState state(String word) {
        return switch (word) {
            case "success", "warning", "skipped" -> Check.CheckState.GREEN;
            case "failure", "error" -> Check.CheckState.RED;
            case "pending" -> Check.CheckState.RUNNING;
            default -> Check.CheckState.STUCK;
        };
    }

    @Override
    public boolean requiresChecks(String targetBranch) {
        return rights.requiresChecks(targetBranch);
    }

    /** The API has no log of what has set a status. */
    @Override
    public String details(Check check) {
        return "";
    }

    @Override
    public boolean mayWriteNow(String login) {
        return people.mayWriteNow(login);
    }

    @Override
    public Listed<ReviewThread> threads(PullRequest request, Predicate<String> writers) {
        return talk.threads(request, writers);
    }

    @Override
    public Optional<Discussion> discussion() {
        return Optional.of(discussion);
    }

    @Override
    public Listed<Review> reviews(PullRequest request, Predicate<String> writers) {
        return talk.reviews(request, writers);
    }

    @Override
    public List<String> reviewed(PullRequest request) {
        return talk.authors(request);
    }

    @Override
    public void answer(PullRequest request, ReviewThread thread, String text) {
        talk.answer(request, thread, text);
    }

    @Override
    public void resolve(PullRequest request, ReviewThread thread) {
        JsonNode unused = api.change("POST", path + "/pulls/comments/" + thread.root() + "/resolve", ForgeApi.object());
    }

    @Override
    public void label(PullRequest request, List<String> names) {
        labels.put(request, names);
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
        reviewers.addAll(ForgeApi.names(json.path("requested_reviewers_teams"), "name"));
        int number = json.path("number").asInt();
        boolean merged = json.path("merged").asBoolean();
        return new PullRequest(
                number,
                "#" + number,
                text(json.path("html_url")),
                new PullRequest.MergeState(
                        text(json.path("state")).equals("open"),
                        merged,
                        json.path("draft").asBoolean(),
                        // Not before it has looked, or because of a conflict.
                        json.path("mergeable").asBoolean() ? PullRequest.Mergeable.READY : PullRequest.Mergeable.STALE,
                        merged ? text(json.path("merge_commit_sha")) : "",
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
}
