package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Request;
import io.maestro.git.hosted.internal.ReviewThread;
import java.util.ArrayList;
import java.util.List;

/** Reads the review threads of a request. */
final class GitHubThreads {
    private static final int MOST_PAGES = 20;

    private static final String QUERY = """
            query($owner: String!, $name: String!, $number: Int!, $after: String) {
              viewer { login }
              repository(owner: $owner, name: $name) {
                pullRequest(number: $number) {
                  reviewThreads(first: 50, after: $after) {
                    pageInfo { hasNextPage endCursor }
                    nodes {
                      id isResolved path line originalLine
                      root: comments(first: 1) { nodes { databaseId } }
                      comments(last: 50) {
                        nodes { databaseId body viewerDidAuthor authorAssociation author { __typename login } }
                      }
                    }
                  }
                }
              }
            }""";

    private static final String RESOLVE = """
            mutation($id: ID!) {
              resolveReviewThread(input: {threadId: $id}) { thread { isResolved } }
            }""";

    private final GraphQl graphQl;
    private final RepositoryName repository;
    private volatile String self = "";

    GitHubThreads(ForgeApi api, RepositoryName repository) {
        this.graphQl = new GraphQl(api);
        this.repository = repository;
    }

    /** Maestro's own login; empty before the first threads were read. */
    String self() {
        return self;
    }

    List<ReviewThread> of(Request request) {
        List<ReviewThread> threads = new ArrayList<>();
        String after = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            ObjectNode variables = ForgeApi.object()
                    .put("owner", repository.owner())
                    .put("name", repository.name())
                    .put("number", request.number())
                    .put("after", after);
            JsonNode data = graphQl.query(QUERY, variables);
            self = data.path("viewer").path("login").asText();
            JsonNode found = data.path("repository").path("pullRequest").path("reviewThreads");
            found.path("nodes").forEach(node -> threads.add(thread(node)));
            if (!found.path("pageInfo").path("hasNextPage").asBoolean()) {
                return threads;
            }
            after = found.path("pageInfo").path("endCursor").asText();
        }
        // One that nobody has looked at may be open.
        throw new ApiException(
                ApiException.Kind.DENIED,
                0,
                request + " has more than " + threads.size() + " review threads, too many to look at; merge it by hand",
                null);
    }

    /** Marks a thread as done; done twice it is the same. */
    void resolve(ReviewThread thread) {
        JsonNode unused = graphQl.once(RESOLVE, ForgeApi.object().put("id", thread.id()));
    }

    private static ReviewThread thread(JsonNode node) {
        List<ReviewThread.Comment> comments = new ArrayList<>();
        for (JsonNode comment : node.path("comments").path("nodes")) {
            comments.add(new ReviewThread.Comment(
                    comment.path("databaseId").asLong(),
                    comment.path("author").path("login").asText(),
                    GitHubPerson.author(comment),
                    ForgeApi.text(comment.path("body"))));
        }
        int line = node.path("line").asInt(node.path("originalLine").asInt());
        return ReviewThread.of(
                node.path("id").asText(),
                node.path("isResolved").asBoolean(),
                ForgeApi.text(node.path("path")) + (line > 0 ? ":" + line : ""),
                node.path("root").path("nodes").path(0).path("databaseId").asLong(),
                comments);
    }
}
