package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Listed;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.Review;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Reads what people think of a request: of each one the last verdict. */
final class GitHubReviews {
    private static final Map<String, Review.ReviewVerdict> VERDICTS = Map.of(
            "APPROVED", Review.ReviewVerdict.APPROVED,
            "CHANGES_REQUESTED", Review.ReviewVerdict.CHANGES_WANTED,
            "DISMISSED", Review.ReviewVerdict.NONE);

    private final ForgeApi api;
    private final String path;

    /** @param path of the repository */
    GitHubReviews(ForgeApi api, String path) {
        this.api = api;
        this.path = path;
    }

    /**
     * The newest first: the server is asked about a bounded number of people.
     *
     * @param self Maestro's own login
     */
    Listed<Review> of(PullRequest request, String self, Predicate<String> writers) {
        Map<String, Review> latest = new LinkedHashMap<>();
        Listed<JsonNode> all = all(request);
        for (int i = all.items().size() - 1; i >= 0; i--) {
            JsonNode item = all.items().get(i);
            Review.ReviewVerdict verdict = VERDICTS.get(ForgeApi.text(item.path("state")));
            JsonNode user = item.path("user");
            String login = user.path("login").asText();
            if (verdict != null
                    && user.path("type").asText().equals("User")
                    && !login.equalsIgnoreCase(self)
                    && writers.test(login)) {
                latest.putIfAbsent(
                        login,
                        new Review(
                                item.path("id").asLong(),
                                login,
                                verdict,
                                ForgeApi.text(item.path("commit_id")),
                                ForgeApi.text(item.path("body"))));
            }
        }
        List<Review> reviews = new ArrayList<>(latest.values());
        Collections.reverse(reviews);
        return new Listed<>(reviews, all.whole());
    }

    /** The logins of those who have said anything. */
    List<String> authors(PullRequest request) {
        return all(request).items().stream()
                .map(item -> item.path("user").path("login").asText())
                .toList();
    }

    private Listed<JsonNode> all(PullRequest request) {
        return api.latest(path + "/pulls/" + request.number() + "/reviews");
    }
}
