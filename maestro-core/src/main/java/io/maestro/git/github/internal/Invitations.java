package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts labels on a request and asks people to look at it: whatever is not there yet. That it cannot is no failure. */
final class Invitations {
    private static final Logger LOG = LoggerFactory.getLogger(Invitations.class);

    private final GitHubApi api;
    private final String path;
    private final List<String> labels;
    private final List<String> reviewers;
    private final Reviews reviews;

    /** @param path of the repository */
    Invitations(GitHubApi api, String path, List<String> labels, List<String> reviewers, Reviews reviews) {
        this.api = api;
        this.path = path;
        this.labels = labels;
        this.reviewers = reviewers;
        this.reviews = reviews;
    }

    void send(PullRequest request) {
        List<String> missing = labels.stream()
                .filter(label -> !request.labels().contains(label))
                .toList();
        if (!missing.isEmpty()) {
            ObjectNode body = GitHubApi.object();
            add(body.putArray("labels"), missing);
            change(request, "labels", path + "/issues/" + request.number() + "/labels", body);
        }
        if (!reviewers.isEmpty()) {
            Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            seen.addAll(reviews.authors(request));
            invite(
                    request,
                    reviewers.stream().filter(one -> !seen.contains(one)).toList());
        }
    }

    /** Asks those who have not been asked, or have answered since. */
    void invite(PullRequest request, Collection<String> people) {
        ObjectNode body = GitHubApi.object();
        ArrayNode users = body.putArray("reviewers");
        ArrayNode teams = body.putArray("team_reviewers");
        for (String one : people) {
            String name = one.substring(one.indexOf('/') + 1);
            if (!request.reviewers().contains(name)) {
                (one.contains("/") ? teams : users).add(name);
            }
        }
        if (!users.isEmpty() || !teams.isEmpty()) {
            change(request, "reviewers", path + "/pulls/" + request.number() + "/requested_reviewers", body);
        }
    }

    private static void add(ArrayNode array, List<String> texts) {
        texts.forEach(array::add);
    }

    private void change(PullRequest request, String what, String resource, ObjectNode body) {
        try {
            JsonNode unused = api.change("POST", resource, body);
        } catch (ApiException e) {
            if (!e.isAboutThisAlone()) {
                throw e;
            }
            LOG.warn("{} cannot be set for {}: {}", what, request, e.getMessage());
        }
    }
}
