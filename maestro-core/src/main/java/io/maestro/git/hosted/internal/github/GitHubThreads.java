package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Listed;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.ReviewThread;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads the review threads of a request: first who has written in them, and then the texts of those whose words count. Texts of
 * others are not read, so that it does not matter how long they are.
 */
final class GitHubThreads {
    private static final int MOST_PAGES = 20;

    /** How many texts are read at once; each has up to 65,536 characters. */
    private static final int TEXTS = 20;

    private static final String COMMENTS = """
            nodes { id databaseId viewerDidAuthor author { __typename login } }""";

    private static final String QUERY = """
            query($owner: String!, $name: String!, $number: Int!, $before: String) {
              viewer { login }
              repository(owner: $owner, name: $name) {
                pullRequest(number: $number) {
                  reviewThreads(last: 50, before: $before) {
                    pageInfo { hasPreviousPage startCursor }
                    nodes {
                      id isResolved path line originalLine
                      comments(first: 100) { pageInfo { hasNextPage } %s }
                    }
                  }
                }
              }
            }""".formatted(COMMENTS);

    private static final String NEWEST = """
            query($id: ID!, $before: String) {
              node(id: $id) {
                ... on PullRequestReviewThread {
                  comments(last: 100, before: $before) { pageInfo { hasPreviousPage startCursor } %s }
                }
              }
            }""".formatted(COMMENTS);

    private static final String BODIES = """
            query($ids: [ID!]!) {
              nodes(ids: $ids) { ... on PullRequestReviewComment { id body } }
            }""";

    private static final String RESOLVE = """
            mutation($id: ID!) {
              resolveReviewThread(input: {threadId: $id}) { thread { isResolved } }
            }""";

    private final ForgeApi api;
    private final GraphQl graphQl;
    private final RepositoryName repository;
    private volatile String self = "";

    GitHubThreads(ForgeApi api, RepositoryName repository) {
        this.api = api;
        this.graphQl = new GraphQl(api);
        this.repository = repository;
    }

    /** Maestro's own login; empty before the first threads were read. */
    String self() {
        return self;
    }

    /** Who has written in a thread. */
    private static final class Heard {
        final JsonNode thread;
        final NavigableMap<Long, JsonNode> comments = new TreeMap<>();
        boolean whole = true;

        Heard(JsonNode thread) {
            this.thread = thread;
        }
    }

    Listed<ReviewThread> of(PullRequest request, Predicate<String> writers) {
        List<Heard> heard = new ArrayList<>();
        Listed<JsonNode> all = threads(request);
        List<String> ids = new ArrayList<>();
        int pages = 0;
        for (JsonNode thread : all.items()) {
            Heard one = new Heard(thread);
            heard.add(one);
            if (!thread.path("isResolved").asBoolean()) {
                pages = read(thread, one, pages, request);
                // The newest first: the server is asked about a bounded number of people.
                one.comments.descendingMap().values().removeIf(comment -> author(comment, writers) == Author.OTHER);
                one.comments
                        .values()
                        .forEach(comment -> ids.add(comment.path("id").asText()));
            }
        }
        Map<String, String> texts = texts(ids);
        List<ReviewThread> read = new ArrayList<>();
        heard.forEach(one -> read.add(thread(one, texts, writers)));
        Collections.reverse(read);
        return new Listed<>(read, all.whole());
    }

    /** The newest first. */
    private Listed<JsonNode> threads(PullRequest request) {
        List<JsonNode> threads = new ArrayList<>();
        String before = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            ObjectNode variables = ForgeApi.object()
                    .put("owner", repository.owner())
                    .put("name", repository.name())
                    .put("number", request.number())
                    .put("before", before);
            JsonNode data = graphQl.query(QUERY, variables);
            self = data.path("viewer").path("login").asText();
            JsonNode found = data.path("repository").path("pullRequest").path("reviewThreads");
            List<JsonNode> nodes = new ArrayList<>();
            found.path("nodes").forEach(nodes::add);
            Collections.reverse(nodes);
            threads.addAll(nodes);
            if (!found.path("pageInfo").path("hasPreviousPage").asBoolean()) {
                return new Listed<>(threads, true);
            }
            before = found.path("pageInfo").path("startCursor").asText();
        }
        api.tellCut("the list of review threads of " + request);
        return new Listed<>(threads, false);
    }

    /**
     * Reads who has written in a thread: of more than a hundred comments the first ones, and the others from the newest on.
     *
     * @param pages how many pages of such threads were read
     * @return how many have been read then
     */
    private int read(JsonNode thread, Heard heard, int pages, PullRequest request) {
        add(thread.path("comments"), heard.comments);
        boolean more =
                thread.path("comments").path("pageInfo").path("hasNextPage").asBoolean();
        int read = pages;
        for (String before = null; more && read < MOST_PAGES; read++) {
            ObjectNode variables =
                    ForgeApi.object().put("id", thread.path("id").asText()).put("before", before);
            JsonNode page = graphQl.query(NEWEST, variables).path("node").path("comments");
            boolean isNew = add(page, heard.comments);
            more = isNew && page.path("pageInfo").path("hasPreviousPage").asBoolean();
            before = page.path("pageInfo").path("startCursor").asText();
        }
        heard.whole = !more;
        if (more) {
            api.tellCut("the review thread " + place(thread) + " of " + request);
        }
        return read;
    }

    /** Whether none of them was known. */
    private static boolean add(JsonNode page, NavigableMap<Long, JsonNode> comments) {
        boolean isNew = true;
        for (JsonNode comment : page.path("nodes")) {
            isNew &= comments.put(comment.path("databaseId").asLong(), comment) == null;
        }
        return isNew;
    }

    private Map<String, String> texts(List<String> ids) {
        Map<String, String> texts = new HashMap<>();
        for (int from = 0; from < ids.size(); from += TEXTS) {
            ObjectNode variables = ForgeApi.object();
            ids.subList(from, Math.min(ids.size(), from + TEXTS)).forEach(variables.withArray("ids")::add);
            for (JsonNode comment : graphQl.query(BODIES, variables).path("nodes")) {
                texts.put(comment.path("id").asText(), ForgeApi.text(comment.path("body")));
            }
        }
        return texts;
    }

    /** Marks a thread as done; done twice it is the same. */
    void resolve(ReviewThread thread) {
        JsonNode unused = graphQl.once(RESOLVE, ForgeApi.object().put("id", thread.id()));
    }

    private static Author author(JsonNode comment, Predicate<String> writers) {
        if (comment.path("viewerDidAuthor").asBoolean()) {
            return Author.SELF;
        }
        JsonNode author = comment.path("author");
        return author.path("__typename").asText().equals("User")
                        && writers.test(author.path("login").asText())
                ? Author.PERSON
                : Author.OTHER;
    }

    private static ReviewThread thread(Heard heard, Map<String, String> texts, Predicate<String> writers) {
        JsonNode node = heard.thread;
        List<ReviewThread.ThreadComment> comments = new ArrayList<>();
        heard.comments.forEach((id, comment) -> comments.add(new ReviewThread.ThreadComment(
                id,
                comment.path("author").path("login").asText(),
                author(comment, writers),
                texts.getOrDefault(comment.path("id").asText(), ""))));
        return ReviewThread.of(
                node.path("id").asText(),
                node.path("isResolved").asBoolean(),
                place(node),
                node.path("comments").path("nodes").path(0).path("databaseId").asLong(),
                comments,
                heard.whole);
    }

    private static String place(JsonNode thread) {
        int line = thread.path("line").asInt(thread.path("originalLine").asInt());
        return ForgeApi.text(thread.path("path")) + (line > 0 ? ":" + line : "");
    }
}
