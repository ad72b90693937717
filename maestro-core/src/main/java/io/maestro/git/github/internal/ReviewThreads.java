package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the review threads of a request. */
final class ReviewThreads {
    private static final int MOST_PAGES = 20;
    private static final Pattern ANSWER =
            Pattern.compile("<!-- maestro answer=(\\d{1,19}) commit=([0-9a-f]{40,64}) -->");

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

    private final GitHubApi api;
    private final RepositoryName repository;

    ReviewThreads(GitHubApi api, RepositoryName repository) {
        this.api = api;
        this.repository = repository;
    }

    /**
     * The threads of a request.
     *
     * @param self Maestro's own login
     */
    record All(String self, List<ReviewThread> threads) {}

    /**
     * A thread.
     *
     * @param id for GraphQL
     * @param root its first comment
     * @param people what people have written since Maestro's last answer
     * @param last the last of these; 0 for none
     * @param answered which comment Maestro has answered last; 0 for none
     * @param answeredWith the commit that it named
     */
    record ReviewThread(
            String id,
            long root,
            boolean resolved,
            String place,
            List<String> people,
            long last,
            long answered,
            String answeredWith) {
        /** Whether people wait for an answer. */
        boolean isOpen() {
            return !resolved && last > 0;
        }

        /** Its name in the request's memory: another comment makes it another. */
        String key() {
            return "t" + last;
        }
    }

    static String mark(long comment, String commit) {
        return "<!-- maestro answer=" + comment + " commit=" + commit + " -->";
    }

    All of(PullRequest request) {
        List<ReviewThread> threads = new ArrayList<>();
        String after = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            ObjectNode variables = GitHubApi.object()
                    .put("owner", repository.owner())
                    .put("name", repository.name())
                    .put("number", request.number())
                    .put("after", after);
            JsonNode data = api.query(QUERY, variables);
            String self = data.path("viewer").path("login").asText();
            JsonNode found = data.path("repository").path("pullRequest").path("reviewThreads");
            found.path("nodes").forEach(node -> threads.add(thread(node)));
            if (!found.path("pageInfo").path("hasNextPage").asBoolean()) {
                return new All(self, threads);
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
        JsonNode unused = api.graphQl(RESOLVE, GitHubApi.object().put("id", thread.id()));
    }

    private static ReviewThread thread(JsonNode node) {
        List<String> people = new ArrayList<>();
        long last = 0;
        long answered = 0;
        String answeredWith = "";
        for (JsonNode comment : node.path("comments").path("nodes")) {
            String text = PullRequest.text(comment.path("body"));
            Matcher answer = ANSWER.matcher(text);
            if (comment.path("viewerDidAuthor").asBoolean() && answer.find()) {
                people.clear();
                last = 0;
                answered = Long.parseLong(answer.group(1));
                answeredWith = answer.group(2);
            } else if (Person.counts(comment)) {
                people.add(comment.path("author").path("login").asText() + ": " + text.strip());
                last = comment.path("databaseId").asLong();
            }
        }
        int line = node.path("line").asInt(node.path("originalLine").asInt());
        return new ReviewThread(
                node.path("id").asText(),
                node.path("root").path("nodes").path(0).path("databaseId").asLong(),
                node.path("isResolved").asBoolean(),
                PullRequest.text(node.path("path")) + (line > 0 ? ":" + line : ""),
                people,
                last,
                answered,
                answeredWith);
    }
}
