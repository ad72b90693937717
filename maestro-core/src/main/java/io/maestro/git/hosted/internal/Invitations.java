package io.maestro.git.hosted.internal;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts labels on a request and asks people to look at it: whatever is not there yet. That it cannot is no failure. */
final class Invitations {
    private static final Logger LOG = LoggerFactory.getLogger(Invitations.class);

    private final Server server;
    private final List<String> labels;
    private final List<String> reviewers;

    Invitations(Server server, List<String> labels, List<String> reviewers) {
        this.server = server;
        this.labels = labels;
        this.reviewers = reviewers;
    }

    void send(PullRequest request) {
        List<String> missing = labels.stream()
                .filter(label -> !request.labels().contains(label))
                .toList();
        if (!missing.isEmpty()) {
            change(request, "labels", () -> server.label(request, missing));
        }
        if (!reviewers.isEmpty()) {
            Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            seen.addAll(server.reviewed(request));
            invite(
                    request,
                    reviewers.stream().filter(one -> !seen.contains(one)).toList());
        }
    }

    /** Asks those who have not been asked, or have answered since. */
    void invite(PullRequest request, Collection<String> people) {
        if (people.isEmpty()) {
            return;
        }
        Set<String> asked = server.asked(request);
        List<String> missing = people.stream()
                .filter(one -> !asked.contains(one.substring(one.indexOf('/') + 1)))
                .toList();
        if (!missing.isEmpty()) {
            change(request, "reviewers", () -> server.invite(request, missing));
        }
    }

    private static void change(PullRequest request, String what, Runnable change) {
        try {
            change.run();
        } catch (ApiException e) {
            if (!e.isAboutThisAlone()) {
                throw e;
            }
            LOG.warn("{} cannot be set for {}: {}", what, request, e.getMessage());
        }
    }
}
