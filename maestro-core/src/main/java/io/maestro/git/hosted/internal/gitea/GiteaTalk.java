package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Request;
import io.maestro.git.hosted.internal.Review;
import io.maestro.git.hosted.internal.Review.Verdict;
import io.maestro.git.hosted.internal.ReviewThread;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads and writes what is said about a pull request. Gitea has no threads: all comments of all reviews on one line are one, and
 * whoever writes to that line writes into it.
 */
final class GiteaTalk {
    private static final Map<String, Verdict> VERDICTS = Map.of(
            "APPROVED", Verdict.APPROVED,
            "REQUEST_CHANGES", Verdict.CHANGES_WANTED);

    private final ForgeApi api;
    private final String path;
    private final GiteaPeople people;

    /** @param path of the repository */
    GiteaTalk(ForgeApi api, String path, GiteaPeople people) {
        this.api = api;
        this.path = path;
        this.people = people;
    }

    private String path(Request request) {
        return path + "/pulls/" + request.number();
    }

    private List<JsonNode> all(Request request) {
        return api.list(path(request) + "/reviews", null);
    }

    /** The logins of those who have said anything. */
    List<String> authors(Request request) {
        return all(request).stream()
                .filter(review -> !text(review.path("state")).equals("REQUEST_REVIEW"))
                .map(review -> text(review.path("user").path("login")))
                .toList();
    }

    Collection<Review> reviews(Request request) {
        Map<String, Review> latest = new LinkedHashMap<>();
        for (JsonNode item : all(request)) {
            Verdict verdict = VERDICTS.get(text(item.path("state")));
            JsonNode user = item.path("user");
            if (verdict != null && people.author(user) == Author.PERSON) {
                String login = text(user.path("login"));
                latest.put(
                        login,
                        new Review(
                                item.path("id").asLong(),
                                login,
                                item.path("dismissed").asBoolean() ? Verdict.NONE : verdict,
                                text(item.path("commit_id")),
                                text(item.path("body"))));
            }
        }
        return latest.values();
    }

    /** Where a comment stands; the lines of the old file are below zero. */
    private record Line(String file, int number) {
        static Line of(JsonNode comment) {
            int now = comment.path("position").asInt();
            return new Line(
                    text(comment.path("path")),
                    now > 0 ? now : -comment.path("original_position").asInt());
        }

        String id() {
            return number + ":" + file;
        }
    }

    List<ReviewThread> threads(Request request) {
        Map<Line, SortedMap<Long, JsonNode>> lines = new LinkedHashMap<>();
        for (JsonNode review : all(request)) {
            if (review.path("comments_count").asInt() > 0) {
                String comments =
                        path(request) + "/reviews/" + review.path("id").asLong() + "/comments";
                for (JsonNode comment : api.get(comments)) {
                    lines.computeIfAbsent(Line.of(comment), line -> new TreeMap<>())
                            .put(comment.path("id").asLong(), comment);
                }
            }
        }
        List<ReviewThread> threads = new ArrayList<>();
        lines.forEach((line, comments) -> threads.add(thread(line, comments)));
        threads.sort(Comparator.comparingLong(ReviewThread::root));
        return threads;
    }

    private ReviewThread thread(Line line, SortedMap<Long, JsonNode> comments) {
        List<ReviewThread.Comment> all = new ArrayList<>();
        comments.forEach((id, comment) -> all.add(new ReviewThread.Comment(
                id,
                text(comment.path("user").path("login")),
                people.author(comment.path("user")),
                text(comment.path("body")))));
        JsonNode root = comments.getOrDefault(comments.firstKey(), ForgeApi.object());
        return ReviewThread.of(
                line.id(),
                root.path("resolver").isObject(),
                line.file() + ":" + Math.abs(line.number()),
                comments.firstKey(),
                all);
    }

    /** A review of its own, with a comment on the thread's line. */
    void answer(Request request, ReviewThread thread, String text) {
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
