package io.maestro.git.hosted.internal.github;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.IssueComments;
import io.maestro.git.hosted.internal.PullRequest;
import java.util.List;

/** The conversations of pull requests. To the API each of these is an issue as well. */
final class GitHubDiscussion implements Discussion {
    private static final String WHO = "query { viewer { login } }";

    private final ForgeApi api;
    private final GraphQl graphQl;
    private final IssueComments comments;
    private volatile String self = "";

    /** @param path of the repository */
    GitHubDiscussion(ForgeApi api, String path) {
        this.api = api;
        this.graphQl = new GraphQl(api);
        this.comments = new IssueComments(api, path);
    }

    @Override
    public List<Comment> of(PullRequest request) {
        return api.latest(comments.pathOf(request)).items().stream()
                .map(json -> IssueComments.comment(
                        json, isSelf(text(json.path("user").path("login")))))
                .toList();
    }

    /** An App's account is one with this ending in one of the two APIs. */
    private boolean isSelf(String login) {
        String own = self();
        return login.equalsIgnoreCase(own) || login.equalsIgnoreCase(own + "[bot]");
    }

    private String self() {
        if (self.isEmpty()) {
            self = graphQl.query(WHO, ForgeApi.object())
                    .path("viewer")
                    .path("login")
                    .asText();
        }
        return self;
    }

    @Override
    public void post(PullRequest request, String text) {
        comments.post(request, text);
    }

    @Override
    public void edit(PullRequest request, long id, String text) {
        comments.edit(id, text);
    }
}
