package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.TreeSet;

/**
 * A pull request as the server shows it.
 *
 * @param headRepository {@code owner/name} of where its branch is; empty when that is gone
 * @param mergeable GitHub's word for whether it can be merged, such as {@code clean}; empty in lists
 * @param mergeCommit what brought it in, once it is merged
 * @param labels their names
 * @param reviewers who is asked to look at it and has not yet: people by login, teams by slug
 */
record PullRequest(
        int number,
        String url,
        boolean open,
        boolean merged,
        boolean draft,
        String headSha,
        String headRef,
        String headRepository,
        String baseRef,
        String mergeable,
        String mergeCommit,
        String mergedBy,
        String body,
        Set<String> labels,
        Set<String> reviewers) {
    static PullRequest of(JsonNode json) {
        JsonNode head = json.path("head");
        Set<String> reviewers = names(json.path("requested_reviewers"), "login");
        reviewers.addAll(names(json.path("requested_teams"), "slug"));
        return new PullRequest(
                json.path("number").asInt(),
                text(json.path("html_url")),
                text(json.path("state")).equals("open"),
                !text(json.path("merged_at")).isEmpty() || json.path("merged").asBoolean(),
                json.path("draft").asBoolean(),
                text(head.path("sha")),
                text(head.path("ref")),
                text(head.path("repo").path("full_name")),
                text(json.path("base").path("ref")),
                text(json.path("mergeable_state")),
                text(json.path("merge_commit_sha")),
                text(json.path("merged_by").path("login")),
                text(json.path("body")),
                names(json.path("labels"), "name"),
                reviewers);
    }

    private static Set<String> names(JsonNode list, String member) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        list.forEach(item -> names.add(text(item.path(member))));
        return names;
    }

    /** Empty for null, which {@link JsonNode#asText()} calls by its name. */
    static String text(JsonNode node) {
        return node.isNull() || node.isMissingNode() ? "" : node.asText();
    }

    @Override
    public String toString() {
        return "#" + number + " (" + url + ")";
    }
}
