package io.maestro.git.hosted.internal.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.IssueComments;
import io.maestro.git.hosted.internal.Request;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.util.ArrayList;
import java.util.List;

/** The conversations of pull requests, which are in one list without pages. */
final class GiteaDiscussion implements Discussion {
    private final ForgeApi api;
    private final IssueComments comments;
    private final GiteaPeople people;

    /** @param path of the repository */
    GiteaDiscussion(ForgeApi api, String path, GiteaPeople people) {
        this.api = api;
        this.comments = new IssueComments(api, path);
        this.people = people;
    }

    @Override
    public List<Comment> of(Request request) {
        List<Comment> found = new ArrayList<>();
        for (JsonNode json : api.get(comments.pathOf(request))) {
            found.add(IssueComments.comment(json, people.author(json.path("user")) == Author.SELF));
        }
        return found;
    }

    @Override
    public void post(Request request, String text) {
        comments.post(request, text);
    }

    @Override
    public void edit(Request request, long id, String text) {
        comments.edit(id, text);
    }

    @Override
    public boolean mayDecide(Request request, String login) {
        return !comments.isOpener(request, login) && people.mayWriteNow(login);
    }
}
