package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what people think of a request: of each one the last verdict. */
final class Reviews {
    private static final Set<String> VERDICTS = Set.of("APPROVED", "CHANGES_REQUESTED", "DISMISSED");

    private final GitHubApi api;
    private final String path;

    /** @param path of the repository */
    Reviews(GitHubApi api, String path) {
        this.api = api;
        this.path = path;
    }

    /**
     * A verdict.
     *
     * @param commit what the person has looked at
     */
    record Review(long id, String login, String state, String commit, String text) {
        boolean wantsChanges() {
            return state.equals("CHANGES_REQUESTED");
        }

        boolean approves() {
            return state.equals("APPROVED");
        }

        /** Its name in the request's memory. */
        String key() {
            return "r" + id;
        }
    }

    /** @param self Maestro's own login */
    Collection<Review> of(PullRequest request, String self) {
        Map<String, Review> latest = new LinkedHashMap<>();
        for (JsonNode item : all(request)) {
            Review review = new Review(
                    item.path("id").asLong(),
                    item.path("user").path("login").asText(),
                    PullRequest.text(item.path("state")),
                    PullRequest.text(item.path("commit_id")),
                    PullRequest.text(item.path("body")));
            if (VERDICTS.contains(review.state()) && Person.counts(item, self)) {
                latest.put(review.login(), review);
            }
        }
        return latest.values();
    }

    /** The logins of those who have said anything. */
    List<String> authors(PullRequest request) {
        return all(request).stream()
                .map(item -> item.path("user").path("login").asText())
                .toList();
    }

    private List<JsonNode> all(PullRequest request) {
        return api.list(path + "/pulls/" + request.number() + "/reviews", null);
    }
}
