package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Request;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.util.ArrayList;
import java.util.List;

/** The conversations of pull requests, which are in one list without pages. */
final class GiteaDiscussion implements Discussion {
    private final ForgeApi api;
    private final String path;
    private final GiteaPeople people;

    /** @param path of the repository */
    GiteaDiscussion(ForgeApi api, String path, GiteaPeople people) {
        this.api = api;
        this.path = path;
        this.people = people;
    }

    @Override
    public List<Comment> of(Request request) {
        List<Comment> comments = new ArrayList<>();
        for (JsonNode json : api.get(path + "/issues/" + request.number() + "/comments")) {
            comments.add(new Comment(
                    json.path("id").asLong(),
                    text(json.path("user").path("login")),
                    people.author(json.path("user")) == Author.SELF,
                    !text(json.path("created_at")).equals(text(json.path("updated_at"))),
                    text(json.path("body"))));
        }
        return comments;
    }

    @Override
    public void post(Request request, String text) {
        JsonNode unused = api.change(
                "POST",
                path + "/issues/" + request.number() + "/comments",
                ForgeApi.object().put("body", text));
    }

    @Override
    public void edit(Request request, long id, String text) {
        JsonNode unused = api.change(
                "PATCH", path + "/issues/comments/" + id, ForgeApi.object().put("body", text));
    }

    @Override
    public boolean mayDecide(Request request, String login) {
        String author =
                text(api.get(path + "/pulls/" + request.number()).path("user").path("login"));
        return !login.equalsIgnoreCase(author) && people.mayWriteNow(login);
    }
}
