package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Server.Merge;
import io.maestro.git.hosted.internal.Server.Queue;
import java.time.Instant;
import java.util.List;

/** The merge queues of a repository's branches. */
final class GitHubQueue {
    private static final String QUERY = """
            query($owner: String!, $name: String!, $number: Int!) {
              repository(owner: $owner, name: $name) {
                pullRequest(number: $number) {
                  id
                  mergeQueueEntry { position }
                  timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
                    nodes {
                      ... on RemovedFromMergeQueueEvent { createdAt reason actor { __typename login } }
                    }
                  }
                }
              }
            }""";

    private static final String THERE = """
            query($owner: String!, $name: String!, $branch: String!) {
              repository(owner: $owner, name: $name) { mergeQueue(branch: $branch) { id } }
            }""";

    private static final String ENQUEUE = """
            mutation($id: ID!, $commit: GitObjectID!) {
              enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $commit}) {
                mergeQueueEntry { position }
              }
            }""";

    private static final String DEQUEUE = """
            mutation($id: ID!) {
              dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } }
            }""";

    private final GraphQl graphQl;
    private final ForgeApi api;
    private final RepositoryName repository;
    private final String path;
    private final GitHubChecks checks;

    /** @param path of the repository */
    GitHubQueue(ForgeApi api, RepositoryName repository, String path, GitHubChecks checks) {
        this.graphQl = new GraphQl(api);
        this.api = api;
        this.repository = repository;
        this.path = path;
        this.checks = checks;
    }

    /** Whether a branch has one. */
    boolean isThere(String branch) {
        return graphQl.query(THERE, repository().put("branch", branch))
                .path("repository")
                .path("mergeQueue")
                .isObject();
    }

    private JsonNode read(PullRequest request) {
        return graphQl.query(QUERY, repository().put("number", request.number()))
                .path("repository")
                .path("pullRequest");
    }

    private ObjectNode repository() {
        return ForgeApi.object().put("owner", repository.owner()).put("name", repository.name());
    }

    Queue of(PullRequest request) {
        JsonNode found = read(request);
        JsonNode entry = found.path("mergeQueueEntry");
        JsonNode left = found.path("timelineItems").path("nodes").path(0);
        if (entry.isObject()) {
            return new Queue(
                    true,
                    seconds(left.path("createdAt")),
                    "",
                    ", at position " + entry.path("position").asInt());
        }
        JsonNode actor = left.path("actor");
        String by = actor.path("__typename").asText().equals("User") ? ForgeApi.text(actor.path("login")) : "";
        String reason = ForgeApi.text(left.path("reason"));
        return new Queue(
                false, seconds(left.path("createdAt")), by, reason.isEmpty() ? "" : " (" + api.line(reason) + ")");
    }

    private static long seconds(JsonNode time) {
        return ForgeApi.time(time, Instant.EPOCH).getEpochSecond();
    }

    Merge add(Proposal proposal, PullRequest request) {
        ObjectNode variables =
                ForgeApi.object().put("id", read(request).path("id").asText()).put("commit", proposal.commit());
        try {
            JsonNode entry =
                    graphQl.once(ENQUEUE, variables).path("enqueuePullRequest").path("mergeQueueEntry");
            return Merge.refused("it is in the merge queue, at position "
                    + entry.path("position").asInt());
        } catch (ApiException e) {
            if (e.kind() == ApiException.ApiFault.REFUSED) {
                return Merge.refused(e.getMessage());
            }
            throw e;
        }
    }

    /** Fine when it is not in it any more. */
    void remove(PullRequest request) {
        try {
            JsonNode unused = graphQl.once(
                    DEQUEUE,
                    ForgeApi.object().put("id", read(request).path("id").asText()));
        } catch (ApiException e) {
            if (e.kind() != ApiException.ApiFault.REFUSED) {
                throw e;
            }
        }
    }

    /**
     * The commit on which they ran is in no answer; the branch that is made for it has the request's number in its name.
     *
     * @param since when the queue had let it go the last time before
     */
    List<Check> checks(PullRequest request, long since) {
        String branch = "gh-readonly-queue/" + request.branches().baseRef() + "/pr-" + request.number() + "-";
        for (JsonNode run :
                api.get(path + "/actions/runs?event=merge_group&per_page=100").path("workflow_runs")) {
            if (ForgeApi.text(run.path("head_branch")).startsWith(branch) && seconds(run.path("created_at")) > since) {
                return checks.of(ForgeApi.text(run.path("head_sha")));
            }
        }
        return List.of();
    }
}
