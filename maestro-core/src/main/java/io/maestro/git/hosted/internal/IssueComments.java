package io.maestro.git.hosted.internal;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.ForgeComments.Comment;

/** What the APIs of GitHub and Gitea have alike: a pull request is an issue as well, and its conversation is that issue's. */
public final class IssueComments {
    private final ForgeApi api;
    private final String path;

    /** @param path of the repository */
    public IssueComments(ForgeApi api, String path) {
        this.api = api;
        this.path = path;
    }

    /** Where those of a request are listed. */
    public String pathOf(PullRequest request) {
        return path + "/issues/" + request.number() + "/comments";
    }

    /** One of them as the API shows it. */
    public static Comment comment(JsonNode json, boolean own) {
        return new Comment(
                json.path("id").asLong(),
                text(json.path("user").path("login")),
                own,
                !text(json.path("created_at")).equals(text(json.path("updated_at"))),
                text(json.path("body")));
    }

    /** Writes one. */
    public void post(PullRequest request, String text) {
        JsonNode unused = api.change("POST", pathOf(request), ForgeApi.object().put("body", text));
    }

    /** Changes one. */
    public void edit(long id, String text) {
        JsonNode unused = api.change(
                "PATCH", path + "/issues/comments/" + id, ForgeApi.object().put("body", text));
    }
}
