package io.maestro.git.hosted.internal.github;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.IssueComments;
import io.maestro.git.hosted.internal.Request;
import java.util.List;
import java.util.Set;

/** The conversations of pull requests. To the API each of these is an issue as well. */
final class GitHubDiscussion implements Discussion {
    /** Those who may triage or read only are none of these. */
    private static final Set<String> WRITES = Set.of("admin", "write");

    private static final String WHO = "query { viewer { login } }";

    private final ForgeApi api;
    private final GraphQl graphQl;
    private final String path;
    private final IssueComments comments;
    private volatile String self = "";

    /** @param path of the repository */
    GitHubDiscussion(ForgeApi api, String path) {
        this.api = api;
        this.graphQl = new GraphQl(api);
        this.path = path;
        this.comments = new IssueComments(api, path);
    }

    @Override
    public List<Comment> of(Request request) {
        return api.list(comments.pathOf(request), null).stream()
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
    public void post(Request request, String text) {
        comments.post(request, text);
    }

    @Override
    public void edit(Request request, long id, String text) {
        comments.edit(id, text);
    }

    /** The association that stands at a comment is also that of people who may only read: the right is asked for itself. */
    @Override
    public boolean mayDecide(Request request, String login) {
        if (comments.isOpener(request, login)) {
            return false;
        }
        return api.find(path + "/collaborators/" + ForgeApi.encodedWhole(login) + "/permission")
                .filter(right -> text(right.path("user").path("type")).equals("User"))
                .filter(right -> WRITES.contains(text(right.path("permission"))))
                .isPresent();
    }
}
