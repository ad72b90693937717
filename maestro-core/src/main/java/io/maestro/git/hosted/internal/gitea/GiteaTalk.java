package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Listed;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.Review;
import io.maestro.git.hosted.internal.Review.ReviewVerdict;
import io.maestro.git.hosted.internal.ReviewThread;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import io.maestro.git.hosted.internal.ReviewThread.LastAnswer;
import io.maestro.git.hosted.internal.ReviewThread.Unanswered;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads and writes what is said about a pull request. Gitea has no threads: all comments of all reviews on one line are one, and
 * whoever writes to that line writes into it.
 */
final class GiteaTalk {
    private static final Map<String, ReviewVerdict> VERDICTS = Map.of(
            "APPROVED", ReviewVerdict.APPROVED,
            "REQUEST_CHANGES", ReviewVerdict.CHANGES_WANTED);

    /** Of how many reviews of people whose words do not count the comments are read: others may have written into them. */
    private static final int MOST_OF_OTHERS = 100;

    private final ForgeApi api;
    private final String path;
    private final GiteaPeople people;

    /** @param path of the repository */
    GiteaTalk(ForgeApi api, String path, GiteaPeople people) {
        this.api = api;
        this.path = path;
        this.people = people;
    }

    private String path(PullRequest request) {
        return path + "/pulls/" + request.number();
    }

    private Listed<JsonNode> all(PullRequest request) {
        return api.latest(path(request) + "/reviews");
    }

    /** The logins of those who have said anything. */
    List<String> authors(PullRequest request) {
        return all(request).items().stream()
                .filter(review -> !text(review.path("state")).equals("REQUEST_REVIEW"))
                .map(review -> text(review.path("user").path("login")))
                .toList();
    }

    /** Where the server tells nobody's rights, an official verdict is one of a person who could write when it was given. */
    private Predicate<String> heard(List<JsonNode> reviews, Predicate<String> writers) {
        Set<String> official = new HashSet<>();
        for (JsonNode review : reviews) {
            if (review.path("official").asBoolean() && !review.path("dismissed").asBoolean()) {
                official.add(text(review.path("user").path("login")));
            }
        }
        return login -> writers.test(login) || people.areUnknown() && official.contains(login);
    }

    /** The newest first: the server is asked about a bounded number of people. */
    Listed<Review> reviews(PullRequest request, Predicate<String> writers) {
        Listed<JsonNode> all = all(request);
        Predicate<String> heard = heard(all.items(), writers);
        Map<String, Review> latest = new LinkedHashMap<>();
        for (int i = all.items().size() - 1; i >= 0; i--) {
            JsonNode item = all.items().get(i);
            ReviewVerdict verdict = VERDICTS.get(text(item.path("state")));
            JsonNode user = item.path("user");
            if (verdict != null && people.author(user, heard) == Author.PERSON) {
                String login = text(user.path("login"));
                latest.putIfAbsent(
                        login,
                        new Review(
                                item.path("id").asLong(),
                                login,
                                item.path("dismissed").asBoolean() ? ReviewVerdict.NONE : verdict,
                                text(item.path("commit_id")),
                                text(item.path("body"))));
            }
        }
        List<Review> reviews = new ArrayList<>(latest.values());
        Collections.reverse(reviews);
        return new Listed<>(reviews, all.whole());
    }

    /** Where a comment stands; the lines of the old file are below zero. */
    private record CommentedLine(String file, int number) {
        static CommentedLine of(JsonNode comment) {
            int now = comment.path("position").asInt();
            return new CommentedLine(
                    text(comment.path("path")),
                    now > 0 ? now : -comment.path("original_position").asInt());
        }

        String id() {
            return number + ":" + file;
        }
    }

    Listed<ReviewThread> threads(PullRequest request, Predicate<String> writers) {
        Listed<JsonNode> all = all(request);
        List<JsonNode> reviews = all.items();
        boolean whole = all.whole();
        Predicate<String> heard = heard(reviews, writers);
        Map<CommentedLine, NavigableMap<Long, JsonNode>> lines = new LinkedHashMap<>();
        List<ReviewThread> threads = new ArrayList<>();
        int others = 0;
        for (int i = reviews.size() - 1; i >= 0; i--) {
            JsonNode review = reviews.get(i);
            if (review.path("comments_count").asInt() == 0) {
                continue;
            }
            Author author = people.author(review.path("user"), heard);
            String comments = path(request) + "/reviews/" + review.path("id").asLong() + "/comments";
            if (author == Author.OTHER && ++others > MOST_OF_OTHERS) {
                api.tellCut("the comments of reviews of " + request);
                whole = false;
                continue;
            }
            try {
                for (JsonNode comment : api.get(comments)) {
                    lines.computeIfAbsent(CommentedLine.of(comment), line -> new TreeMap<>())
                            .put(comment.path("id").asLong(), comment);
                }
            } catch (ApiException e) {
                if (!e.isTooLong()) {
                    throw e;
                }
                api.tellCut(comments);
                threads.add(unread(review, author == Author.PERSON));
            }
        }
        lines.forEach((line, comments) -> threads.add(thread(line, comments, heard)));
        threads.sort(Comparator.comparingLong(ReviewThread::root));
        return new Listed<>(threads, whole);
    }

    /** Anybody may write into anybody's review: the coder is told of one of a writer that was made too long, and each is open. */
    private static ReviewThread unread(JsonNode review, boolean person) {
        String words = text(review.path("user").path("login")) + ": " + text(review.path("body"))
                + "\n(The comments of this review are too long to be read.)";
        long id = review.path("id").asLong();
        return new ReviewThread(
                "",
                0,
                false,
                "about the whole change",
                person ? new Unanswered(List.of(words), id) : new Unanswered(List.of(), 0),
                LastAnswer.NONE,
                person,
                false);
    }

    private ReviewThread thread(CommentedLine line, NavigableMap<Long, JsonNode> comments, Predicate<String> heard) {
        JsonNode root = comments.getOrDefault(comments.firstKey(), ForgeApi.object());
        boolean resolved = root.path("resolver").isObject();
        List<ReviewThread.ThreadComment> all = new ArrayList<>();
        (resolved ? new TreeMap<Long, JsonNode>() : comments)
                .descendingMap()
                .forEach((id, comment) -> all.add(new ReviewThread.ThreadComment(
                        id,
                        text(comment.path("user").path("login")),
                        people.author(comment.path("user"), heard),
                        text(comment.path("body")))));
        Collections.reverse(all);
        return ReviewThread.of(
                line.id(), resolved, line.file() + ":" + Math.abs(line.number()), comments.firstKey(), all, true);
    }

    /** A review of its own, with a comment on the thread's line. */
    void answer(PullRequest request, ReviewThread thread, String text) {
        if (thread.id().isEmpty()) {
            return;
        }
        int colon = thread.id().indexOf(':');
        int line = Integer.parseInt(thread.id().substring(0, colon));
        ObjectNode body = ForgeApi.object().put("event", "COMMENT");
        body.putArray("comments")
                .addObject()
                .put("path", thread.id().substring(colon + 1))
                .put("body", text)
                .put(line < 0 ? "old_position" : "new_position", Math.abs(line));
        JsonNode unused = api.change("POST", path(request) + "/reviews", body);
    }
}
